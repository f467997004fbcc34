/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of logs: slices, following, full rings, damage. Part of test.c, whose helpers it uses. */
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
	is(log->statistics.notes, 1 + 100 + 1, "notes, with the aborted one");
	is(log->statistics.notes_lost, 36 + 1, "notes lost, with the aborted one");
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

/* Steps of a task that loops over 100 lines. */
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
	is(log->statistics.cut, 1, "restores cut short");
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

/* Each plan keeps to the budget, whose lines are not entries. */
static void check_plans_under_a_budget(void)
{
	struct cache_log *log = new_log(1024);

	assay_case("following notes of three lines");
	log->feedback_on = false;
	log->plan = CACHE_LOG_FOLLOW;
	log->log_slices = 1;
	cache_log_switch_in(log);
	for (uintptr_t i = 0; i < 320; i++)
		cache_log_note_entry(&log->notes, note(4 * i, 3));
	cache_log_switch_out(log, 1);
	log->budget.lines = 10;
	asked_count = 0;
	is_status(cache_log_switch_in(log), CACHE_LOG_OK);
	is(asked_count, 9, "lines asked for at once");
	is(log->statistics.lines, 9, "lines counted");
	is(log->statistics.cut, 1, "restores cut short");
	cache_log_note_entry(&log->notes, note(0, 3));
	is(asked[9], note(4 * 3, 1), "the line that the next note asks for");
	cache_log_switch_out(log, 1);
	/* 960 lines: the quarter is of 80 entries. */
	assay_case("the lines touched last, under a budget of lines");
	log->plan = CACHE_LOG_RECENT;
	asked_count = 0;
	is_status(cache_log_switch_in(log), CACHE_LOG_OK);
	is(asked_count, 10, "lines");
	is(log->statistics.cut, 2, "restores cut short");
	cache_log_switch_out(log, 1);
	log->budget.lines = 240;
	is_status(cache_log_switch_in(log), CACHE_LOG_OK);
	is(log->statistics.cut, 2, "restores cut short");
	cache_log_switch_out(log, 1);
	assay_case("the lines touched last, under a budget of hardly any time");
	log->budget = (struct cache_log_budget){ UINT32_MAX, 1 };
	asked_count = 0;
	is_status(cache_log_switch_in(log), CACHE_LOG_OK);
	/* No clock stands still while 64 entries are asked for. */
	if (asked_count != 3 * 32 && asked_count != 3 * 64)
		assay_fail("asked for %lu lines", (unsigned long)asked_count);
	is(log->statistics.cut, 3, "restores cut short");
	cache_log_switch_out(log, 1);
}

/* A slice that returns to three lines between any two others: 64 notes of 19 lines at most. `line` counts through 70 others. */
static void run_a_slice_of_few_lines(struct cache_log *log, uintptr_t *line)
{
	cache_log_switch_in(log);
	for (unsigned int i = 0; i < 16; i++, (*line)++) {
		for (unsigned int hot = 0; hot < 3; hot++)
			cache_log_note_line(&log->notes, (void *)(0x100000 + (uintptr_t)4096 * hot));
		cache_log_note_line(&log->notes, (void *)(0x200000 + 4096 * (*line * 37 % 70)));
	}
	cache_log_switch_out(log, 1);
}

/* Such a task fills a ring with few lines. The log goes on until a ring adds hardly any, and then has to have all 73. */
static void check_chapters(void)
{
	struct cache_log *log = new_log(128);
	uintptr_t line = 0;

	log->feedback_on = false;
	for (unsigned int slice = 0; log->statistics.tables == 0 && slice < 40; slice++) {
		assay_case("a log of several rings, slice %u", slice);
		run_a_slice_of_few_lines(log, &line);
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

/*
 * Each word of a table's head and some of its entries damaged between two rings of a log, and before a restore: nothing
 * outside of the log's memory is touched (the region's neighbours fault), and the next table is whole. Its owner is not
 * checked: the log knows it from the table's head alone.
 */
static void check_damage_between_chapters(bool twice)
{
	for (size_t word = 0; word < 24; word++) {
		struct cache_log *log = new_log(128);
		uintptr_t line = 0;

		assay_case("a table damaged in word %u between two rings, twice=%u", word, twice);
		log->feedback_on = false;
		log->twice = twice;
		log->log_every = 1;
		for (unsigned int slice = 0; log->chapters == 0 && slice < 40; slice++)
			run_a_slice_of_few_lines(log, &line);
		((uint32_t *)log->table)[word] ^= 0xf0f0f0f0;
		for (unsigned int slice = 0; slice < 120; slice++) {
			log->log_not_before = 0;
			run_a_slice_of_few_lines(log, &line);
		}
		if (log->statistics.tables == 0)
			assay_fail("no table was made");
		is_status(cache_log_table_verify(log->table, CACHE_LOG_TABLE_BYTES(128), log->table->owner, 0), CACHE_LOG_OK);
	}
}

/* A log's table takes as many lines as its ring takes notes, with `twice`, too. */
static void check_twice_in_a_log(void)
{
	struct cache_log *log = new_log(64);

	log->feedback_on = false;
	log->twice = true;
	log->log_slices = log->log_every = 1;
	for (unsigned int slice = 0; slice < 3; slice++) {
		bool same = slice < 2;

		assay_case("a log of lines logged before, slice %u", slice);
		log->log_not_before = 0;
		cache_log_switch_in(log);
		/* Of the third log's lines half are new, and the last of these is noted twice. */
		for (unsigned int i = 0; i < 63; i++)
			cache_log_note_line(&log->notes, (void *)(uintptr_t)note(same ? i : 2 * i, 1));
		cache_log_note_line(&log->notes, (void *)(uintptr_t)note(same ? 63 : 124, 1));
		cache_log_switch_out(log, 1);
		is(log->table->lines, same ? 64 : 32, "lines");
		is(log->statistics.notes_lost, same ? 0 : 32, "notes lost");
		is(cache_log_entry_address(log->table->entries[0]), note(0, 1), "the line touched longest ago");
	}
}

/* A table whose restore takes most of a slice is not restored in full again. */
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
