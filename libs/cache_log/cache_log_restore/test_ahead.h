/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of looks ahead, paced ones and the trial of plans. Part of test.c, whose helpers it uses. */
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

/* A queue of eight tasks with one table each. */
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
	/* The table is overwritten before all of it was asked for, and the task that runs third from then is not known. */
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
 * A trial of plans whose activations take `costs` hundred ticks and some noise: it has to choose the fastest, or none if none
 * gains anything.
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
			/* Rests are cut short. */
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
