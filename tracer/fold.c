// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// Finds repeated sequences and counts them.
//
// Level 0 gets a sequence of items, which are executions of blocks. Where a group of 1 to 64 items comes three times
// in a row with equal shapes and with addresses that advance by constant strides, a loop begins, and goes on while
// the next items are the predicted ones. It is then passed as one item to the next level, where it may be a part of
// an outer loop in the same way: the next level sees the initial addresses of the inner loop advance by strides of
// their own. Items that repeat nothing pass through.
//
// A loop's item has the initial addresses of all its parts and a descriptor. Two loops can be iterations of an outer
// one if their descriptors are equal:
//
//     iterations, period, then of each item: identity, descriptor length, addresses length, descriptor...; strides...
//
// stream.c writes items from this. The third copy is required because any two addresses have a difference.

#include "tracer.h"

#include <stdlib.h>
#include <string.h>

enum {
	HISTORY_KEPT = FOLD_PERIOD_MAX * FOLD_COPIES,
	HISTORY_MAX = 1024,
	LAST_SEEN = 1024,
	LOOP_WORDS_MAX = 1 << 14, // a larger loop body is not folded; the reader relies on it
};

struct held_item {
	uint64_t identity;
	size_t at; // into words: descriptor, then addresses
	uint32_t descriptor_count, addresses_count;
};

struct last_seen {
	uint64_t identity, sequence;
};

struct level {
	struct held_item items[HISTORY_MAX];
	uint32_t count, loops_count;
	uint64_t *words;
	size_t words_count, words_capacity;
	uint64_t sequence; // number of the item that comes next
	uint32_t period, run; // the last `run` items equal those `period` before them
	bool replaying; // items of a loop that ended are pushed again: they must not begin one
	struct last_seen last_seen[LAST_SEEN];
	struct loop loop;
};

static struct level levels[FOLD_LEVELS];

static void *grown(void *old, size_t bytes)
{
	void *new = realloc(old, bytes);

	if (!new)
		tracer_fatal("out of memory");
	return new;
}

static bool is_loop(uint64_t identity)
{
	return identity & 1;
}

static struct item held(const struct level *l, uint32_t index)
{
	const struct held_item *h = &l->items[index];
	const uint64_t *words = l->words + h->at;

	return (struct item){ h->identity, words, words + h->descriptor_count, h->descriptor_count, h->addresses_count };
}

static bool same_shape(const struct item *a, const struct item *b)
{
	return a->identity == b->identity && a->descriptor_count == b->descriptor_count &&
	       a->addresses_count == b->addresses_count &&
	       !memcmp(a->descriptor, b->descriptor, a->descriptor_count * sizeof(uint64_t));
}

static void pass_on(unsigned level, const struct item *item)
{
	if (level + 1 == FOLD_LEVELS)
		stream_item(item);
	else
		fold_push(level + 1, item);
}

// Passes the oldest items on, so that `keep` remain.
static void release(unsigned level, uint32_t keep)
{
	struct level *l = &levels[level];
	uint32_t gone = l->count - keep;

	if (!gone)
		return;
	for (uint32_t i = 0; i < gone; i++) {
		struct item item = held(l, i);

		l->loops_count -= is_loop(item.identity);
		pass_on(level, &item);
	}
	size_t words = keep ? l->items[gone].at : l->words_count;
	memmove(l->words, l->words + words, (l->words_count - words) * sizeof(uint64_t));
	l->words_count -= words;
	memmove(l->items, l->items + gone, keep * sizeof(l->items[0]));
	l->count = keep;
	for (uint32_t i = 0; i < keep; i++)
		l->items[i].at -= words;
}

// Do the last three groups of `period` items advance by the same strides?
static bool strides_agree(const struct level *l)
{
	uint32_t first = l->count - FOLD_COPIES * l->period;
	size_t words = 0;

	for (uint32_t i = 0; i < l->period; i++) {
		struct item a = held(l, first + i), b = held(l, first + l->period + i), c = held(l, first + 2 * l->period + i);

		if (!same_shape(&a, &b) || !same_shape(&b, &c))
			return false; // two loops of the same hash
		for (uint32_t k = 0; k < a.addresses_count; k++)
			if (c.addresses[k] - b.addresses[k] != b.addresses[k] - a.addresses[k])
				return false;
		words += 3 + a.descriptor_count + 2 * a.addresses_count;
	}
	return words <= LOOP_WORDS_MAX;
}

static void begin_loop(unsigned level)
{
	struct level *l = &levels[level];
	struct loop *loop = &l->loop;
	uint32_t period = l->period, n = 0;

	release(level, FOLD_COPIES * period);
	if (loop->words_capacity < l->words_count) {
		loop->words_capacity = (uint32_t)l->words_count * 2;
		loop->words = grown(loop->words, loop->words_capacity * sizeof(uint64_t));
	}
	size_t words = l->items[period].at;
	memcpy(loop->words, l->words, words * sizeof(uint64_t));
	if (loop->strides_capacity < words) {
		loop->strides_capacity = (uint32_t)words * 2;
		loop->strides = grown(loop->strides, loop->strides_capacity * sizeof(uint64_t));
		loop->next = grown(loop->next, loop->strides_capacity * sizeof(uint64_t));
	}
	for (uint32_t i = 0; i < period; i++) {
		struct item a = held(l, i), c = held(l, 2 * period + i);

		for (uint32_t k = 0; k < a.addresses_count; k++, n++) {
			loop->strides[n] = held(l, period + i).addresses[k] - a.addresses[k];
			loop->next[n] = c.addresses[k] + loop->strides[n];
		}
		a.addresses = loop->words + (a.addresses - l->words);
		a.descriptor = loop->words + (a.descriptor - l->words);
		loop->items[i] = a;
	}
	loop->addresses_count = n;
	loop->period = period;
	loop->iterations = FOLD_COPIES;
	loop->position = 0;
	loop->active = true;
	l->count = l->loops_count = 0;
	l->words_count = 0;
	l->period = l->run = 0;
}

static uint64_t hash(const uint64_t *words, size_t count)
{
	uint64_t h = count;

	for (size_t i = 0; i < count; i++) {
		h = (h ^ words[i]) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	return h;
}

static void emit_loop(unsigned level)
{
	// One buffer a level: passing this item up may make the next level emit its own loop first.
	static uint64_t words[FOLD_LEVELS][2 * LOOP_WORDS_MAX + 2];
	const struct loop *loop = &levels[level].loop;
	uint64_t *descriptor = words[level], *w = descriptor, *addresses;

	*w++ = loop->iterations;
	*w++ = loop->period;
	for (uint32_t i = 0; i < loop->period; i++) {
		const struct item *item = &loop->items[i];

		*w++ = item->identity;
		*w++ = item->descriptor_count;
		*w++ = item->addresses_count;
		memcpy(w, item->descriptor, item->descriptor_count * sizeof(uint64_t));
		w += item->descriptor_count;
	}
	memcpy(w, loop->strides, loop->addresses_count * sizeof(uint64_t));
	w += loop->addresses_count;
	addresses = w;
	for (uint32_t i = 0; i < loop->period; i++) {
		memcpy(w, loop->items[i].addresses, loop->items[i].addresses_count * sizeof(uint64_t));
		w += loop->items[i].addresses_count;
	}
	size_t count = (size_t)(addresses - descriptor);
	struct item item = { hash(descriptor, count) | 1, descriptor, addresses, (uint32_t)count, loop->addresses_count };
	pass_on(level, &item);
}

// The loop of a level ends: it goes up, and the items of its incomplete last iteration become history.
void fold_end_loop(unsigned level)
{
	struct loop *loop = &levels[level].loop;
	const uint64_t *next = loop->next, *stride = loop->strides;

	loop->active = false;
	emit_loop(level);
	levels[level].replaying = true;
	for (uint32_t i = 0; i < loop->position; i++) {
		struct item item = loop->items[i];
		uint64_t *addresses = (uint64_t *)item.addresses; // ours: words of the loop

		for (uint32_t k = 0; k < item.addresses_count; k++)
			addresses[k] = *next++ - *stride++;
		fold_push(level, &item);
	}
	levels[level].replaying = false;
}

// Is this the item that the loop expects? Then the loop goes on.
static bool loop_continues(struct loop *loop, const struct item *item)
{
	const struct item *expected = &loop->items[loop->position];
	uint32_t first = 0;

	if (!same_shape(expected, item))
		return false;
	for (uint32_t i = 0; i < loop->position; i++)
		first += loop->items[i].addresses_count;
	if (memcmp(loop->next + first, item->addresses, item->addresses_count * sizeof(uint64_t)))
		return false;
	for (uint32_t k = first; k < first + item->addresses_count; k++)
		loop->next[k] += loop->strides[k];
	if (++loop->position == loop->period) {
		loop->position = 0;
		loop->iterations++;
	}
	return true;
}

static void append(struct level *l, const struct item *item)
{
	size_t words = item->descriptor_count + item->addresses_count;

	if (l->words_count + words > l->words_capacity) {
		l->words_capacity = (l->words_count + words) * 2;
		l->words = grown(l->words, l->words_capacity * sizeof(uint64_t));
	}
	l->items[l->count++] =
		(struct held_item){ item->identity, l->words_count, item->descriptor_count, item->addresses_count };
	l->loops_count += is_loop(item->identity);
	memcpy(l->words + l->words_count, item->descriptor, item->descriptor_count * sizeof(uint64_t));
	memcpy(l->words + l->words_count + item->descriptor_count, item->addresses, item->addresses_count * sizeof(uint64_t));
	l->words_count += words;
}

// Updates `period` and `run` for the item that was appended last.
static void find_period(struct level *l)
{
	uint32_t now = l->count - 1;
	uint64_t identity = l->items[now].identity;
	struct last_seen *seen = &l->last_seen[(identity * 0x9e3779b97f4a7c15u) >> 54];

	if (l->period && l->period <= now && l->items[now - l->period].identity == identity) {
		l->run++;
	} else {
		uint64_t distance = l->sequence - seen->sequence;
		bool usable = seen->identity == identity && distance <= FOLD_PERIOD_MAX && distance <= now;

		l->period = usable ? (uint32_t)distance : 0;
		l->run = usable;
	}
	*seen = (struct last_seen){ identity, l->sequence++ };
}

bool fold_push(unsigned level, const struct item *item)
{
	struct level *l = &levels[level];

	if (l->loop.active) {
		if (loop_continues(&l->loop, item))
			return false;
		fold_end_loop(level);
	}
	if (level > 1 && !l->loops_count && !is_loop(item->identity)) {
		release(level, 0); // at this level only loops begin a loop
		pass_on(level, item);
		return false;
	}
	if (l->count == HISTORY_MAX)
		release(level, HISTORY_KEPT);
	append(l, item);
	find_period(l);
	uint32_t needed = (FOLD_COPIES - 1) * l->period;
	bool begins = l->period && !l->replaying && l->run >= needed && (l->run - needed) % l->period == 0 &&
		      l->count >= FOLD_COPIES * l->period && strides_agree(l);
	if (begins)
		begin_loop(level);
	return begins;
}

// Writes everything that is held to the file.
void fold_flush(void)
{
	for (unsigned level = 0; level < FOLD_LEVELS; level++) {
		struct level *l = &levels[level];

		if (l->loop.active)
			fold_end_loop(level);
		release(level, 0);
		l->period = l->run = 0;
	}
}

struct loop *fold_block_loop(void)
{
	return &levels[0].loop;
}
