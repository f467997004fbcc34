// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Logs: notes, the switch in and out of a task in time slices. */
#include "cache_log.h"

/*
 * What a log costs is taken to be the time of making its table and a quarter of the slices that were logged; the next one
 * begins when LOG_SHARE times that has passed. So logging is paid by what it costs here, not by what was thought elsewhere.
 */
enum { NOTES_MIN = 16, LOG_EVERY = 64, LOG_SLICES = 8, LOG_SHARE = 128 };

/* A pass that takes less than this part of the first one's time found the lines there; so many restores then do without it. */
enum { PASS_PART = 3, PASSES_LEARNED_FOR = 16 };

enum cache_log_status cache_log_create(struct cache_log *log, void *memory, size_t bytes, uint64_t owner)
{
	uint32_t notes = NOTES_MIN;
	uint64_t *words = memory;
	enum cache_log_status status;

	*log = (struct cache_log){ .log_every = LOG_EVERY,
				   .log_slices = LOG_SLICES,
				   .passes = 3,
				   .feedback_on = true,
				   .order = CACHE_LOG_OLDEST_FIRST,
				   .budget = CACHE_LOG_UNLIMITED };
	if ((uintptr_t)memory % 8)
		return CACHE_LOG_MISALIGNED;
	if (bytes < CACHE_LOG_BYTES(NOTES_MIN))
		return CACHE_LOG_TOO_SMALL;
	while (2 * notes <= CACHE_LOG_ENTRIES_MAX && CACHE_LOG_BYTES(2 * notes) <= bytes)
		notes *= 2;
	log->notes = (struct cache_log_notes){ .ring = words, .mask = notes - 1 };
	log->seen = words + notes;
	log->seen_slots = 2 * notes;
	log->table = (struct cache_log_table *)(words + 3 * (size_t)notes);
	status = cache_log_table_create(log->table, CACHE_LOG_TABLE_BYTES(notes), owner, 0);
	cache_log_feedback_create(&log->feedback, (uint32_t)owner);
	/* The first slice is logged, or the first probe would have nothing to restore. */
	log->until_log = 1;
	return status;
}

void cache_log_note_range(struct cache_log_notes *notes, const void *address, size_t bytes)
{
	uintptr_t first = (uintptr_t)address >> CACHE_LOG_LINE_SHIFT;
	uintptr_t end = (((uintptr_t)address + bytes - 1) >> CACHE_LOG_LINE_SHIFT) + 1;

	if (!notes->on || bytes == 0)
		return;
	while (first < end) {
		uintptr_t lines = end - first < CACHE_LOG_LINE ? end - first : CACHE_LOG_LINE;

		cache_log_note_entry(notes, cache_log_entry(first << CACHE_LOG_LINE_SHIFT, (unsigned int)lines));
		first += lines;
	}
}

size_t cache_log_notes_straighten(struct cache_log_notes *notes)
{
	size_t count = (size_t)notes->mask + 1, start = notes->noted & notes->mask;
	size_t from[3] = { 0, start, 0 }, to[3] = { start, count, count };

	if (notes->noted < count)
		return notes->noted;
	/* A rotation is three reversals. */
	for (int part = 0; part < 3; part++) {
		for (size_t low = from[part], high = to[part]; low + 1 < high; low++) {
			uint64_t note = notes->ring[low];

			notes->ring[low] = notes->ring[--high];
			notes->ring[high] = note;
		}
	}
	return count;
}

static enum cache_log_status refuse(struct cache_log *log, enum cache_log_status status)
{
	__atomic_fetch_add(&log->statistics.refused[status], 1, __ATOMIC_RELAXED);
	return status;
}

static bool take(struct cache_log *log)
{
	return __atomic_exchange_n(&log->busy, 1, __ATOMIC_ACQUIRE) == 0;
}

static void give(struct cache_log *log)
{
	__atomic_store_n(&log->busy, 0, __ATOMIC_RELEASE);
}

/*
 * Processors drop prefetches when too many misses are under way, some (Zen) and others (Golden Cove) not. A line that is there
 * costs the next pass little but not nothing, so what passes are worth is measured by the time that they take.
 */
static enum cache_log_status restore_in_passes(struct cache_log *log)
{
	unsigned int passes = log->passes;
	uint64_t first = 0, before = log->started;
	enum cache_log_status status = CACHE_LOG_OK;

	if (log->passes_learned_for > 0) {
		log->passes_learned_for--;
		passes = log->passes_enough < passes ? log->passes_enough : passes;
	}
	for (unsigned int pass = 0; pass < passes && status == CACHE_LOG_OK; pass++) {
		uint64_t now, took;

		status = cache_log_restore(log->table, log->table->owner, log->epoch, log->budget, &log->statistics);
		now = cache_log_ticks();
		took = now - before;
		before = now;
		if (pass == 0) {
			first = took;
		} else if (took < first / PASS_PART) {
			log->passes_enough = (uint8_t)pass;
			log->passes_learned_for = PASSES_LEARNED_FOR;
			break;
		}
	}
	return status;
}

enum cache_log_status cache_log_switch_in(struct cache_log *log)
{
	enum cache_log_status status = CACHE_LOG_OFF;

	if (!take(log))
		return refuse(log, CACHE_LOG_BUSY);
	log->started = cache_log_ticks();
	if (!log->feedback_on || log->feedback.restoring)
		status = restore_in_passes(log);
	else
		refuse(log, status);
	if (status == CACHE_LOG_OK)
		log->statistics.ticks += cache_log_ticks() - log->started;
	if (log->until_log > 0)
		log->until_log--;
	/* A log that is longer than the time between two beginnings is ended first. */
	if (log->until_log == 0 && !log->notes.on && log->ran >= log->log_not_before) {
		log->until_log = log->log_every;
		log->notes.noted = 0;
		log->notes.on = 1;
		log->logged_slices = 0;
		log->logging = 0;
	}
	give(log);
	return status;
}

/* A log has ended: notes to a table. */
static void make_table(struct cache_log *log)
{
	struct cache_log_statistics *statistics = &log->statistics;
	uint64_t noted = log->notes.noted;
	size_t count = cache_log_notes_straighten(&log->notes);

	log->notes.on = 0;
	log->table->epoch = log->epoch;
	statistics->notes += noted;
	statistics->notes_lost += noted - count;
	statistics->notes_lost +=
		cache_log_table_fill(log->table, log->notes.ring, count, log->order, log->twice, log->seen, log->seen_slots);
	statistics->tables++;
}

enum cache_log_status cache_log_switch_out(struct cache_log *log, uint64_t work)
{
	uint64_t stopped = cache_log_ticks(), ticks = stopped - log->started;
	bool logged;

	if (!take(log))
		return refuse(log, CACHE_LOG_BUSY);
	logged = log->notes.on;
	log->ran += ticks;
	log->logging += logged ? ticks / 4 : 0;
	if (logged && (++log->logged_slices == log->log_slices || log->notes.noted > log->notes.mask)) {
		make_table(log);
		log->logging += cache_log_ticks() - stopped;
		log->log_not_before = log->ran + LOG_SHARE * log->logging;
	}
	/* A slice that was logged is no fair one, and is left out unless all are; before the first table there is nothing to try. */
	if (log->feedback_on && log->statistics.tables && (!logged || log->log_every <= log->log_slices)) {
		log->statistics.probes += log->feedback.probing;
		cache_log_feedback_slice(&log->feedback, work, ticks);
	}
	give(log);
	return CACHE_LOG_OK;
}

void cache_log_abort(struct cache_log *log)
{
	if (!log->notes.on)
		return;
	log->notes.on = 0;
	log->statistics.notes_lost += log->notes.noted;
	refuse(log, CACHE_LOG_INCOMPLETE);
}

void cache_log_invalidate(struct cache_log *log)
{
	log->epoch++;
	cache_log_abort(log);
}
