/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks and bench of cache_log_restore, and with it of tables, logs and feedback. The library around the variant is
 * compiled in here with a prefetch that records the address instead, so that it is seen which lines are asked for, and in
 * which order. (The instruction itself is cache_log_prefetch's, which is checked by itself.)
 */
#include "assay.h"

#include <stddef.h>
#include <stdint.h>

static uintptr_t asked[1 << 16];
static size_t asked_count;

#define CACHE_LOG_PREFETCH_LINE(address) (asked[asked_count++ % (1 << 16)] = (address))
#include "table.c"
#include "log.c"
#include "feedback.c"
/* The trial of plans is timed by a clock of the test's. */
static uint64_t trial_clock;
#define cache_log_ticks() trial_clock
#include "ahead.c"
#undef cache_log_ticks
#include "cache_log_compact/generic/hashed.c"
#include "cache_log_prefetch/generic/hint.c"

enum cache_log_status cache_log_restore_reference(struct cache_log_table *table, uint64_t owner, uint32_t epoch,
						  struct cache_log_budget budget, struct cache_log_statistics *statistics);

enum { OWNER = 77, EPOCH = 3, NOTES = 300 };

static struct assay_region region, scratch;
static struct cache_log_statistics statistics;

static void is(uint64_t found, uint64_t wanted, const char *what)
{
	if (found != wanted)
		assay_fail("%s: %lu, not %lu", what, (unsigned long)found, (unsigned long)wanted);
	assay_passed();
}

static void is_status(enum cache_log_status found, enum cache_log_status wanted)
{
	if (found != wanted)
		assay_fail("'%s', not '%s'", cache_log_status_text(found), cache_log_status_text(wanted));
	assay_passed();
}

/* A table at the end of the region, so that a read behind it faults, filled from these notes; their lines need not exist. */
static struct cache_log_table *table_of(size_t entries, const uint64_t *notes, size_t notes_count)
{
	void *memory = region.end - CACHE_LOG_TABLE_BYTES(entries);

	is_status(cache_log_table_create(memory, CACHE_LOG_TABLE_BYTES(entries), OWNER, EPOCH), CACHE_LOG_OK);
	if (notes_count)
		cache_log_table_fill(memory, notes, notes_count, CACHE_LOG_OLDEST_FIRST, false, (uint64_t *)scratch.start,
				     2048);
	return memory;
}

/* Restores, and compares with the reference: status, statistics, lines asked for. */
static void restore(struct cache_log_table *table, uint64_t owner, uint32_t epoch, struct cache_log_budget budget,
		    enum cache_log_status wanted)
{
	struct cache_log_statistics expected = statistics;
	uint64_t lines = statistics.lines;
	enum cache_log_status status = cache_log_restore_reference(table, owner, epoch, budget, &expected), own;

	is_status(status, wanted);
	asked_count = 0;
	own = cache_log_restore(table, owner, epoch, budget, &statistics);
	is_status(own, wanted);
	is(statistics.refused[wanted], expected.refused[wanted], "counter of this refusal");
	is(statistics.restores, expected.restores, "restores");
	is(statistics.lines, expected.lines, "lines counted");
	is(statistics.cut, expected.cut, "restores cut short");
	is(asked_count, expected.lines - lines, "lines asked for");
}

static uint64_t note(unsigned int line, unsigned int lines)
{
	return cache_log_entry((uintptr_t)0x7000000000 + line * CACHE_LOG_LINE, lines);
}

static void check_orders(void)
{
	const uint64_t notes[] = { note(9, 1), note(4, 2), note(1, 1), note(9, 1), note(6, 1) };
	static const unsigned int lines[3][5] = { { 6, 9, 1, 5, 4 }, { 4, 5, 1, 9, 6 }, { 1, 4, 5, 6, 9 } };
	static const unsigned int entries[3] = { 5, 4, 3 };

	for (unsigned int order = 0; order < 3; order++) {
		struct cache_log_table *table = table_of(8, NULL, 0);

		assay_case("order %u", order);
		cache_log_table_fill(table, notes, 5, order, false, (uint64_t *)scratch.start, 64);
		is(table->entries_count, entries[order], "entries");
		restore(table, OWNER, EPOCH, CACHE_LOG_UNLIMITED, CACHE_LOG_OK);
		for (unsigned int i = 0; i < 5; i++)
			is(asked[i], note(lines[order][i], 1), "line");
	}
}

/* The intersection of two logs, and what it does where they have nothing in common. */
static void check_twice(void)
{
	const uint64_t first[] = { note(1, 1), note(2, 1), note(3, 1) }, second[] = { note(2, 2), note(8, 1) };
	const uint64_t third[] = { note(20, 1) };
	struct cache_log_table *table = table_of(8, first, 3);

	assay_case("lines logged twice running");
	is(cache_log_table_fill(table, second, 2, CACHE_LOG_BY_ADDRESS, true, (uint64_t *)scratch.start, 64), 1, "dropped");
	is(table->lines, 2, "lines");
	is(table->entries[0], note(2, 2), "entry");
	is(cache_log_table_fill(table, third, 1, CACHE_LOG_BY_ADDRESS, true, (uint64_t *)scratch.start, 64), 0, "dropped");
	is(table->entries[0], note(20, 1), "entry");
}

/* A table has these lines and no others, one per entry. */
static void has(const struct cache_log_table *table, const unsigned int *lines, size_t count)
{
	is(table->entries_count, count, "entries");
	is(table->lines, count, "lines");
	for (size_t i = 0; i < count; i++)
		is(table->entries[i], note(lines[i], 1), "line");
	is_status(cache_log_table_verify(table, CACHE_LOG_TABLE_BYTES(table->entries_max), OWNER, EPOCH),
		  count ? CACHE_LOG_OK : CACHE_LOG_EMPTY);
}

static void check_add(void)
{
	const uint64_t first[] = { note(1, 1), note(10, 3), note(20, 1) };
	const uint64_t again[] = { note(20, 1), note(11, 1), note(30, 1), note(11, 1) };
	const uint64_t many[] = { note(40, 1), note(41, 1), note(42, 1), note(43, 1) };
	struct cache_log_table *table = table_of(8, first, 3);
	uint64_t *seen = (uint64_t *)scratch.start;

	assay_case("notes added to a table");
	is(table->entries_count, 3, "entries");
	is(cache_log_table_add(table, again, 4, seen, 64), 1, "lines more");
	has(table, (const unsigned int[]){ 1, 10, 12, 20, 30, 11 }, 6);
	is(cache_log_table_add(table, again, 4, seen, 64), 0, "lines more of the same notes");
	has(table, (const unsigned int[]){ 1, 10, 12, 20, 30, 11 }, 6);
	assay_case("notes added to a table that has no room for all");
	is(cache_log_table_add(table, many, 4, seen, 64), 4, "lines more");
	has(table, (const unsigned int[]){ 12, 20, 30, 11, 40, 41, 42, 43 }, 8);
	is(cache_log_table_add(table, NULL, 0, seen, 64), 0, "lines more of no notes");
	has(table, (const unsigned int[]){ 12, 20, 30, 11, 40, 41, 42, 43 }, 8);
	assay_case("more notes than the table has room for");
	table = table_of(3, first, 1);
	cache_log_table_add(table, many, 4, seen, 64);
	has(table, (const unsigned int[]){ 41, 42, 43 }, 3);
}

/* Whether the line is one of these. */
static bool among(const unsigned int *lines, size_t count, unsigned int line)
{
	while (count > 0 && lines[count - 1] != line)
		count--;
	return count > 0;
}

enum { ADDED_LINES = 60 };

/*
 * What adding notes has to make of `lines`, the table's, by looking through all of them for each: their lines from the last on,
 * `most` at most, become the last. Returns how many there are then, without regard to the table's room.
 */
static size_t add_naively(unsigned int *lines, size_t count, const uint64_t *notes, size_t notes_count, size_t most)
{
	unsigned int taken[ADDED_LINES];
	size_t taken_count = 0, kept = 0;

	while (notes_count-- > 0) {
		for (unsigned int n = cache_log_entry_lines(notes[notes_count]); n-- > 0;) {
			unsigned int line = (unsigned int)((notes[notes_count] - note(0, 1)) >> CACHE_LOG_LINE_SHIFT) + n;

			if (taken_count < most && !among(taken, taken_count, line))
				taken[taken_count++] = line;
		}
	}
	for (size_t i = 0; i < count; i++) {
		if (!among(taken, taken_count, lines[i]))
			lines[kept++] = lines[i];
	}
	while (taken_count > 0)
		lines[kept++] = taken[--taken_count];
	return kept;
}

/* Tables, notes and `seen` of many sizes, too small ones among them. */
static void check_adds(bool quick)
{
	for (unsigned int round = 0; round < (quick ? 100 : 1000); round++) {
		unsigned int lines[2 * ADDED_LINES], slots = 1u << assay_random_below(8);
		struct cache_log_table *table = table_of(1 + assay_random_below(ADDED_LINES), NULL, 0);
		size_t count = 0;

		assay_case("round %u: notes added to a table of %u with %u slots", round, table->entries_max, slots);
		for (unsigned int chapter = 0; chapter < 4; chapter++) {
			uint64_t notes[ADDED_LINES];
			size_t notes_count = assay_random_below(ADDED_LINES), all, dropped;

			for (size_t i = 0; i < notes_count; i++)
				notes[i] = note(assay_random_below(ADDED_LINES - 2), 1 + assay_random_below(3));
			all = add_naively(lines, count, notes, notes_count, slots / 2);
			is(cache_log_table_add(table, notes, notes_count, (uint64_t *)scratch.start, slots), all - count,
			   "lines more");
			dropped = all > table->entries_max ? all - table->entries_max : 0;
			count = all - dropped;
			for (size_t i = 0; i < count; i++)
				lines[i] = lines[i + dropped];
			has(table, lines, count);
		}
	}
}

/* 32 lines, touched in the order 31, 30, ... 0: the quarter is 7 to 0, the sixteenth 1 and 0. */
static void check_parts(void)
{
	static const struct cache_log_part parts_of[3][CACHE_LOG_PARTS] = {
		[CACHE_LOG_RECENT_FIRST] = { { 0, 2 }, { 0, 1 } },
		[CACHE_LOG_OLDEST_FIRST] = { { 24, 8 }, { 30, 2 } },
		[CACHE_LOG_BY_ADDRESS] = { { 1, 2 }, { 2, 1 } },
	};
	static const unsigned int first_line[3] = { 0, 31, 8 };
	uint64_t notes[32];

	for (unsigned int i = 0; i < 32; i++)
		notes[i] = note(31 - i, 1);
	for (unsigned int order = 0; order < 3; order++) {
		struct cache_log_table *table = table_of(32, notes, 32);
		struct cache_log_part parts[CACHE_LOG_PARTS];

		assay_case("parts in order %u", order);
		cache_log_table_arrange(table, order, parts, (uint64_t *)scratch.start);
		for (unsigned int part = 0; part < CACHE_LOG_PARTS; part++) {
			uint64_t lines = 0;

			is(parts[part].first, parts_of[order][part].first, "first entry");
			is(parts[part].count, parts_of[order][part].count, "entries");
			for (unsigned int i = 0; i < parts[part].count; i++)
				lines += cache_log_entry_lines(table->entries[parts[part].first + i]);
			is(lines, part == CACHE_LOG_QUARTER ? 8 : 2, "lines");
		}
		restore(table, OWNER, EPOCH, CACHE_LOG_UNLIMITED, CACHE_LOG_OK);
		is(asked_count, 32, "lines");
		is(asked[0], note(first_line[order], 1), "first line");
	}
}

static void check_budgets(bool quick)
{
	static uint64_t notes[NOTES];
	struct cache_log_table *table;
	struct cache_log_budget budget = CACHE_LOG_UNLIMITED;

	for (unsigned int i = 0; i < NOTES; i++)
		notes[i] = note(i * 70, 1 + i % 3);
	table = table_of(NOTES * 3, notes, NOTES);
	for (uint32_t lines = 1; lines <= 2 * NOTES + 1; lines += quick ? 37 : 1) {
		assay_case("a budget of %u lines", lines);
		restore(table, OWNER, EPOCH, (struct cache_log_budget){ lines, UINT64_MAX }, CACHE_LOG_OK);
		is(asked[0], note(0, 1), "first line");
	}
	assay_case("a budget of zero");
	restore(table, OWNER, EPOCH, (struct cache_log_budget){ 0, UINT64_MAX }, CACHE_LOG_NO_BUDGET);
	restore(table, OWNER, EPOCH, (struct cache_log_budget){ UINT32_MAX, 0 }, CACHE_LOG_NO_BUDGET);
	assay_case("a budget of much time");
	budget.ticks = (uint64_t)1 << 60;
	restore(table, OWNER, EPOCH, budget, CACHE_LOG_OK);
	assay_case("a budget of hardly any time");
	budget.ticks = 1;
	asked_count = 0;
	is_status(cache_log_restore(table, OWNER, EPOCH, budget, &statistics), CACHE_LOG_OK);
	/* 32 entries are done before the clock is read; whether it has advanced by then depends on the clock. */
	if (asked_count < 32)
		assay_fail("stopped after %lu lines without a look at the clock", (unsigned long)asked_count);
}

static void check_memory(void)
{
	unsigned char *memory = region.start;

	for (size_t bytes = 0; bytes < CACHE_LOG_TABLE_BYTES(3); bytes++) {
		assay_case("a table of %u bytes", bytes);
		is_status(cache_log_table_create(region.end - bytes - bytes % 8 % 2, bytes, OWNER, EPOCH),
			  (uintptr_t)(region.end - bytes - bytes % 8 % 2) % 8 ? CACHE_LOG_MISALIGNED :
			  bytes < CACHE_LOG_TABLE_BYTES(1)		      ? CACHE_LOG_TOO_SMALL :
										CACHE_LOG_OK);
	}
	for (unsigned int offset = 1; offset < 8; offset++) {
		assay_case("memory at %u", offset);
		is_status(cache_log_table_create(memory + offset, 4000, OWNER, EPOCH), CACHE_LOG_MISALIGNED);
		is_status(cache_log_table_verify(memory + offset, 4000, OWNER, EPOCH), CACHE_LOG_MISALIGNED);
	}
}

static void check_wrong_tables(void)
{
	const uint64_t notes[] = { note(1, 1), note(5, 1), note(7, 1), note(30, 1) };
	struct cache_log_table *table = table_of(4, notes, 4);
	size_t bytes = CACHE_LOG_TABLE_BYTES(4);

	assay_case("a right table");
	restore(table, OWNER, EPOCH, CACHE_LOG_UNLIMITED, CACHE_LOG_OK);
	assay_case("an empty table");
	restore(table_of(4, NULL, 0), OWNER, EPOCH, CACHE_LOG_UNLIMITED, CACHE_LOG_EMPTY);
	table = table_of(4, notes, 4);
	assay_case("another task's table");
	restore(table, OWNER + 1, EPOCH, CACHE_LOG_UNLIMITED, CACHE_LOG_FOREIGN);
	assay_case("a stale table");
	restore(table, OWNER, EPOCH + 1, CACHE_LOG_UNLIMITED, CACHE_LOG_STALE);
	assay_case("a table left in the middle of logging");
	table->magic = CACHE_LOG_WRITING;
	restore(table, OWNER, EPOCH, CACHE_LOG_UNLIMITED, CACHE_LOG_INCOMPLETE);
	is_status(cache_log_table_verify(table, bytes, OWNER, EPOCH), CACHE_LOG_INCOMPLETE);
	table = table_of(4, notes, 4);
	assay_case("a table that says it is longer than its memory");
	table->entries_count = 5;
	is_status(cache_log_restore(table, OWNER, EPOCH, CACHE_LOG_UNLIMITED, &statistics), CACHE_LOG_TOO_SMALL);
	table->entries_max = 6;
	is_status(cache_log_table_verify(table, bytes, OWNER, EPOCH), CACHE_LOG_TOO_SMALL);
}

/* A table with a valid check and more lines than it has entries for: notes could not be added to it. */
static void check_too_many_lines(void)
{
	const uint64_t notes[] = { note(1, 1), note(5, 1) };
	struct cache_log_table *table = table_of(4, notes, 2);

	assay_case("a table of 8 lines in 2 entries, with room for 4");
	table->entries[0] = note(1, 4);
	table->entries[1] = note(5, 4);
	table->lines = 8;
	table->check = cache_log_check_start(table);
	for (size_t i = 0; i < 2; i++)
		table->check = cache_log_check_add(table->check, table->entries[i]);
	is_status(cache_log_table_verify(table, CACHE_LOG_TABLE_BYTES(4), OWNER, EPOCH), CACHE_LOG_CORRUPT);
}

/* Each bit of a table flipped, one at a time. */
static void check_corrupt(bool quick)
{
	const uint64_t notes[] = { note(1, 1), note(5, 1), note(7, 1), note(30, 1) };
	size_t bits = 8 * CACHE_LOG_TABLE_BYTES(4);

	for (size_t bit = 0; bit < bits; bit += quick ? 3 : 1) {
		struct cache_log_table *table = table_of(4, notes, 4);
		unsigned char *byte = (unsigned char *)table + bit / 8;
		uint64_t corrupt = statistics.refused[CACHE_LOG_CORRUPT];
		enum cache_log_status status;

		/* Not the counts: a restore takes the memory's length from entries_max, and only verify is told it. */
		if (bit / 8 >= offsetof(struct cache_log_table, entries_count) && bit / 8 < sizeof(*table))
			continue;
		assay_case("bit %u of a table turned", bit);
		*byte ^= 1 << bit % 8;
		if (cache_log_table_verify(table, CACHE_LOG_TABLE_BYTES(4), OWNER, EPOCH) == CACHE_LOG_OK)
			assay_fail("verified a corrupt table");
		asked_count = 0;
		status = cache_log_restore(table, OWNER, EPOCH, CACHE_LOG_UNLIMITED, &statistics);
		if (status == CACHE_LOG_OK)
			assay_fail("restored a corrupt table and did not say so");
		if (status == CACHE_LOG_CORRUPT) {
			is(statistics.refused[CACHE_LOG_CORRUPT], corrupt + 1, "counter of corrupt tables");
			is_status(cache_log_restore(table, OWNER, EPOCH, CACHE_LOG_UNLIMITED, &statistics),
				  CACHE_LOG_INCOMPLETE);
		}
		assay_passed();
	}
}

#include "test_ahead.h"
#include "test_log.h"

/*
 * Feedback on slices whose rate with restoring is `gain` percent of that without, with noise of some percent and now and then
 * a slice at a tenth of the speed. The work done, in percent of what it would be without restoring, is compared with that of
 * the better choice.
 */
static void check_feedback(bool quick)
{
	static const unsigned int gains[] = { 0, 50, 90, 97, 100, 102, 110, 130, 200, 400, 1000 };

	for (unsigned int g = 0; g < sizeof(gains) / sizeof(gains[0]); g++) {
		for (uint32_t seed = 1; seed <= (quick ? 5 : 50); seed++) {
			struct cache_log_feedback feedback;
			uint64_t done = 0, slices = 4000, best = gains[g] > 100 ? gains[g] : 100, least;

			cache_log_feedback_create(&feedback, seed);
			for (uint64_t slice = 0; slice < slices; slice++) {
				uint64_t work = feedback.restoring ? gains[g] * 100 : 10000;

				done += work;
				work += assay_random_below(1 + (uint32_t)work / 25);
				if (assay_random_below(50) == 0)
					work /= 10;
				cache_log_feedback_slice(&feedback, work, 1000000);
			}
			assay_case("feedback gain=%u seed=%u", gains[g], seed);
			/* With a large gain, the probes' slices cost some of it; with a small one, feedback may stay off. */
			least = best <= 110 ? 98 * slices * 100 : slices * best * 93;
			if (done < least)
				assay_fail("got %lu done of %lu", (unsigned long)(done / slices), (unsigned long)(best * 100));
			assay_passed();
		}
	}
}

/* Three plans of different worth: the best has to be found, although slices vary and some are interrupted. */
static void check_choice(bool quick)
{
	static const unsigned int worth[][5] = {
		{ 100, 140, 500, 90, 2 },
		{ 100, 140, 95, 120, 1 },
		{ 100, 60, 70, 125, 3 },
		{ 100, 80, 101, 60, 0 },
	};

	for (unsigned int w = 0; w < sizeof(worth) / sizeof(worth[0]); w++) {
		unsigned int found = 0, tries = quick ? 10 : 100;

		for (uint32_t seed = 1; seed <= tries; seed++) {
			struct cache_log_feedback feedback;

			cache_log_feedback_create(&feedback, seed);
			feedback.plans = 3;
			for (unsigned int slice = 0; feedback.probing && slice < 1000; slice++) {
				uint64_t work = worth[w][feedback.restoring] * 100;

				work += assay_random_below(1 + (uint32_t)work / 25);
				cache_log_feedback_slice(&feedback, work, assay_random_below(10) ? 1000000 : 20000000);
			}
			assay_case("feedback among plans, case %u seed %u", w, seed);
			is(feedback.probing, 0, "whether it still finds out");
			found += feedback.verdict == worth[w][4];
		}
		if (found < tries * 8 / 10)
			assay_fail("found the best plan %u times of %u", found, tries);
		assay_passed();
	}
}

static void check(bool quick)
{
	region = assay_region_new(1 << 16);
	scratch = assay_region_new(1 << 14);
	check_memory();
	check_orders();
	check_twice();
	check_add();
	check_adds(quick);
	check_parts();
	check_budgets(quick);
	check_wrong_tables();
	check_too_many_lines();
	check_corrupt(quick);
	check_logs();
	check_look_ahead();
	check_follow();
	check_plans_under_a_budget();
	check_chapters();
	check_twice_in_a_log();
	check_damage_between_chapters(false);
	check_damage_between_chapters(true);
	check_enough();
	check_paced();
	check_trial();
	check_feedback(quick);
	check_choice(quick);
}

/* ------------------------------------------------------------------ bench */

static uint64_t lines;

static const struct assay_key keys[] = { { .name = "lines", .value = &lines, .min = 1, .max = 65535 } };

static struct cache_log_table *bench_table;

static void set_up(void)
{
	struct assay_region memory = assay_region_new(CACHE_LOG_TABLE_BYTES(lines));
	struct assay_region notes = assay_region_new(8 * lines), seen = assay_region_new(8 << 17);

	for (uint64_t i = 0; i < lines; i++)
		((uint64_t *)notes.start)[i] = note((unsigned int)(i * 3), 1);
	bench_table = (struct cache_log_table *)memory.start;
	cache_log_table_create(bench_table, CACHE_LOG_TABLE_BYTES(lines), OWNER, EPOCH);
	cache_log_table_fill(bench_table, (uint64_t *)notes.start, lines, CACHE_LOG_OLDEST_FIRST, false, (uint64_t *)seen.start,
			     1 << 17);
}

uint64_t assay_bench(uint64_t iterations)
{
	for (; iterations > 0; iterations--)
		cache_log_restore(bench_table, OWNER, EPOCH, CACHE_LOG_UNLIMITED, &statistics);
	return statistics.lines;
}

const struct assay_hotpath assay_hotpath = {
	.name = "cache_log_restore",
	.keys = keys,
	.keys_count = sizeof(keys) / sizeof(keys[0]),
	.check = check,
	.set_up = set_up,
};
