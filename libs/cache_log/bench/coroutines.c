// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * coroutines COUNT BLOCKS SEED: many coroutines on one processor, run in turn in a random order; each has a stack and walks,
 * when it runs, 16 lines of its own that lie scattered, then computes a little. The scheduler knows who runs next. The switch
 * is libs/vector_state/switch.
 *
 * Each way is timed with the switch serialised (a barrier after it, as a mispredicted switch is one) and as it comes:
 *   nothing   no look-ahead
 *   unnoted   as nothing, but the coroutines write no notes and do not test whether they should: what logging costs
 *   ahead1, ahead2, ahead4, ahead8, paced3, paced4, lull1   the plans of ahead.c, each fixed, by tables of the lines that a
 *             coroutine noted when it ran before
 *   adaptive  the library chooses among these
 *   warm      as unnoted, among so few coroutines that all of them stay in the first level: the bound set by computing
 *   fetch     prefetches a coroutine's table and the lines in it without running it, with one barrier where a switch has two:
 *             the bound set by memory. A barrier waits until each line asked for has been translated and has a fill buffer, so
 *             asking for the same lines in two parts waits no less
 * No way to bring these lines before they are used can be faster than the slower of the two. Two more explain the remainder:
 *   translate runs no coroutine, and prefetches as many lines as a coroutine has pages, each on a page of its own, all in the
 *             second level: the part of `fetch` that is translation, if the processor's TLBs hold fewer than NEAR_LINES entries
 *   overlap   looks ahead as the chosen plan does, but runs the few coroutines of `warm`: none of the lines brought is used, so
 *             nothing waits for them. What it takes beyond `fetch` is the cost of two barriers and of one set of page walkers.
 *             It is no bound on a processor with few TLB entries: the other coroutines' pages evict those of the few
 *
 * A block runs every way once, in random order, for a stretch of 256 activations, after some that are not counted; the next
 * stretch goes on in the queue where the one before ended. So a disturbance affects all ways alike, and no way finds lines near
 * that another has just used. Tables are made by the library; one random activation of each stretch is logged.
 * One line for each way: WAY SERIALISED NANOSECONDS, per activation, the median of the stretches; and two lines
 * "logging SERIALISED SPEED": the speed of nothing over that of unnoted, from pairs of stretches.
 */
#include "timing.h"

#include "context_switch.h"

enum { LINES = 16, STACK_BYTES = 4096 + 64, TABLE_ENTRIES = 20, NOTES = 32, FEW = 4, COMPUTE = 20 };
/* What `translate` asks for: NEAR_LINES lines in turn, per coroutine one for each page of its lines, its stack and itself. */
enum { NEAR_LINES = 4096, PAGES = LINES + 2, PAGE_BYTES = 4096 };
enum { STACK_TOUCHED_MAX = 512, STRETCH = 256, LEAD = 32, BLOCKS_MAX = 10000 };

struct coroutine {
	struct context context;
	void **first;
	uint64_t sum;
	char *stack_end;
	_Alignas(64) uint64_t table_memory[CACHE_LOG_TABLE_BYTES(TABLE_ENTRIES) / 8];
};

struct way {
	const char *name;
	enum cache_log_plans plan;
	bool noting, warm, fetch, adaptive, translate, overlap;
};

enum { UNNOTED, NOTHING, ADAPTIVE = 9, OVERLAP = 13 };

static const struct way ways[] = {
	[UNNOTED] = { .name = "unnoted" },
	[NOTHING] = { .name = "nothing", .noting = true },
	{ .name = "ahead1", .plan = CACHE_LOG_PLAN_1, .noting = true },
	{ .name = "ahead2", .plan = CACHE_LOG_PLAN_2, .noting = true },
	{ .name = "ahead4", .plan = CACHE_LOG_PLAN_4, .noting = true },
	{ .name = "ahead8", .plan = CACHE_LOG_PLAN_8, .noting = true },
	{ .name = "paced3", .plan = CACHE_LOG_PLAN_PACED_3, .noting = true },
	{ .name = "paced4", .plan = CACHE_LOG_PLAN_PACED_4, .noting = true },
	{ .name = "lull1", .plan = CACHE_LOG_PLAN_LULL_1, .noting = true },
	[ADAPTIVE] = { .name = "adaptive", .noting = true, .adaptive = true },
	{ .name = "warm", .warm = true },
	{ .name = "fetch", .fetch = true },
	{ .name = "translate", .translate = true },
	[OVERLAP] = { .name = "overlap", .noting = true, .overlap = true },
};

enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

/* The position in the queue, for look-ahead. */
struct place {
	size_t at, used;
};

static struct context scheduler = CONTEXT_THREAD;
static struct coroutine **queue;
static size_t count, at_all;
static uint64_t ring[NOTES], seen[64];
static struct cache_log_notes notes = { .ring = ring, .mask = NOTES - 1 };
static struct cache_log_ahead aheads[2][WAYS];
static double *samples[2][WAYS];
static bool serialised, unnoted;
static uintptr_t near[NEAR_LINES];
static double per_us;

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

		/* Whether notes do anything is tested once, so that while they do nothing the walk is a plain loop. */
		if (unnoted || !notes.on) {
			for (void **line = own->first; line; line = *line)
				sum += (uintptr_t)line;
		} else {
			for (void **line = own->first; line; line = *line) {
				cache_log_note_line(&notes, line);
				sum += (uintptr_t)line;
			}
		}
		cache_log_lull(&notes);
		for (int i = 0; i < COMPUTE; i++)
			sum = sum * 6364136223846793005u + 1;
		locals[sum % 16] = sum;
		own->sum = sum;
		context_switch(self, &scheduler, NULL);
		if (serialised)
			barrier();
	}
}

static struct cache_log_table *table_of(struct coroutine *coroutine)
{
	return (struct cache_log_table *)coroutine->table_memory;
}

static const struct cache_log_table *table_in(const void *queue_place, unsigned int distance)
{
	const struct place *place = queue_place;
	size_t there = place->at + distance;

	return table_of(queue[there < place->used ? there : there - place->used]);
}

static inline void activate(struct coroutine *coroutine)
{
	context_switch(&scheduler, &coroutine->context, coroutine);
	if (serialised)
		barrier();
}

/* The same, and makes a table of the notes that the coroutine wrote. */
static void activate_logged(struct coroutine *coroutine)
{
	size_t used;

	cache_log_notes_begin(&notes);
	cache_log_note(&notes, coroutine, offsetof(struct coroutine, stack_end));
	activate(coroutine);
	/* All of its stack that is in use, beginning with the frame that the switch loads. */
	used = (size_t)(coroutine->stack_end - (char *)coroutine->context.stack_pointer);
	cache_log_note(&notes, coroutine->context.stack_pointer, used < STACK_TOUCHED_MAX ? used : STACK_TOUCHED_MAX);
	cache_log_notes_end(&notes);
	cache_log_table_fill(table_of(coroutine), ring, cache_log_notes_straighten(&notes), CACHE_LOG_OLDEST_FIRST, false, seen,
			     64);
}

/* Prefetches one coroutine's share of the near lines. */
static void translate(void)
{
	static size_t at;

	for (int i = 0; i < PAGES; i++) {
		cache_log_prefetch_line(near[at]);
		at = at + 1 == NEAR_LINES ? 0 : at + 1;
	}
}

/* Runs that many activations in turn; returns the nanoseconds of one. */
static double stretch(int number, struct place *place, int activations, int logged)
{
	const struct way *way = &ways[number];
	struct cache_log_ahead *ahead = &aheads[serialised][number];
	uint64_t start = cache_log_ticks();

	for (int i = 0; i < activations; i++) {
		struct coroutine *next = queue[place->at];

		if (way->translate) {
			translate();
			if (serialised)
				barrier();
		} else if (way->fetch) {
			cache_log_look_far(ahead, table_in(place, 4));
			cache_log_look_ahead(ahead, table_of(next));
			if (serialised)
				barrier();
		} else {
			if (ahead->plan.far || way->adaptive)
				cache_log_look(ahead, table_in, place);
			if (i == logged)
				activate_logged(next);
			else
				activate(way->overlap ? queue[i % FEW] : next);
		}
		place->at = place->at + 1 == place->used ? 0 : place->at + 1;
	}
	return (double)(cache_log_ticks() - start) / per_us * 1000 / activations;
}

static double run_way(int number)
{
	const struct way *way = &ways[number];
	struct place place = { 0, FEW };
	double took;

	/* Entries that the previous way had still to ask for are dropped. */
	notes.on = 0;
	notes.next = notes.end;
	unnoted = !way->noting;
	if (way->warm) {
		stretch(number, &place, LEAD, -1);
		return stretch(number, &place, STRETCH, -1);
	}
	if (way->translate) {
		stretch(number, &place, NEAR_LINES / PAGES + LEAD, -1);
		return stretch(number, &place, STRETCH, -1);
	}
	place = (struct place){ at_all, count };
	cache_log_ahead_pause(&aheads[serialised][number]);
	stretch(number, &place, LEAD, -1);
	took = stretch(number, &place, STRETCH, way->noting && !way->overlap ? (int)(random_word() % STRETCH) : -1);
	at_all = place.at;
	return took;
}

/* The lines of `translate`, in random order: one in each page, at varying offsets, so that they spread over a cache's sets. */
static void set_up_near(void)
{
	char *pages = map((size_t)NEAR_LINES * PAGE_BYTES);

	for (size_t i = 0; i < NEAR_LINES; i++) {
		size_t other = random_word() % (i + 1);

		near[i] = near[other];
		near[other] = (uintptr_t)pages + i * PAGE_BYTES + i * 37 % (PAGE_BYTES / CACHE_LOG_LINE) * CACHE_LOG_LINE;
	}
}

static void set_up(void)
{
	size_t slot = (sizeof(struct coroutine) + 63) & ~(size_t)63;
	char *stacks = map(count * STACK_BYTES), *lines = map(count * LINES * CACHE_LOG_LINE), *all = map(count * slot);
	uint32_t *order = calloc(count * LINES, sizeof(*order));

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
		own->stack_end = stacks + (i + 1) * STACK_BYTES;
		if (cache_log_table_create(own->table_memory, sizeof(own->table_memory), i, 0) != CACHE_LOG_OK)
			exit(2);
		context_create(&own->context, stacks + i * STACK_BYTES, STACK_BYTES, walk);
		queue[i] = queue[other];
		queue[other] = own;
	}
	free(order);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* The time of `unnoted` over that of `nothing`, the median of the blocks: both lie within milliseconds, so drift cancels. */
static double logging_cost(int half, uint64_t blocks)
{
	double ratios[BLOCKS_MAX];

	for (uint64_t block = 0; block < blocks; block++)
		ratios[block] = samples[half][UNNOTED][block] / samples[half][NOTHING][block];
	qsort(ratios, blocks, sizeof(double), ascending);
	return ratios[blocks / 2];
}

/* Every coroutine is logged once, and the adaptive ways choose, before anything is timed. */
static void begin(void)
{
	for (size_t i = 0; i < count; i++)
		activate_logged(queue[i]);
	for (int half = 0; half < 2; half++) {
		for (int way = 0; way < WAYS; way++) {
			cache_log_ahead_create(&aheads[half][way], CACHE_LOG_TABLE_BYTES(TABLE_ENTRIES), &notes);
			if (way != ADAPTIVE)
				cache_log_ahead_fix(&aheads[half][way], ways[way].plan);
		}
		serialised = half;
		/* The first trial may still find lines in the caches from the set-up. */
		while (aheads[half][ADAPTIVE].trial.trials < 2)
			run_way(ADAPTIVE);
		cache_log_ahead_fix(&aheads[half][OVERLAP], aheads[half][ADAPTIVE].trial.chosen);
	}
}

int main(int argc, char **argv)
{
	uint64_t blocks;

	if (argc != 4) {
		fprintf(stderr, "coroutines COUNT BLOCKS SEED\n");
		return 2;
	}
	count = whole_number(argv[1], "COUNT", 512, 1 << 20);
	blocks = whole_number(argv[2], "BLOCKS", 1, BLOCKS_MAX);
	random_state = whole_number(argv[3], "SEED", 1, UINT32_MAX) * 0x9e3779b97f4a7c15;
	set_up();
	set_up_near();
	stay_here();
	per_us = ticks_per_us();
	for (int i = 0; i < 2 * WAYS; i++) {
		samples[i / WAYS][i % WAYS] = malloc(blocks * sizeof(double));
		if (!samples[i / WAYS][i % WAYS])
			return 2;
	}
	begin();
	for (uint64_t block = 0; block < blocks; block++) {
		int order[2 * WAYS];

		for (int i = 0; i < 2 * WAYS; i++)
			order[i] = i;
		for (int i = 2 * WAYS - 1; i >= 0; i--) {
			int other = (int)(random_word() % (uint64_t)(i + 1)), way = order[other];

			order[other] = order[i];
			serialised = way / WAYS;
			samples[serialised][way % WAYS][block] = run_way(way % WAYS);
		}
	}
	for (int half = 0; half < 2; half++)
		printf("logging %d %.4f\n", half, logging_cost(half, blocks));
	for (int i = 0; i < 2 * WAYS; i++) {
		double *of = samples[i / WAYS][i % WAYS];

		qsort(of, blocks, sizeof(double), ascending);
		printf("%s %d %.3f\n", ways[i % WAYS].name, i / WAYS, of[blocks / 2]);
		if (ways[i % WAYS].adaptive)
			fprintf(stderr, "%s %d: plan %d\n", ways[i % WAYS].name, i / WAYS,
				aheads[i / WAYS][i % WAYS].trial.chosen);
	}
	return 0;
}
