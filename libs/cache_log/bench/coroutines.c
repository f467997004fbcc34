// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * coroutines COUNT ROUNDS SEED: many coroutines on one processor, run in turn in a random order; each has a stack and walks,
 * when it runs, 16 lines of its own that lie scattered, then computes a little. The scheduler knows who runs next. The switch
 * is libs/vector_state/switch.
 *
 * Each is timed with the switch serialised (a barrier after it, as a mispredicted switch is one) and as it comes:
 *   nothing   no look-ahead
 *   ahead1, ahead2, ahead4, ahead8   tables of the lines that a coroutine noted when it ran before; first looked at that many
 *             switches ahead, and again at half of that, a quarter, down to one
 *   warm      as nothing, among so few coroutines that all stays in the second level: the bound of what computes
 *   fetch     runs no coroutine but loads the lines of its table, all independent of each other: the bound of what the
 *             memory can bring. Nothing that prefetches these lines can be faster than the slower of the two
 *
 * Tables are made by the library from notes of one activation of each coroutine in every 64; the time of that is in the
 * figures. A line for each: WAY SERIALISED NANOSECONDS, per activation: the median over stretches of 128 activations, so that a
 * stretch in which the system ran something else does not count. `nothing` also without notes (`unnoted`): what logging costs.
 */
#include "timing.h"

#include "context_switch.h"

enum { LINES = 16, STACK_BYTES = 4096 + 64, TABLE_ENTRIES = 28, NOTES = 32, LOG_EVERY = 64, FEW = 192, COMPUTE = 20 };
enum { STACK_TOUCHED = 512, STRETCH = 128 };
enum { ROUNDS_MAX = 1000 };

struct coroutine {
	struct context context;
	void **first;
	uint64_t sum;
	_Alignas(64) uint64_t table_memory[CACHE_LOG_TABLE_BYTES(TABLE_ENTRIES) / 8];
};

struct way {
	const char *name;
	int distance;           /* of the first look; the others at half of it, a quarter and so on; 0: no look-ahead */
	bool warm, noting, fetch;
};

static const struct way ways[] = {
	{ .name = "unnoted" },
	{ .name = "nothing", .noting = true },
	{ .name = "ahead1", .distance = 1, .noting = true },
	{ .name = "ahead2", .distance = 2, .noting = true },
	{ .name = "ahead4", .distance = 4, .noting = true },
	{ .name = "ahead8", .distance = 8, .noting = true },
	{ .name = "warm", .warm = true },
	{ .name = "fetch", .fetch = true },
};

enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

static struct context scheduler = CONTEXT_THREAD;
static struct coroutine *coroutines, **queue;
static size_t count;
static uint64_t ring[NOTES], seen[64];
static struct cache_log_notes notes = { .ring = ring, .mask = NOTES - 1 };
static struct cache_log_ahead ahead = { .table_bytes = CACHE_LOG_TABLE_BYTES(TABLE_ENTRIES) };
static bool serialised;
static unsigned int turn;

static inline void barrier(void)
{
#if defined(__x86_64__)
	__asm__ volatile("lfence" : : : "memory");
#elif defined(__aarch64__)
	__asm__ volatile("isb" : : : "memory");
#elif defined(__powerpc64__)
	__asm__ volatile("isync" : : : "memory");
#else
	__asm__ volatile("ibar 0" : : : "memory");
#endif
}

static void walk(struct context *self, void *message)
{
	struct coroutine *own = message;
	volatile uint64_t locals[16] = { 0 };

	for (;;) {
		uint64_t sum = own->sum;

		for (void **line = own->first; line; line = *line) {
			cache_log_note_line(&notes, line);
			sum += (uintptr_t)line;
		}
		for (int i = 0; i < COMPUTE; i++)
			sum = sum * 6364136223846793005u + 1;
		locals[sum % 16] = sum;
		own->sum = sum;
		message = context_switch(self, &scheduler, NULL);
		if (serialised)
			barrier();
	}
}

static struct cache_log_table *table_of(struct coroutine *coroutine)
{
	return (struct cache_log_table *)coroutine->table_memory;
}

/* Runs one coroutine; logs it when it is its turn. */
static inline void activate(struct coroutine *coroutine, size_t index, bool noting)
{
	bool logged = noting && (index + turn) % LOG_EVERY == 0;

	if (logged) {
		notes.noted = 0;
		notes.on = 1;
		cache_log_note(&notes, coroutine, sizeof(struct context) + 16);
	}
	context_switch(&scheduler, &coroutine->context, coroutine);
	if (serialised)
		barrier();
	if (logged) {
		/* The frame that the switch loads, and those above it. */
		cache_log_note(&notes, coroutine->context.stack_pointer, STACK_TOUCHED);
		notes.on = 0;
		cache_log_table_fill(table_of(coroutine), ring, cache_log_notes_straighten(&notes),
				     CACHE_LOG_OLDEST_FIRST, false, seen, 64);
	}
}

static void fetch(const struct cache_log_table *table)
{
	for (unsigned int i = 0; i < table->entries_count; i++) {
		const char *line = (const char *)cache_log_entry_address(table->entries[i]);

		for (unsigned int lines = cache_log_entry_lines(table->entries[i]); lines; lines--, line += CACHE_LOG_LINE)
			(void)*(const volatile char *)line;
	}
}

static size_t after(size_t place, int distance, size_t used)
{
	return place + (size_t)distance < used ? place + (size_t)distance : place + (size_t)distance - used;
}

/* One round; the nanoseconds an activation of each 128 in turn are added to `samples`. The queue goes round. */
static size_t round_of(const struct way *way, double per_us, double *samples)
{
	size_t used = way->warm ? FEW : count, runs = way->warm ? count / FEW * FEW : count;
	uint64_t start;
	size_t found = 0;

	ahead.on = way->distance > 0;
	turn++;
	if (way->warm)
		for (size_t i = 0; i < 2 * used; i++)
			activate(queue[i % used], i, false);
	start = cache_log_ticks();
	for (size_t i = 0, at = 0, far = 2 * (size_t)way->distance; i < runs; i++) {
		if (way->distance) {
			cache_log_look_far(&ahead, table_of(queue[far]));
			for (int distance = way->distance; distance; distance /= 2)
				cache_log_look_ahead(&ahead, table_of(queue[after(at, distance, used)]));
			far = after(far, 1, used);
		}
		if (way->fetch)
			fetch(table_of(queue[at]));
		else
			activate(queue[at], i, way->noting);
		at = after(at, 1, used);
		if ((i + 1) % STRETCH == 0) {
			uint64_t now = cache_log_ticks();

			samples[found++] = (double)(now - start) / per_us * 1000 / STRETCH;
			start = now;
		}
	}
	return found;
}

static void set_up(void)
{
	size_t slot = (sizeof(struct coroutine) + 63) & ~(size_t)63;
	char *stacks = map(count * STACK_BYTES), *lines = map(count * LINES * CACHE_LOG_LINE), *all = map(count * slot);
	uint32_t *order = malloc(count * LINES * sizeof(*order));

	queue = malloc(count * sizeof(*queue));
	if (!order || !queue)
		exit(2);
	for (size_t i = 0; i < count * LINES; i++) {
		size_t other = random_word() % (i + 1);

		order[i] = order[other];
		order[other] = (uint32_t)i;
	}
	for (size_t i = 0; i < count; i++) {
		struct coroutine *own = (struct coroutine *)(all + i * slot);
		void **after = NULL;
		size_t other = random_word() % (i + 1);

		for (size_t line = 0; line < LINES; line++) {
			void **at = (void **)(lines + order[i * LINES + line] * CACHE_LOG_LINE);

			*at = after;
			after = at;
		}
		own->first = after;
		if (cache_log_table_create(own->table_memory, sizeof(own->table_memory), i, 0) != CACHE_LOG_OK)
			exit(2);
		context_create(&own->context, stacks + i * STACK_BYTES, STACK_BYTES, walk);
		queue[i] = queue[other];
		queue[other] = own;
	}
	free(order);
	coroutines = (struct coroutine *)all;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
	double *samples[2][WAYS];
	size_t found[2][WAYS] = { { 0 } };
	uint64_t rounds;
	double per_us;

	if (argc != 4) {
		fprintf(stderr, "coroutines COUNT ROUNDS SEED\n");
		return 2;
	}
	count = whole_number(argv[1], "COUNT", FEW, 1 << 20);
	rounds = whole_number(argv[2], "ROUNDS", 1, ROUNDS_MAX);
	random_state = whole_number(argv[3], "SEED", 1, UINT32_MAX) * 0x9e3779b97f4a7c15;
	set_up();
	stay_here();
	per_us = ticks_per_us();
	for (int half = 0; half < 2; half++) {
		for (int way = 0; way < WAYS; way++) {
			samples[half][way] = malloc((rounds + 1) * (count / STRETCH + 1) * sizeof(double));
			if (!samples[half][way])
				return 2;
		}
	}
	/* Every coroutine is logged once before anything is timed. */
	for (int i = 0; i < LOG_EVERY; i++)
		round_of(&ways[1], per_us, samples[0][0]);
	for (uint64_t round = 0; round < rounds; round++) {
		for (int half = 0; half < 2; half++) {
			int order[WAYS] = { 0, 1, 2, 3, 4, 5, 6, 7 };

			serialised = half;
			for (int i = WAYS - 1; i >= 0; i--) {
				int other = (int)(random_word() % (uint64_t)(i + 1)), way = order[other];

				order[other] = order[i];
				found[half][way] +=
					round_of(&ways[way], per_us, samples[half][way] + found[half][way]);
			}
		}
	}
	for (int half = 0; half < 2; half++) {
		for (int way = 0; way < WAYS; way++) {
			qsort(samples[half][way], found[half][way], sizeof(double), ascending);
			printf("%s %d %.3f\n", ways[way].name, half, samples[half][way][found[half][way] / 2]);
		}
	}
	return 0;
}
