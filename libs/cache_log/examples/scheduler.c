// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * scheduler [COUNT]: a scheduler of thousands of coroutines over libs/vector_state/switch that looks ahead with cache_log.
 *
 * Each coroutine serves accounts: it walks a list of records of its own and adds them up. All that the library adds to a
 * scheduler is in run_all: log now and then what a coroutine touches, make its table, look ahead in the queue, at a distance
 * that the library finds out. Prints the time without and with it, and whether the sums are the same.
 */
#include "cache_log.h"
#include "context_switch.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RECORDS = 12, STACK_BYTES = 4096 + 64, ENTRIES = 24, ROUNDS = 40, LOG_EVERY = 32, AHEAD_MAX = 16 };

struct record {
	struct record *next;
	uint64_t amount;
	char rest[48];
};

struct coroutine {
	struct context context;
	struct record *accounts;
	uint64_t sum;
	_Alignas(64) uint64_t table[CACHE_LOG_TABLE_BYTES(ENTRIES) / 8];
};

static struct context scheduler = CONTEXT_THREAD;
static uint64_t ring[32], seen[64];
static struct cache_log_notes notes = { .ring = ring, .mask = 31 };

static void serve(struct context *self, void *message)
{
	struct coroutine *own = message;

	for (;;) {
		for (struct record *record = own->accounts; record; record = record->next) {
			CACHE_LOG_NOTE(&notes, *record);
			own->sum += record->amount++;
		}
		context_switch(self, &scheduler, NULL);
	}
}

static struct cache_log_table *table_of(struct coroutine *coroutine)
{
	return (struct cache_log_table *)coroutine->table;
}

/* The position in the queue. */
struct place {
	struct coroutine **queue;
	size_t at, count;
};

static const struct cache_log_table *table_in(const void *queue_place, unsigned int distance)
{
	const struct place *place = queue_place;

	return table_of(place->queue[(place->at + distance) % place->count]);
}

static void run_all(struct coroutine **queue, size_t count, unsigned int round, struct cache_log_ahead *ahead)
{
	for (struct place place = { queue, 0, count }; place.at < count; place.at++) {
		struct coroutine *own = queue[place.at];
		bool logged = (place.at + round) % LOG_EVERY == 0;

		cache_log_look(ahead, table_in, &place);
		if (logged) {
			cache_log_notes_begin(&notes);
			cache_log_note(&notes, own, offsetof(struct coroutine, table));
		}
		context_switch(&scheduler, &own->context, own);
		if (logged) {
			cache_log_note(&notes, own->context.stack_pointer, 256);
			cache_log_notes_end(&notes);
			cache_log_table_fill(table_of(own), ring, cache_log_notes_straighten(&notes), CACHE_LOG_OLDEST_FIRST,
					     false, seen, 64);
		}
	}
}

static void shuffle(void *items[], size_t count)
{
	for (size_t i = count - 1; i > 0; i--) {
		size_t other = (size_t)rand() % (i + 1);
		void *item = items[i];

		items[i] = items[other];
		items[other] = item;
	}
}

static void *allocate(size_t bytes)
{
	void *memory = aligned_alloc(64, (bytes + 63) & ~(size_t)63);

	if (!memory)
		exit(2);
	return memory;
}

/* Milliseconds for ROUNDS rounds, and the sum of all sums. */
static double run(size_t count, bool look, uint64_t *sum)
{
	struct coroutine *coroutines = allocate(count * sizeof(*coroutines));
	struct record *records = allocate(count * RECORDS * sizeof(*records));
	char *stacks = allocate(count * STACK_BYTES);
	void **queue = allocate(count * sizeof(*queue)), **order = allocate(count * RECORDS * sizeof(*order));
	struct cache_log_ahead ahead;
	struct timespec start, end;

	cache_log_ahead_create(&ahead, sizeof(coroutines->table), &notes);
	ahead.on = look;
	srand(1);
	for (size_t i = 0; i < count * RECORDS; i++)
		order[i] = &records[i];
	shuffle(order, count * RECORDS);
	for (size_t i = 0; i < count; i++) {
		struct coroutine *own = &coroutines[i];

		*own = (struct coroutine){ 0 };
		for (size_t r = 0; r < RECORDS; r++) {
			struct record *record = order[i * RECORDS + r];

			*record = (struct record){ .next = own->accounts, .amount = i ^ r };
			own->accounts = record;
		}
		if (cache_log_table_create(own->table, sizeof(own->table), i, 0) != CACHE_LOG_OK ||
		    context_create(&own->context, stacks + i * STACK_BYTES, STACK_BYTES, serve) != CONTEXT_OK)
			exit(2);
		queue[i] = own;
	}
	shuffle(queue, count);
	for (unsigned int round = 0; round < LOG_EVERY; round++)
		run_all((struct coroutine **)queue, count, round, &ahead);
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (unsigned int round = 0; round < ROUNDS; round++)
		run_all((struct coroutine **)queue, count, round, &ahead);
	clock_gettime(CLOCK_MONOTONIC, &end);
	*sum = 0;
	for (size_t i = 0; i < count; i++)
		*sum += coroutines[i].sum;
	free(order);
	free(queue);
	free(stacks);
	free(records);
	free(coroutines);
	return (double)(end.tv_sec - start.tv_sec) * 1e3 + (double)(end.tv_nsec - start.tv_nsec) / 1e6;
}

int main(int argc, char **argv)
{
	size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 8192;
	uint64_t sums[2];
	double ms[2];

	if (count < AHEAD_MAX + 1 || count > 1 << 20) {
		fprintf(stderr, "scheduler [COUNT]: from %d to %d coroutines\n", AHEAD_MAX + 1, 1 << 20);
		return 2;
	}
	for (int look = 0; look < 2; look++)
		ms[look] = run(count, look, &sums[look]);
	printf("%zu coroutines, %d rounds: %.1f ms, looking ahead %.1f ms; sums are %s\n", count, ROUNDS, ms[0], ms[1],
	       sums[0] == sums[1] ? "the same" : "DIFFERENT");
	return sums[0] != sums[1];
}
