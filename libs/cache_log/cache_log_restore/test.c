/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks and bench of cache_log_restore, and with it of tables, logs and feedback. The library around the variant is
 * compiled in here with a prefetch that writes down the address instead, so that which lines are asked for, and in which
 * order, is seen. (The instruction itself is cache_log_prefetch's, which is checked by itself.)
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

/* A table at the end of the region, so that a read behind it faults, with lines of `bytes` of memory that need not exist. */
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

/* Which lines a table has, as far as these are; each is one entry. */
static void has(const struct cache_log_table *table, const unsigned int *lines, size_t count)
{
	is(table->entries_count, count, "entries");
	is(table->lines, count, "lines");
	for (size_t i = 0; i < count; i++)
		is(table->entries[i], note(lines[i], 1), "line");
	is_status(cache_log_table_verify(table, CACHE_LOG_TABLE_BYTES(table->entries_max), OWNER, EPOCH), CACHE_LOG_OK);
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
	/* 32 entries are done before the clock is looked at; whether it has moved by then is the clock's affair. */
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

/* Each bit of a table turned, one at a time. */
static void check_corrupt(bool quick)
{
	const uint64_t notes[] = { note(1, 1), note(5, 1), note(7, 1), note(30, 1) };
	size_t bits = 8 * CACHE_LOG_TABLE_BYTES(4);

	for (size_t bit = 0; bit < bits; bit += quick ? 3 : 1) {
		struct cache_log_table *table = table_of(4, notes, 4);
		unsigned char *byte = (unsigned char *)table + bit / 8;
		uint64_t corrupt = statistics.refused[CACHE_LOG_CORRUPT];
		enum cache_log_status status;

		/* A longer entries_max would be the caller's own memory's length; verify alone knows better. */
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

/* ------------------------------------------------------------------ logs */

static struct cache_log log_under_test;

static struct cache_log *new_log(size_t notes)
{
	is_status(cache_log_create(&log_under_test, region.end - CACHE_LOG_BYTES(notes), CACHE_LOG_BYTES(notes), OWNER),
		  CACHE_LOG_OK);
	return &log_under_test;
}

static void check_logs(void)
{
	static char object[1000];
	struct cache_log *log = new_log(64);
	uintptr_t first = (uintptr_t)object & ~(CACHE_LOG_LINE - 1);
	uintptr_t lines = ((uintptr_t)object + sizeof(object) - 1) / CACHE_LOG_LINE - first / CACHE_LOG_LINE + 1;

	assay_case("a log of 64 notes");
	log->feedback_on = false;
	log->log_every = 2;
	log->log_slices = 1;
	is_status(cache_log_switch_in(log), CACHE_LOG_EMPTY);
	CACHE_LOG_NOTE(&log->notes, object);
	cache_log_note(&log->notes, object, 0);
	is(log->notes.noted, 1, "notes");
	is_status(cache_log_switch_out(log, 1), CACHE_LOG_OK);
	asked_count = 0;
	is_status(cache_log_switch_in(log), CACHE_LOG_OK);
	is(asked_count, lines, "lines of the object");
	is(asked[0], first, "the object's first line");
	assay_case("a slice that is not logged");
	cache_log_note_line(&log->notes, (void *)0x1000);
	is(log->notes.noted, 1, "notes");
	cache_log_switch_out(log, 1);
	assay_case("a ring that went round");
	log->log_not_before = 0;
	cache_log_switch_in(log);
	for (uintptr_t i = 0; i < 100; i++)
		cache_log_note_line(&log->notes, (void *)(0x100000 + 4096 * i));
	cache_log_switch_out(log, 1);
	asked_count = 0;
	is_status(cache_log_switch_in(log), CACHE_LOG_OK);
	is(asked_count, 64, "the last notes");
	for (uintptr_t i = 0; i < 64; i++)
		is(asked[i], 0x100000 + 4096 * (i + 36), "a line of the last notes");
	is(log->statistics.notes_lost, 36, "notes lost");
	cache_log_switch_out(log, 1);
	assay_case("an abort in the middle of a log");
	log->log_not_before = 0;
	cache_log_switch_in(log);
	cache_log_note_line(&log->notes, (void *)0x9000);
	cache_log_abort(log);
	cache_log_switch_out(log, 1);
	asked_count = 0;
	is_status(cache_log_switch_in(log), CACHE_LOG_OK);
	is(asked_count, 64, "the table before the abort");
	is(log->statistics.refused[CACHE_LOG_INCOMPLETE], 1, "aborts counted");
	assay_case("an address space that changed");
	cache_log_switch_out(log, 1);
	cache_log_invalidate(log);
	is_status(cache_log_switch_in(log), CACHE_LOG_STALE);
	is(log->statistics.refused[CACHE_LOG_STALE], 1, "stale tables counted");
	assay_case("a log that is switched elsewhere at the same time");
	log->busy = 1;
	is_status(cache_log_switch_in(log), CACHE_LOG_BUSY);
	is_status(cache_log_switch_out(log, 1), CACHE_LOG_BUSY);
	is(log->statistics.refused[CACHE_LOG_BUSY], 2, "busy switches counted");
	log->busy = 0;
	assay_case("a log over three slices");
	log = new_log(64);
	log->feedback_on = false;
	log->log_slices = 3;
	for (uintptr_t slice = 0; slice < 3; slice++) {
		is_status(cache_log_switch_in(log), CACHE_LOG_EMPTY);
		cache_log_note_line(&log->notes, (void *)(0x1000 * slice));
		cache_log_switch_out(log, 1);
	}
	asked_count = 0;
	is_status(cache_log_switch_in(log), CACHE_LOG_OK);
	is(asked_count, 3, "lines");
	cache_log_switch_out(log, 1);
	log->passes = 2;
	asked_count = 0;
	is_status(cache_log_switch_in(log), CACHE_LOG_OK);
	is(asked_count, 6, "lines of two passes");
	assay_case("memory for a log");
	is_status(cache_log_create(&log_under_test, region.start, CACHE_LOG_BYTES(16) - 1, OWNER), CACHE_LOG_TOO_SMALL);
	is_status(cache_log_create(&log_under_test, region.start + 4, 4000, OWNER), CACHE_LOG_MISALIGNED);
}

static void check_look_ahead(void)
{
	const uint64_t notes[] = { note(3, 2), note(9, 1) };
	struct cache_log_table *table = table_of(8, notes, 2);
	struct cache_log_ahead ahead = { .on = true, .table_bytes = CACHE_LOG_TABLE_BYTES(8) };
	uintptr_t own = (uintptr_t)table & ~(CACHE_LOG_LINE - 1);
	unsigned int own_lines = (unsigned int)(((uintptr_t)region.end - own + CACHE_LOG_LINE - 1) / CACHE_LOG_LINE);

	assay_case("a look ahead");
	asked_count = 0;
	cache_log_look_far(&ahead, table);
	cache_log_look_ahead(&ahead, table);
	is(asked_count, own_lines + 3, "lines of the table itself and of its entries");
	is(asked[0], own, "the table");
	is(asked[own_lines + 2], note(9, 1), "its last line");
	table->entries_count = 9;
	cache_log_look_ahead(&ahead, table);
	is(ahead.refused, 1, "a table longer than tables are");
	table->entries_count = 2;
	table->magic = CACHE_LOG_WRITING;
	cache_log_look_ahead(&ahead, table);
	is(ahead.refused, 2, "a table that is being written");
	ahead.on = false;
	asked_count = 0;
	cache_log_look_far(&ahead, table);
	cache_log_look_ahead(&ahead, table);
	is(asked_count, 0, "lines asked for while it is off");
}

/* A task that goes round 100 lines, logged over 64 of its steps or all, then followed. */
static void go_round(struct cache_log *log, uintptr_t from, uintptr_t steps)
{
	for (uintptr_t i = from; i < from + steps; i++)
		cache_log_note_line(&log->notes, (void *)(0x100000 + 4096 * (i % 100)));
}

static void check_follow(void)
{
	struct cache_log *log = new_log(128);

	assay_case("following a task that goes round");
	log->feedback_on = false;
	log->plan = CACHE_LOG_FOLLOW;
	log->log_slices = 1;
	is_status(cache_log_switch_in(log), CACHE_LOG_OFF);
	go_round(log, 0, 120);
	cache_log_switch_out(log, 1);
	is(log->statistics.tables, 1, "tables");
	asked_count = 0;
	is_status(cache_log_switch_in(log), CACHE_LOG_OK);
	is(asked_count, 32, "lines asked for at once");
	is(asked[0], 0x100000 + 4096 * 20, "the line after the last");
	/* Over the end of the log, twice. */
	go_round(log, 120, 230);
	is(asked_count, 32 + 230, "lines asked for, one a note");
	for (uintptr_t i = 0; i < 230; i++)
		is(asked[i], 0x100000 + 4096 * ((120 + i) % 100), "a line asked for");
	cache_log_switch_out(log, 1);
	assay_case("following a task that leaves its way and comes back");
	is_status(cache_log_switch_in(log), CACHE_LOG_OK);
	cache_log_note_line(&log->notes, (void *)0x7000);
	asked_count = 0;
	go_round(log, 353, 1);
	is(asked_count, 0, "lines asked for by a note that skips three");
	go_round(log, 354, 1);
	is(asked_count, 1, "lines asked for by the next");
	cache_log_switch_out(log, 1);
	assay_case("following a task that is elsewhere, and then elsewhere on its way");
	cache_log_switch_in(log);
	cache_log_note_line(&log->notes, (void *)0x7000);
	cache_log_switch_out(log, 1);
	is_status(cache_log_switch_in(log), CACHE_LOG_EMPTY);
	go_round(log, 40, 2);
	cache_log_switch_out(log, 1);
	log->seek_not = 0;
	asked_count = 0;
	is_status(cache_log_switch_in(log), CACHE_LOG_OK);
	is(asked[0], 0x100000 + 4096 * 42, "the line after the last");
	cache_log_switch_out(log, 1);
	assay_case("following under a budget, and after the memory was given back");
	log->budget.lines = 5;
	asked_count = 0;
	is_status(cache_log_switch_in(log), CACHE_LOG_OK);
	is(asked_count, 5, "lines asked for at once");
	cache_log_switch_out(log, 1);
	log->budget.lines = 0;
	is_status(cache_log_switch_in(log), CACHE_LOG_NO_BUDGET);
	cache_log_switch_out(log, 1);
	log->budget.lines = UINT32_MAX;
	cache_log_invalidate(log);
	is_status(cache_log_switch_in(log), CACHE_LOG_STALE);
	cache_log_switch_out(log, 1);
	assay_case("the lines touched last");
	log->epoch--;
	log->plan = CACHE_LOG_RECENT;
	asked_count = 0;
	is_status(cache_log_switch_in(log), CACHE_LOG_OK);
	is(asked_count, 25, "a quarter of the lines");
	is(asked[0], 0x100000 + 4096 * 95, "the first line of the quarter");
	is(asked[24], 0x100000 + 4096 * 19, "the last line");
	cache_log_switch_out(log, 1);
	log->plan = CACHE_LOG_FEW;
	asked_count = 0;
	is_status(cache_log_switch_in(log), CACHE_LOG_OK);
	is(asked_count, 6, "a sixteenth of the lines");
	is(asked[0], 0x100000 + 4096 * 14, "the first line of the sixteenth");
	cache_log_switch_out(log, 1);
	assay_case("the lines touched last, of a table that is another one by now");
	log->table->entries_count = 99;
	is_status(cache_log_switch_in(log), CACHE_LOG_TOO_SMALL);
	cache_log_switch_out(log, 1);
	log->table->magic = CACHE_LOG_WRITING;
	is_status(cache_log_switch_in(log), CACHE_LOG_INCOMPLETE);
	cache_log_switch_out(log, 1);
	log->epoch++;
	log->table->magic = CACHE_LOG_COMPLETE;
	log->table->entries_count = 100;
	is_status(cache_log_switch_in(log), CACHE_LOG_STALE);
	cache_log_switch_out(log, 1);
}

/*
 * A task that comes back to one line between any two others fills a ring with that: 64 notes of 33 lines. The log goes on
 * until it has hardly more to say: of 70 lines it is to have most.
 */
static void check_chapters(void)
{
	struct cache_log *log = new_log(128);
	uintptr_t line = 0;

	log->feedback_on = false;
	for (unsigned int slice = 0; log->statistics.tables == 0 && slice < 40; slice++) {
		assay_case("a log of several rings, slice %u", slice);
		cache_log_switch_in(log);
		for (unsigned int i = 0; i < 16; i++, line++) {
			for (unsigned int hot = 0; hot < 3; hot++)
				cache_log_note_line(&log->notes, (void *)(0x100000 + (uintptr_t)4096 * hot));
			cache_log_note_line(&log->notes, (void *)(0x200000 + 4096 * (line * 37 % 70)));
		}
		cache_log_switch_out(log, 1);
	}
	is(log->statistics.tables, 1, "tables");
	is(log->table->lines, 73, "lines of all rings");
	is_status(cache_log_table_verify(log->table, CACHE_LOG_TABLE_BYTES(128), OWNER, 0), CACHE_LOG_OK);
	assay_case("a log of several rings that is left in the middle");
	log->log_not_before = 0;
	log->until_log = 1;
	cache_log_switch_in(log);
	cache_log_note_line(&log->notes, (void *)0x9000);
	cache_log_abort(log);
	cache_log_switch_out(log, 1);
	asked_count = 0;
	is_status(cache_log_switch_in(log), CACHE_LOG_OK);
	is(asked_count, 73, "lines of the table before");
	cache_log_switch_out(log, 1);
}

/* What takes most of a slice is not tried at full length again, and a new table is. */
static void check_enough(void)
{
	struct cache_log *log = new_log(1024);

	assay_case("a table that slices are too short for");
	log->log_slices = 1;
	cache_log_switch_in(log);
	for (uintptr_t i = 0; i < 1000; i++)
		cache_log_note_line(&log->notes, (void *)(0x100000 + 4096 * i));
	cache_log_switch_out(log, 1);
	for (unsigned int slice = 0; slice < 3; slice++) {
		log->feedback.restoring = CACHE_LOG_WHOLE_TABLE;
		log->slice = 2;
		asked_count = 0;
		is_status(cache_log_switch_in(log), CACHE_LOG_OK);
		if (slice < 2)
			is(asked_count, 1000, "lines, while it is not known");
		cache_log_switch_out(log, 1);
	}
	if (asked_count > 500)
		assay_fail("asked for %lu lines again", (unsigned long)asked_count);
	is(log->statistics.cut, 1, "restores cut short");
}

/* A queue of eight tasks with one table each; which of them were asked for. */
static struct cache_log_table *queued[8];

static const struct cache_log_table *table_in(const void *queue, unsigned int distance)
{
	return queued[(*(const size_t *)queue + distance) % 8];
}

static void check_paced(void)
{
	static _Alignas(64) uint64_t memory[8][CACHE_LOG_TABLE_BYTES(4) / 8];
	uint64_t ring[16], left[4] = { 0 };
	struct cache_log_notes notes = { .ring = ring, .mask = 15 };
	struct cache_log_ahead ahead;
	size_t at = 0;

	for (unsigned int task = 0; task < 8; task++) {
		for (unsigned int i = 0; i < 4; i++)
			left[i] = note(100 * task + 3 * i, 1);
		queued[task] = (struct cache_log_table *)memory[task];
		cache_log_table_create(queued[task], sizeof(memory[task]), task, 0);
		cache_log_table_fill(queued[task], left, 4, CACHE_LOG_OLDEST_FIRST, false, (uint64_t *)scratch.start, 64);
	}
	assay_case("a paced look");
	cache_log_ahead_create(&ahead, sizeof(memory[0]), &notes);
	cache_log_ahead_fix(&ahead, CACHE_LOG_PLAN_PACED_3);
	asked_count = 0;
	cache_log_look(&ahead, table_in, &at);
	is(asked_count, sizeof(memory[0]) / CACHE_LOG_LINE + (sizeof(memory[0]) % CACHE_LOG_LINE != 0),
	   "lines of the far table");
	for (uintptr_t i = 0; i < 3; i++) {
		asked_count = 0;
		cache_log_note_line(&notes, (void *)(i << 12));
		is(asked_count, 1, "lines that a note asked for");
		is(asked[0], note(300 + 3 * (unsigned int)i, 1), "the line");
	}
	is(notes.noted, 0, "notes in the ring");
	/* The table is gone before all of it was asked for, as is the task that runs third from then. */
	queued[3]->entries[3] = 1;
	at = 1;
	queued[4] = NULL;
	asked_count = 0;
	ahead.plan.far = 0;
	cache_log_look(&ahead, table_in, &at);
	is(asked_count, 1, "lines left to the switch");
	is(asked[0], note(309, 1), "the line that was left");
	asked_count = 0;
	cache_log_note_line(&notes, (void *)0x5000);
	is(asked_count, 0, "lines of a task that nobody knows");
	is(notes.on, 0, "what notes still do");
	assay_case("a look in a lull");
	cache_log_ahead_fix(&ahead, CACHE_LOG_PLAN_LULL_1);
	ahead.plan.far = 0;
	asked_count = 0;
	cache_log_look(&ahead, table_in, &at);
	cache_log_note_line(&notes, (void *)0x5000);
	is(asked_count, 0, "lines before the lull");
	cache_log_lull(&notes);
	is(asked_count, 4, "lines asked for in it");
	is(asked[3], note(209, 1), "the last line");
	cache_log_lull(&notes);
	is(asked_count, 4, "lines after a second one");
	at = 5;
	cache_log_look(&ahead, table_in, &at);
	cache_log_look(&ahead, table_in, &at);
	is(asked_count, 8, "lines of a task that had no lull");
}

/*
 * The trial, with plans whose activations take so many hundred ticks, more or less: it has to choose the fastest, and nothing
 * where nothing is gained.
 */
static void check_trial(void)
{
	static const unsigned int costs[][CACHE_LOG_PLANS + 1] = {
		{ 40, 6, 12, 18, 24, 12, 14, 16, CACHE_LOG_PLAN_1 },
		{ 40, 18, 16, 12, 6, 24, 14, 16, CACHE_LOG_PLAN_8 },
		{ 40, 18, 16, 12, 14, 6, 12, 16, CACHE_LOG_PLAN_PACED_3 },
		{ 40, 18, 16, 12, 14, 16, 12, 6, CACHE_LOG_PLAN_LULL_1 },
		{ 60, 60, 61, 60, 62, 60, 60, 61, CACHE_LOG_PLAN_NONE },
	};
	uint64_t ring[16], left = note(1, 1);

	for (unsigned int i = 0; i < 8; i++)
		queued[i] = table_of(8, &left, 1);
	for (unsigned int c = 0; c < sizeof(costs) / sizeof(costs[0]); c++) {
		struct cache_log_notes notes = { .ring = ring, .mask = 15 };
		struct cache_log_ahead ahead;
		size_t at = 0;

		assay_case("a trial, case %u", c);
		cache_log_ahead_create(&ahead, CACHE_LOG_TABLE_BYTES(8), &notes);
		for (unsigned int steps = 0; ahead.trial.trials < 2 && steps < 1 << 19; steps++) {
			cache_log_look(&ahead, table_in, &at);
			/* A rest is not waited for. */
			if (ahead.trial.phase == RESTING)
				ahead.left = 1;
			trial_clock += costs[c][ahead.trial.trying] * 100 + assay_random_below(200);
			/* Now and then something else runs. */
			if (assay_random_below(4000) == 0)
				trial_clock += 1000000;
		}
		is(ahead.trial.trials, 2, "trials");
		is(ahead.trial.chosen, costs[c][CACHE_LOG_PLANS], "the plan chosen");
	}
	assay_case("a trial without tables");
	{
		struct cache_log_notes notes = { .ring = ring, .mask = 15 };
		struct cache_log_ahead ahead;
		size_t at = 0;

		for (unsigned int i = 0; i < 8; i++)
			queued[i] = NULL;
		cache_log_ahead_create(&ahead, CACHE_LOG_TABLE_BYTES(8), &notes);
		while (ahead.trial.trials == 0)
			cache_log_look(&ahead, table_in, &at);
		is(ahead.left, TRIAL_REST_EMPTY, "activations until it is tried again");
		cache_log_ahead_pause(&ahead);
		is(ahead.trial.phase, RESTING, "phase after a pause in a rest");
	}
}

/*
 * Feedback on slices whose rate with restoring is `gain` percent of that without, with noise of some percent and now and then
 * a slice at a tenth of the speed. All work done, in percent of what never restoring had got done, is compared with what the
 * better of the two would have got.
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
			/* Where much is gained, the probes' slices without it cost some; where little is, it may stay off. */
			least = best <= 110 ? 98 * slices * 100 : slices * best * 93;
			if (done < least)
				assay_fail("got %lu done of %lu", (unsigned long)(done / slices), (unsigned long)(best * 100));
			assay_passed();
		}
	}
}

/* Three plans of several worth: the best has to be found, among slices that vary and others that were interrupted. */
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
	check_parts();
	check_budgets(quick);
	check_wrong_tables();
	check_corrupt(quick);
	check_logs();
	check_look_ahead();
	check_follow();
	check_chapters();
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
