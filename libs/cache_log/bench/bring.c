// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bring KIB PERCENT ROUNDS SEED: what brings lines into the near caches, and how many of them are near then?
 *
 * 4 MiB of other memory are read; then PERCENT of the lines of KIB are asked for, in order of address or scattered, by one pass
 * of prefetches, by two, by plain loads that do not wait for each other, or, scattered, by the library's restore of a table.
 * Then a dependent walk visits lines in random order; its time tells how many of them are near, between the walk after
 * `nothing`, where none are, and the walk after `near`, two walks round, where all are.
 * A restore can be slow because its instructions are slow, because the processor drops some of them, or because it names too
 * few lines; this bench tells these apart. One line for each way:
 *     WAY BRING_NS_A_LINE WALK_NS_A_LINE NEAR
 * medians of the rounds, interleaved. NEAR is the share of the lines walked over, named or not.
 */
#include "timing.h"

enum { WAYS = 9, ROUNDS_MAX = 10000, OTHERS_BYTES = 4 << 20, WALK_MAX = 4096 };
enum { NOTHING, NEAR, LOADS = 0, RESTORED = 8 };

static const char *const names[WAYS] = {
	"nothing",
	"near",
	"loads_by_address",
	"prefetched_by_address",
	"twice_by_address",
	"loads_scattered",
	"prefetched_scattered",
	"twice_scattered",
	"restored",
};

static volatile uint64_t sink;
static char *memory, *others;
static size_t bytes, walk, named;
static void **position;
static uintptr_t *order[2]; /* the named lines: by address, scattered */
static struct cache_log_table *table;
static struct cache_log_statistics statistics;
static double brought[WAYS][ROUNDS_MAX], walked[WAYS][ROUNDS_MAX];

static void read_all(const char *from, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i += CACHE_LOG_LINE)
		sum += *(const volatile uint64_t *)(from + i);
	sink = sum;
}

/* Asks for the lines in `passes` passes of prefetches; 0: by loads. */
static void bring(const uintptr_t *lines, size_t count, int passes)
{
	uint64_t sum = 0;

	for (size_t i = 0; passes == LOADS && i < count; i++)
		sum += *(const volatile uint64_t *)lines[i];
	for (; passes > 0; passes--) {
		for (size_t i = 0; i < count; i++)
			cache_log_prefetch_line(lines[i]);
	}
	sink = sum;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *values, size_t count)
{
	qsort(values, count, sizeof(double), ascending);
	return values[count / 2];
}

static void make_table(void)
{
	size_t room = CACHE_LOG_TABLE_BYTES(named), slots = 64;
	uint64_t *notes = map(named * sizeof(uint64_t));

	while (slots < 2 * named)
		slots *= 2;
	table = map(room);
	for (size_t i = 0; i < named; i++)
		notes[i] = cache_log_entry(order[1][i], 1);
	if (cache_log_table_create(table, room, 0, 0) != CACHE_LOG_OK)
		exit(2);
	cache_log_table_fill(table, notes, named, CACHE_LOG_OLDEST_FIRST, false, map(slots * sizeof(uint64_t)), slots);
}

static void set_up(uint64_t percent)
{
	size_t lines = bytes / CACHE_LOG_LINE;

	walk = lines < WALK_MAX ? lines : WALK_MAX;
	memory = map(bytes);
	others = map(OTHERS_BYTES);
	position = make_cycle(memory, lines);
	for (int i = 0; i < 2; i++)
		order[i] = map(lines * sizeof(uintptr_t));
	for (size_t i = 0; i < lines; i++) {
		if (random_word() % 100 < percent)
			order[0][named++] = (uintptr_t)memory + i * CACHE_LOG_LINE;
	}
	for (size_t i = 0; i < named; i++) {
		size_t other = random_word() % (i + 1);

		order[1][i] = order[1][other];
		order[1][other] = order[0][i];
	}
	make_table();
}

static void go_on(size_t steps)
{
	for (; steps > 0; steps--)
		position = *position;
	sink = (uintptr_t)position;
}

static void run(int way, uint64_t round, double per_ns)
{
	uint64_t start, middle;

	read_all(others, OTHERS_BYTES);
	if (way == NEAR)
		go_on(2 * bytes / CACHE_LOG_LINE);
	start = cache_log_ticks();
	if (way == RESTORED)
		cache_log_restore(table, 0, 0, CACHE_LOG_UNLIMITED, &statistics);
	else if (way > NEAR)
		bring(order[(way - 2) / 3], named, (way - 2) % 3);
	middle = cache_log_ticks();
	go_on(walk);
	walked[way][round] = (double)(cache_log_ticks() - middle) / per_ns / (double)walk;
	brought[way][round] = (double)(middle - start) / per_ns / (double)(named ? named : 1);
}

int main(int argc, char **argv)
{
	uint64_t percent, rounds;
	double per_ns, slow, fast;

	if (argc != 5) {
		fprintf(stderr, "bring KIB PERCENT ROUNDS SEED\n");
		return 2;
	}
	bytes = whole_number(argv[1], "KIB", 64, 4095) << 10;
	percent = whole_number(argv[2], "PERCENT", 1, 100);
	rounds = whole_number(argv[3], "ROUNDS", 1, ROUNDS_MAX);
	random_state = whole_number(argv[4], "SEED", 1, UINT32_MAX) * 0x9e3779b97f4a7c15;
	set_up(percent);
	stay_here();
	per_ns = ticks_per_us() / 1000;
	/* Seven and nine have no common divisor, so a round has each way once, beginning with another one each time. */
	for (uint64_t i = 0; i < rounds * WAYS; i++)
		run((int)((i * 7 + i / WAYS) % WAYS), i / WAYS, per_ns);
	slow = median(walked[NOTHING], rounds);
	fast = median(walked[NEAR], rounds);
	for (int way = 0; way < WAYS; way++) {
		double took = median(walked[way], rounds);

		printf("%s %.3f %.3f %.2f\n", names[way], median(brought[way], rounds), took, (slow - took) / (slow - fast));
	}
	return 0;
}
