// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Logs: notes, the switch in and out of a task in time slices. */
#include "cache_log.h"

/*
 * The cost of a log is taken to be the time of making its table and of a quarter of each logged slice (of all of it where
 * logging kept the task from being followed); the next log begins when LOG_SHARE times that has passed. So how often a task is
 * logged depends on what logging costs on this machine.
 */
enum { NOTES_MIN = 16, LOG_EVERY = 64, LOG_SLICES = 32, LOG_SHARE = 128 };

/*
 * Following: UNDER_WAY notes are prefetched at once, and as many stay in flight ahead of the task; where the task left out
 * notes, LOOK_OVER are searched; after a search that did not find the task's place, the next SEEK_NOT switches in do without
 * one.
 */
enum { UNDER_WAY = 32, LOOK_OVER = 8, SEEK_NOT = 8 };

/* A log goes on after a full ring if that added more than 1/GROWN_PART of the table's lines. */
enum { GROWN_PART = 4 };

/* After so many successive restores of more than half a slice the table is too long for a slice. */
enum { TOO_LONG = 2 };

/* Where ticks are limited, the clock is read every so many entries. */
enum { ENTRIES_BETWEEN_LOOKS = 32 };

/* A slice's weight in the running mean of slices is 1/SLICES_MEAN. */
enum { SLICES_MEAN = 8 };

enum cache_log_status cache_log_create(struct cache_log *log, void *memory, size_t bytes, uint64_t owner)
{
	uint32_t notes = NOTES_MIN;
	uint64_t *words = memory;
	enum cache_log_status status;

	*log = (struct cache_log){ .log_every = LOG_EVERY,
				   .log_slices = LOG_SLICES,
				   .passes = 1,
				   .enough = UINT32_MAX,
				   .feedback_on = true,
				   .plan = CACHE_LOG_WHOLE_TABLE,
				   .order = CACHE_LOG_OLDEST_FIRST,
				   .budget = CACHE_LOG_UNLIMITED };
	if ((uintptr_t)memory % 8)
		return CACHE_LOG_MISALIGNED;
	if (!memory || bytes < CACHE_LOG_BYTES(NOTES_MIN))
		return CACHE_LOG_TOO_SMALL;
	while (2 * notes <= CACHE_LOG_ENTRIES_MAX && CACHE_LOG_BYTES(2 * notes) <= bytes)
		notes *= 2;
	log->notes = (struct cache_log_notes){ .ring = words, .mask = notes - 1 };
	log->seen = words + notes;
	log->seen_slots = 2 * notes;
	log->table = (struct cache_log_table *)(words + 3 * (size_t)notes);
	status = cache_log_table_create(log->table, CACHE_LOG_TABLE_BYTES(notes), owner, 0);
	cache_log_feedback_create(&log->feedback, (uint32_t)owner);
	log->feedback.plans = CACHE_LOG_SLICE_PLANS;
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

/* A damaged head may claim more memory than the log has. */
static bool is_of_our_size(const struct cache_log *log)
{
	return log->table->entries_max == log->notes.mask + 1;
}

/*
 * Restores the whole table, `passes` times. With feedback, a table that takes more than half a slice is cut to what half a
 * slice takes: it could hardly gain more than that, and would cost as much in each slice that tries it. It has to take that
 * long TOO_LONG times in succession, since a single restore may have been interrupted.
 */
static enum cache_log_status restore_whole(struct cache_log *log)
{
	struct cache_log_budget budget = log->budget;
	uint64_t before = log->statistics.lines;
	enum cache_log_status status = CACHE_LOG_OK;

	if (!is_of_our_size(log))
		return refuse(log, CACHE_LOG_CORRUPT);
	budget.lines = budget.lines < log->enough ? budget.lines : log->enough;
	for (unsigned int pass = 0; pass < log->passes && status == CACHE_LOG_OK; pass++) {
		uint64_t took;

		status = cache_log_restore(log->table, log->table->owner, log->epoch, budget, &log->statistics);
		took = cache_log_ticks() - log->started;
		if (!log->feedback_on || took <= log->slice / 2) {
			log->too_long = 0;
		} else if (++log->too_long == TOO_LONG) {
			log->enough = (uint32_t)((log->statistics.lines - before) * (log->slice / 2) / took) + 1;
			log->too_long = 0;
			break;
		}
	}
	return status;
}

void cache_log_stray(struct cache_log_notes *notes, uint64_t entry)
{
	uint32_t place = notes->place;

	if (notes->ring[place] == entry)
		return;
	if (++notes->strays > UNDER_WAY) {
		/* A task that no longer follows its log is not tracked: each of its notes would cost a search of the ring. */
		if (notes->on & CACHE_LOG_TRACKING) {
			notes->on &= ~(uint32_t)CACHE_LOG_TRACKING;
			notes->last = 0;
		}
		return;
	}
	for (unsigned int i = 0; i < LOOK_OVER; i++) {
		place = cache_log_notes_after(notes, place);
		if (notes->ring[place] == entry) {
			notes->place = place;
			return;
		}
	}
}

/* Finds the place of the last note in the ring, if it is there: from the old place on, since tasks move forward. */
static bool seek(struct cache_log_notes *notes)
{
	for (uint32_t i = 0, place = notes->place; i < notes->count; i++) {
		if (notes->ring[place] == notes->last) {
			notes->place = place;
			return true;
		}
		place = place + 1 == notes->count ? 0 : place + 1;
	}
	return false;
}

static enum cache_log_status follow(struct cache_log *log)
{
	struct cache_log_notes *notes = &log->notes;
	uint32_t ahead = notes->count / 2 < UNDER_WAY ? notes->count / 2 : UNDER_WAY;
	uint64_t lines = 0;

	if (notes->count < 2)
		return CACHE_LOG_EMPTY;
	if (log->table->epoch != log->epoch)
		return CACHE_LOG_STALE;
	if (notes->last == 0)
		return CACHE_LOG_EMPTY;
	if (notes->ring[notes->place] != notes->last) {
		if (log->seek_not > 0) {
			log->seek_not--;
			return CACHE_LOG_EMPTY;
		}
		if (!seek(notes)) {
			log->seek_not = SEEK_NOT;
			return CACHE_LOG_EMPTY;
		}
	}
	notes->asked = notes->place;
	for (uint32_t i = 0; i < ahead; i++) {
		uint32_t next = cache_log_notes_after(notes, notes->asked);
		uint64_t entry = notes->ring[next];

		if (lines + cache_log_entry_lines(entry) > log->budget.lines) {
			log->statistics.cut++;
			break;
		}
		lines += cache_log_entry_lines(entry);
		cache_log_prefetch_entry(entry);
		notes->asked = next;
	}
	notes->asked = cache_log_notes_after(notes, notes->asked);
	log->statistics.restores++;
	log->statistics.lines += lines;
	return CACHE_LOG_OK;
}

/* Asks for entries within the budget, and adds the lines to `*lines`. Says whether the budget ended it. */
static bool ask_within(const uint64_t *entries, size_t count, struct cache_log_budget budget, uint64_t *lines)
{
	bool timed = budget.ticks != UINT64_MAX;
	uint64_t started = timed ? cache_log_ticks() : 0, left = budget.lines, whole = 0, check = 0;
	size_t done = 0;

	while (done < count && left > 0) {
		size_t now = timed && count - done > ENTRIES_BETWEEN_LOOKS ? ENTRIES_BETWEEN_LOOKS : count - done;

		if (done > 0 && cache_log_ticks() - started >= budget.ticks)
			break;
		left -= cache_log_prefetch(entries + done, now, left, &check);
		done += now;
	}
	*lines += budget.lines - left;
	for (size_t i = 0; left == 0 && i < count; i++)
		whole += cache_log_entry_lines(entries[i]);
	return done < count || whole > budget.lines;
}

/* Restores the lines touched last. A part of a table is not checked: what is wrong in it only costs useless prefetches. */
static enum cache_log_status recent(struct cache_log *log, enum cache_log_parts which)
{
	const struct cache_log_table *table = log->table;
	struct cache_log_part part = log->parts[which];
	bool cut = false;

	if (part.count == 0)
		return CACHE_LOG_EMPTY;
	if (__atomic_load_n(&table->magic, __ATOMIC_ACQUIRE) != CACHE_LOG_COMPLETE)
		return CACHE_LOG_INCOMPLETE;
	if (part.first + part.count > table->entries_count)
		return CACHE_LOG_TOO_SMALL;
	if (table->epoch != log->epoch)
		return CACHE_LOG_STALE;
	for (unsigned int pass = 0; pass < log->passes; pass++)
		cut |= ask_within(table->entries + part.first, part.count, log->budget, &log->statistics.lines);
	log->statistics.cut += cut;
	log->statistics.restores++;
	return CACHE_LOG_OK;
}

static void begin_log(struct cache_log *log)
{
	log->until_log = log->log_every;
	log->notes.count = 0;
	log->logged_slices = 0;
	log->logging = 0;
	log->chapters = 0;
	cache_log_notes_begin(&log->notes);
}

/* The log itself has been evicted, too: to prefetch all of it at once costs one wait instead of several. */
static void bring(const struct cache_log *log)
{
	for (size_t i = 0; i < sizeof(*log); i += CACHE_LOG_LINE)
		__builtin_prefetch((const char *)log + i);
}

enum cache_log_status cache_log_switch_in(struct cache_log *log)
{
	struct cache_log_notes *notes = &log->notes;
	enum cache_log_status status = CACHE_LOG_OFF;
	uint32_t plan;

	bring(log);
	if (!take(log))
		return refuse(log, CACHE_LOG_BUSY);
	log->started = cache_log_ticks();
	if (log->until_log > 0)
		log->until_log--;
	/* A log of more than log_every slices is ended before the next begins. */
	if (log->until_log == 0 && !(notes->on & CACHE_LOG_NOTING) && log->ran >= log->log_not_before)
		begin_log(log);
	plan = log->feedback_on ? log->feedback.restoring : log->plan;
	/* During a new log the ring is in no order that could be followed. */
	if (plan == CACHE_LOG_FOLLOW && notes->count == 0)
		plan = CACHE_LOG_NOTHING;
	/* Without a budget the table is not read: its head would be a cache miss. */
	if (plan != CACHE_LOG_NOTHING && (log->budget.lines == 0 || log->budget.ticks == 0))
		status = refuse(log, CACHE_LOG_NO_BUDGET);
	else if (plan == CACHE_LOG_WHOLE_TABLE)
		status = restore_whole(log);
	else if (plan == CACHE_LOG_FOLLOW)
		status = follow(log);
	else if (plan != CACHE_LOG_NOTHING)
		status = recent(log, plan == CACHE_LOG_RECENT ? CACHE_LOG_QUARTER : CACHE_LOG_SIXTEENTH);
	if (status == CACHE_LOG_OK)
		log->statistics.ticks += cache_log_ticks() - log->started;
	else if (plan != CACHE_LOG_WHOLE_TABLE && status != CACHE_LOG_NO_BUDGET)
		refuse(log, status);
	notes->on &= CACHE_LOG_NOTING;
	notes->strays = 0;
	if (plan == CACHE_LOG_FOLLOW)
		notes->on |= status == CACHE_LOG_OK ? CACHE_LOG_FOLLOWING : CACHE_LOG_TRACKING;
	else if (log->feedback_on && log->feedback.plans >= CACHE_LOG_FOLLOW && notes->count &&
		 (log->feedback.probing || log->feedback.until_probe <= 2))
		notes->on |= CACHE_LOG_TRACKING;
	give(log);
	return status;
}

/* Sets what follows the ring's last note: what followed its previous occurrence, or the first note if there was none. */
static void order_notes(struct cache_log_notes *notes, uint32_t count)
{
	notes->count = count;
	notes->back = 0;
	if (count == 0)
		return;
	notes->place = count - 1;
	notes->last = notes->ring[count - 1];
	for (uint32_t i = count - 1; i-- > 0;) {
		if (notes->ring[i] == notes->last) {
			notes->back = i + 1;
			return;
		}
	}
}

/*
 * Adding to a table relies on its head and entries, so a table that has been damaged meanwhile is emptied. Says whether it is
 * intact.
 */
static bool table_left(struct cache_log *log)
{
	struct cache_log_table *table = log->table;
	enum cache_log_status status =
		cache_log_table_verify(table, CACHE_LOG_TABLE_BYTES(log->notes.mask + 1), table->owner, log->epoch);

	if (status == CACHE_LOG_OK && is_of_our_size(log))
		return true;
	table->entries_count = 0;
	return false;
}

/*
 * The ring is full or the log has had its slices: its notes go into the table. A task that returns to some lines more often
 * than to others fills a ring with few of them, so the log goes on while the table grows; until it ends, the table is in the
 * order of touching. Says whether the log is over.
 */
static bool end_chapter(struct cache_log *log)
{
	struct cache_log_statistics *statistics = &log->statistics;
	struct cache_log_table *table = log->table;
	uint64_t noted = log->notes.noted;
	bool full = noted > log->notes.mask;
	size_t count = cache_log_notes_straighten(&log->notes), grown;

	cache_log_notes_end(&log->notes);
	statistics->notes += noted;
	statistics->notes_lost += noted - count;
	if (log->chapters > 0 && !table_left(log)) {
		refuse(log, CACHE_LOG_CORRUPT);
		log->chapters = 0;
	}
	if (log->chapters++ == 0) {
		if (log->twice)
			table_left(log);
		table->epoch = log->epoch;
		table->entries_max = (uint16_t)(log->notes.mask + 1);
		statistics->notes_lost += cache_log_table_fill(table, log->notes.ring, count, CACHE_LOG_OLDEST_FIRST,
							       log->twice, log->seen, log->seen_slots);
		grown = table->lines;
	} else {
		grown = cache_log_table_add(table, log->notes.ring, count, log->seen, log->seen_slots);
	}
	if (full && !log->twice && log->logged_slices < log->log_slices && table->lines < table->entries_max &&
	    grown > table->lines / GROWN_PART) {
		cache_log_table_arrange(table, CACHE_LOG_OLDEST_FIRST, log->parts, log->seen);
		cache_log_notes_begin(&log->notes);
		return false;
	}
	cache_log_table_arrange(table, log->order, log->parts, log->seen);
	order_notes(&log->notes, (uint32_t)count);
	log->enough = UINT32_MAX;
	log->too_long = 0;
	statistics->tables++;
	return true;
}

enum cache_log_status cache_log_switch_out(struct cache_log *log, uint64_t work)
{
	uint64_t stopped = cache_log_ticks(), ticks = stopped - log->started;
	bool logged;

	if (!take(log))
		return refuse(log, CACHE_LOG_BUSY);
	logged = log->notes.on & CACHE_LOG_NOTING;
	log->ran += ticks;
	log->slice = log->slice ? log->slice - log->slice / SLICES_MEAN + ticks / SLICES_MEAN : ticks;
	/* Notes cost a quarter of a slice at most; if the slice was to follow and could not, all of it counts as lost. */
	if (logged)
		log->logging += (log->feedback_on ? log->feedback.restoring : log->plan) == CACHE_LOG_FOLLOW ? ticks :
													       ticks / 4;
	if (logged && (++log->logged_slices == log->log_slices || log->notes.noted > log->notes.mask)) {
		bool over = end_chapter(log);

		log->logging += cache_log_ticks() - stopped;
		if (over)
			log->log_not_before = log->ran + LOG_SHARE * log->logging;
	}
	/* A logged slice is slower: left out, unless all are logged. Before the first table there is nothing to compare. */
	if (log->feedback_on && log->statistics.tables && (!logged || log->log_every <= log->log_slices)) {
		log->statistics.probes += log->feedback.probing;
		cache_log_feedback_slice(&log->feedback, work, ticks);
	}
	give(log);
	return CACHE_LOG_OK;
}

void cache_log_abort(struct cache_log *log)
{
	if (!(log->notes.on & CACHE_LOG_NOTING))
		return;
	log->notes.on = 0;
	log->notes.count = 0;
	log->statistics.notes += log->notes.noted;
	log->statistics.notes_lost += log->notes.noted;
	refuse(log, CACHE_LOG_INCOMPLETE);
}

void cache_log_invalidate(struct cache_log *log)
{
	log->epoch++;
	cache_log_abort(log);
}
