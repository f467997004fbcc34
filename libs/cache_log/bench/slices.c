// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * slices PATTERN KIB SLICE_US EVICT ROUNDS SEED: what a task gets done in slices of fixed wall time, restoring included.
 *
 * PATTERN: chase (a dependent walk round all lines, in random order but always the same), stream (lines one behind the other,
 * each once), search (a balanced tree of scattered nodes, a line each, walked from root to leaf by random keys, again and
 * again, so that what was touched last is likely to be touched next).
 * KIB: the task's memory. EVICT: l3 (between two slices 4 MiB of other memory are read, so that the second level holds nothing
 * of the task and the third everything), none (nothing is read between slices).
 *
 * Ways, in random order in each round, one slice each, all on the same memory:
 *   nothing    no library
 *   restore    cache_log, always restoring the whole table
 *   follow     cache_log, always following the log's notes
 *   recent     cache_log, always restoring the quarter of the table's lines that were touched last
 *   few        cache_log, always restoring the sixteenth that was touched last
 *   feedback   cache_log as it comes, restoring by the plan of these that pays most, if any does
 *   note       cache_log, logging as in the ways above but never restoring: what logging costs where lines are far
 *   loads      no library; each slice begins with reading the task's memory from end to end, which counts: what bringing these
 *              lines takes at least, if the processor drops none and the lines need not be known
 *   warm       no library, and nothing evicted (the memory is read just before the slice): the bound
 *   warm_note  the same with logging: what logging costs where lines are near
 *
 * A slice in which the clock jumped (the system ran something else) is left out, in all ways alike. One line for each way:
 *     WAY STEPS_PER_US SLICES LEFT_OUT RESTORED RESTORE_US
 * but none for loads where reading takes all of the slice: no step is done, so there is no speed.
 * There are up to 32 kinds of slices (by the plan that restored them, logged or not, ended by making a table or not). For each
 * kind the median of speed and the median of time are taken, switch in and out included, and weighted by the number of
 * slices: a mean over the way's life that one interruption cannot move, and that the clock, read every 16 steps, does not
 * make coarse.
 */
#include "timing.h"

enum { NOTHING, RESTORE, FOLLOW, RECENT, FEW, FEEDBACK, NOTE, WARM, WARM_NOTE, LOADS, WAYS };
enum { PLAN = 7, LOGGED = 8, TABLE = 16, KINDS = 32 };
enum { ROUNDS_MAX = 20000, OTHERS_BYTES = 4 << 20, STEPS = 16, JUMP_US = 8, FURTHER = 20 };

static const char *const names[WAYS] = { "nothing",  "restore", "follow", "recent",    "few",
					 "feedback", "note",	"warm",	  "warm_note", "loads" };
/* The plans of the ways without feedback. */
static const enum cache_log_plan_of_slices plans[WAYS] = {
	[RESTORE] = CACHE_LOG_WHOLE_TABLE, [FOLLOW] = CACHE_LOG_FOLLOW,
	[RECENT] = CACHE_LOG_RECENT,	   [FEW] = CACHE_LOG_FEW,
	[NOTE] = CACHE_LOG_WHOLE_TABLE,	   [WARM_NOTE] = CACHE_LOG_WHOLE_TABLE,
};

/* Steps per microsecond, and the microseconds of the slice. */
struct pace {
	double speed, us;
};

struct way {
	double *restore_us;
	struct cache_log log;
	/* Each way is a task of its own and goes on where it was: from a shared position, a log's slices would not join. */
	void **position;
	size_t line_next;
	uint64_t keys;
	struct pace *paces[KINDS];
	size_t counts[KINDS];
	size_t left_out, restored;
};

static struct way ways[WAYS];
static char *memory, *others;
static size_t bytes, lines;
static void **position;
static size_t line_next;
static uint64_t keys;
static enum { CHASE, STREAM, SEARCH } pattern;
static bool evict;
static volatile uint64_t sink;
static double per_us;

static bool takes_notes(int way)
{
	return way != NOTHING && way != WARM && way != LOADS;
}

static void **walk(void **at)
{
	for (int i = 0; i < STEPS; i++)
		at = *at;
	return at;
}

static void **walk_noting(void **at, struct cache_log_notes *notes)
{
	for (int i = 0; i < STEPS; i++) {
		cache_log_note_line(notes, at);
		at = *at;
	}
	return at;
}

static inline __attribute__((always_inline)) void stream(struct cache_log_notes *notes)
{
	uint64_t sum = 0;

	for (int i = 0; i < STEPS; i++) {
		const char *line = memory + line_next * CACHE_LOG_LINE;

		if (notes)
			cache_log_note_line(notes, line);
		sum += *(const volatile uint64_t *)line;
		line_next = line_next + 1 == lines ? 0 : line_next + 1;
	}
	sink = sum;
}

/* From node to node; a leaf's children are the root. */
static inline __attribute__((always_inline)) void search(struct cache_log_notes *notes)
{
	void **at = position;

	for (int i = 0; i < STEPS; i++) {
		if (notes)
			cache_log_note_line(notes, at);
		keys = keys * 6364136223846793005u + 1442695040888963407u;
		at = at[keys >> 63];
	}
	position = at;
}

/* Whether notes do anything is tested once for STEPS of them, so that while they do nothing the steps are a plain loop. */
static void steps(struct cache_log_notes *notes)
{
	bool noting = notes && notes->on;

	if (pattern == CHASE)
		position = noting ? walk_noting(position, notes) : walk(position);
	else if (pattern == STREAM)
		noting ? stream(notes) : stream(NULL);
	else
		noting ? search(notes) : search(NULL);
}

static void read_all(const char *from, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i += CACHE_LOG_LINE)
		sum += *(const volatile uint64_t *)(from + i);
	sink = sum;
}

/* What happens between two slices of the task; it is not timed. */
static void between(int way)
{
	if (way == WARM || way == WARM_NOTE) {
		/* Memory larger than all near caches cannot be brought near. */
		for (int time = 0; time < 2 && bytes <= OTHERS_BYTES; time++)
			read_all(memory, bytes);
	} else if (evict) {
		read_all(others, OTHERS_BYTES);
	}
}

/* Steps until the slice's end; false if the clock jumped. */
static bool work(struct cache_log_notes *notes, uint64_t end, uint64_t *done)
{
	uint64_t last = cache_log_ticks(), jump = (uint64_t)(JUMP_US * per_us);
	bool fair = true;

	while (last < end) {
		uint64_t now;

		steps(notes);
		*done += STEPS;
		now = cache_log_ticks();
		fair &= now - last < jump;
		last = now;
	}
	return fair;
}

/*
 * Returns the ticks of a switch out. Where a table may be made, the thread's processor time is taken: such slices are few, and
 * one that was interrupted there for milliseconds would count for all of them.
 */
static uint64_t switch_out(struct cache_log *log, uint64_t done)
{
	struct timespec before, after;
	uint64_t start = cache_log_ticks();

	if (!(log->notes.on & CACHE_LOG_NOTING)) {
		cache_log_switch_out(log, done);
		return cache_log_ticks() - start;
	}
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
	cache_log_switch_out(log, done);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
	return (uint64_t)(((double)(after.tv_sec - before.tv_sec) * 1e6 + (double)(after.tv_nsec - before.tv_nsec) / 1e3) *
			  per_us);
}

static void slice(int number, double slice_us)
{
	struct way *way = &ways[number];
	struct cache_log *log = takes_notes(number) ? &way->log : NULL;
	uint64_t start, end, restored, done = 0, elapsed, tables = way->log.statistics.tables;
	int kind = 0;
	bool fair;

	between(number);
	position = way->position;
	line_next = way->line_next;
	keys = way->keys;
	start = cache_log_ticks();
	if (log) {
		/* The plan that the switch in is going to use. */
		kind = log->feedback_on ? (int)log->feedback.restoring : log->plan;
		if (cache_log_switch_in(log) != CACHE_LOG_OK)
			kind = 0;
	}
	if (number == LOADS && bytes <= OTHERS_BYTES)
		read_all(memory, bytes);
	restored = cache_log_ticks();
	end = start + (uint64_t)(slice_us * per_us);
	kind |= way->log.notes.on & CACHE_LOG_NOTING ? LOGGED : 0;
	fair = work(log ? &log->notes : NULL, end, &done);
	elapsed = cache_log_ticks() - start;
	if (log)
		elapsed += switch_out(log, done);
	kind |= way->log.statistics.tables > tables ? TABLE : 0;
	way->position = position;
	way->line_next = line_next;
	way->keys = keys;
	if (!fair) {
		way->left_out++;
		return;
	}
	way->paces[kind][way->counts[kind]++] =
		(struct pace){ (double)done * per_us / (double)elapsed, (double)elapsed / per_us };
	if (kind & PLAN)
		way->restore_us[way->restored++] = (double)(restored - start) / per_us;
}

static int slower(const void *a, const void *b)
{
	double x = ((const struct pace *)a)->speed, y = ((const struct pace *)b)->speed;

	return x < y ? -1 : x > y;
}

static int less_time(const void *a, const void *b)
{
	double x = ((const struct pace *)a)->us, y = ((const struct pace *)b)->us;

	return x < y ? -1 : x > y;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void report(int number)
{
	struct way *way = &ways[number];
	double steps_all = 0, us = 0, speed;
	size_t slices = 0;

	for (int kind = 0; kind < KINDS; kind++) {
		size_t count = way->counts[kind];

		if (count == 0)
			continue;
		qsort(way->paces[kind], count, sizeof(struct pace), slower);
		speed = way->paces[kind][count / 2].speed;
		qsort(way->paces[kind], count, sizeof(struct pace), less_time);
		steps_all += (double)count * speed * way->paces[kind][count / 2].us;
		us += (double)count * way->paces[kind][count / 2].us;
		slices += count;
	}
	if (slices == 0) {
		fprintf(stderr, "%s: the clock jumped in each of %zu slices\n", names[number], way->left_out);
		exit(2);
	}
	if (number == LOADS && steps_all == 0)
		return;
	qsort(way->restore_us, way->restored, sizeof(double), ascending);
	printf("%s %.4f %zu %zu %zu %.3f\n", names[number], steps_all / us, slices, way->left_out, way->restored,
	       way->restored ? way->restore_us[way->restored / 2] : 0.0);
}

/* A balanced tree of all lines but one; returns its root. */
static void **make_tree(char *from, size_t count)
{
	void **cycle = make_cycle(from, count), **root;
	void ***nodes = calloc(count, sizeof(*nodes));

	if (!nodes)
		exit(2);
	for (size_t i = 0; i < count; i++, cycle = *cycle)
		nodes[i] = cycle;
	/* As in a heap: the children of node i are 2 i and 2 i + 1. */
	for (size_t i = 0; i < count; i++) {
		nodes[i][0] = i && 2 * i + 1 < count ? nodes[2 * i] : nodes[1];
		nodes[i][1] = i && 2 * i + 1 < count ? nodes[2 * i + 1] : nodes[1];
	}
	root = nodes[1];
	free(nodes);
	return root;
}

static void set_up(const char *name, const char *eviction)
{
	static const char *const patterns[] = { "chase", "stream", "search" };
	size_t notes = 16;

	evict = strcmp(eviction, "l3") == 0;
	for (pattern = CHASE; pattern <= SEARCH && strcmp(patterns[pattern], name) != 0; pattern++)
		;
	if (pattern > SEARCH || (!evict && strcmp(eviction, "none") != 0)) {
		fprintf(stderr, "PATTERN is chase, stream or search, EVICT is l3 or none\n");
		exit(2);
	}
	memory = map(bytes);
	others = map(OTHERS_BYTES);
	lines = bytes / CACHE_LOG_LINE;
	position = pattern == SEARCH ? make_tree(memory, lines) : make_cycle(memory, lines);
	while (notes < lines && notes < 32768)
		notes *= 2;
	for (int way = 0; way < WAYS; way++) {
		struct cache_log *log = &ways[way].log;

		ways[way].position = position;
		ways[way].keys = random_word();
		ways[way].restore_us = malloc(ROUNDS_MAX * sizeof(double));
		if (!ways[way].restore_us)
			exit(2);
		for (int kind = 0; kind < KINDS; kind++) {
			ways[way].paces[kind] = malloc(ROUNDS_MAX * sizeof(struct pace));
			if (!ways[way].paces[kind])
				exit(2);
		}
		if (cache_log_create(log, map(CACHE_LOG_BYTES(notes)), CACHE_LOG_BYTES(notes), (uint64_t)way) != CACHE_LOG_OK)
			exit(2);
		log->feedback_on = way == FEEDBACK;
		log->plan = plans[way];
		if (way == NOTE || way == WARM_NOTE)
			log->budget.lines = 0;
	}
}

/* One slice of each way, in a random order. */
static void each_way_once(double slice_us)
{
	int order[WAYS];

	for (int i = 0; i < WAYS; i++)
		order[i] = i;
	for (int i = WAYS - 1; i >= 0; i--) {
		int other = (int)(random_word() % (uint64_t)(i + 1)), way = order[other];

		order[other] = order[i];
		slice(way, slice_us);
	}
}

/* Whether each way has a slice in which the clock did not jump. */
static bool each_has_one(void)
{
	for (int way = 0; way < WAYS; way++) {
		size_t slices = 0;

		for (int kind = 0; kind < KINDS; kind++)
			slices += ways[way].counts[kind];
		if (slices == 0)
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	double slice_us;
	uint64_t rounds, round;

	if (argc != 7) {
		fprintf(stderr, "slices PATTERN KIB SLICE_US EVICT ROUNDS SEED\n");
		return 2;
	}
	bytes = whole_number(argv[2], "KIB", 4, 1 << 18) << 10;
	slice_us = (double)whole_number(argv[3], "SLICE_US", 1, 1000000);
	rounds = whole_number(argv[5], "ROUNDS", 1, ROUNDS_MAX);
	random_state = whole_number(argv[6], "SEED", 1, UINT32_MAX) * 0x9e3779b97f4a7c15;
	set_up(argv[1], argv[4]);
	stay_here();
	per_us = ticks_per_us();
	for (round = 0; round < rounds; round++)
		each_way_once(slice_us);
	/* A busy machine may disturb all of a short run: it gets more rounds, within reason. */
	for (; round < FURTHER * rounds && round < ROUNDS_MAX && !each_has_one(); round++)
		each_way_once(slice_us);
	for (int i = 0; i < WAYS; i++)
		report(i);
	fprintf(stderr, "feedback: plan %u\n", ways[FEEDBACK].log.feedback.verdict);
	return 0;
}
