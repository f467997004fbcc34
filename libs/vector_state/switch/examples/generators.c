// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Generators: functions that yield one value at a time and go on where they were. A walk over a tree that would need a
 * stack of its own if it were an iterator, and two of them in step to compare trees of different shapes.
 *
 *	make examples && build/$(uname -m)/generators
 */
#include "../context_switch.h"
#include "../host/stack.h"

#include <stdio.h>
#include <stdlib.h>

struct tree {
	const struct tree *left, *right;
	int value;
};

struct generator {
	struct context context;
	void *stack;
	size_t stack_bytes;
	const struct tree *tree;
};

static void walk(struct context *self, const struct tree *tree)
{
	if (!tree)
		return;
	walk(self, tree->left);
	context_yield(self, (void *)tree);
	walk(self, tree->right);
}

/* To return ends the generator: its resumer gets NULL. */
static void entry(struct context *self, void *message)
{
	(void)message;
	walk(self, ((struct generator *)self)->tree);
}

static void generator_start(struct generator *generator, const struct tree *tree)
{
	generator->tree = tree;
	generator->stack_bytes = 32768;
	generator->stack = context_stack_map(&generator->stack_bytes);
	if (!generator->stack ||
	    context_create(&generator->context, generator->stack, generator->stack_bytes, entry) != CONTEXT_OK) {
		fprintf(stderr, "generators: no stack\n");
		exit(2);
	}
}

/* A generator may be left in the middle: its stack is all that it holds. */
static void generator_end(struct generator *generator)
{
	context_stack_unmap(generator->stack, generator->stack_bytes);
}

static struct tree *insert(struct tree *tree, struct tree *node)
{
	if (!tree)
		return node;
	if (node->value < tree->value)
		tree->left = insert((struct tree *)tree->left, node);
	else
		tree->right = insert((struct tree *)tree->right, node);
	return tree;
}

static const struct tree *plant(struct tree *nodes, const int *values, size_t count)
{
	struct tree *root = NULL;

	for (size_t i = 0; i < count; i++) {
		nodes[i] = (struct tree){ .value = values[i] };
		root = insert(root, &nodes[i]);
	}
	return root;
}

static bool same_fringe(const struct tree *a, const struct tree *b)
{
	struct context here = CONTEXT_THREAD;
	struct generator left, right;
	const struct tree *from_left, *from_right;

	generator_start(&left, a);
	generator_start(&right, b);
	do {
		from_left = context_resume(&here, &left.context, NULL);
		from_right = context_resume(&here, &right.context, NULL);
	} while (from_left && from_right && from_left->value == from_right->value);
	generator_end(&left);
	generator_end(&right);
	return !from_left && !from_right;
}

int main(void)
{
	static const int balanced[] = { 4, 2, 6, 1, 3, 5, 7 }, list[] = { 1, 2, 3, 4, 5, 6, 7 }, other[] = { 1, 2, 3, 9 };
	struct tree nodes[3][7];
	const struct tree *trees[] = { plant(nodes[0], balanced, 7), plant(nodes[1], list, 7), plant(nodes[2], other, 4) };
	struct context here = CONTEXT_THREAD;
	struct generator generator;
	const struct tree *next;

	generator_start(&generator, trees[0]);
	while ((next = context_resume(&here, &generator.context, NULL)))
		printf("%d ", next->value);
	generator_end(&generator);
	printf("\nsame values: %d, other values: %d\n", same_fringe(trees[0], trees[1]), same_fringe(trees[0], trees[2]));
	return !(same_fringe(trees[0], trees[1]) && !same_fringe(trees[0], trees[2]));
}
