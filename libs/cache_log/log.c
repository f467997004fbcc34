// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Logs: notes, the switch in and out of a task in time slices. */
#include "cache_log.h"

/*
 * What a log costs is taken to be the time of making its table and a quarter of the slices that were logged; the next one
 * begins when LOG_SHARE times that has passed. So logging is paid by what it costs here, not by what was thought elsewhere.
 */
enum { NOTES_MIN = 16, LOG_EVERY = 64, LOG_SLICES = 32, LOG_SHARE = 128 };

/*
 * Following: so many notes are prefetched at once and in flight ahead of the task; so many notes are looked over where one
 * was left out; where the task's place was not found, it is not sought for so many switches.
 */
enum { UNDER_WAY = 32, LOOK_OVER = 8, SEEK_NOT = 8 };

/* A log goes on behind a full ring while that made the table longer by more than one line in so many. */
enum { GROWN_PART = 4 };

/* So many restores running that take more than half of a slice are too long for it. */
enum { TOO_LONG = 2 };

/* A slice counts for one in so many of what slices are taken to be. */
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

/* A head that was damaged may speak of more memory than the log has. */
static bool is_of_our_size(const struct cache_log *log)
{
	return log->table->entries_max == log->notes.mask + 1;
}

/*
 * All of the table, as often as `passes` says. With feedback, what a slice is too short for is found out once: it could hardly
 * win back more than half of the slice, and is not to cost each slice that it is tried in. Twice running, since the first time it may have been interrupted.
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
		/* Who goes no way that is known is not looked after further: it would cost each of its notes a look at the ring. */
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

/* The place of the last note in the ring, if it is there: from the old place on, as tasks go on. */
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

	ahead = ahead < log->budget.lines ? ahead : log->budget.lines;
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
		notes->asked = cache_log_notes_after(notes, notes->asked);
		cache_log_prefetch_entry(notes->ring[notes->asked]);
	}
	notes->asked = cache_log_notes_after(notes, notes->asked);
	log->statistics.restores++;
	log->statistics.lines += ahead;
	return CACHE_LOG_OK;
}

/* The lines touched last. A part of a table is not checked: what is wrong in it costs prefetches of nothing. */
static enum cache_log_status recent(struct cache_log *log, enum cache_log_parts which)
{
	const struct cache_log_table *table = log->table;
	struct cache_log_part part = log->parts[which];
	uint64_t check = 0;

	if (part.count == 0)
		return CACHE_LOG_EMPTY;
	if (__atomic_load_n(&table->magic, __ATOMIC_ACQUIRE) != CACHE_LOG_COMPLETE)
		return CACHE_LOG_INCOMPLETE;
	if (part.first + part.count > table->entries_count)
		return CACHE_LOG_TOO_SMALL;
	if (table->epoch != log->epoch)
		return CACHE_LOG_STALE;
	for (unsigned int pass = 0; pass < log->passes; pass++)
		log->statistics.lines += cache_log_prefetch(table->entries + part.first, part.count, log->budget.lines, &check);
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

/* Others have pushed the log itself out, too: all of it at once costs one wait instead of several. */
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
	/* A log that is longer than the time between two beginnings is ended first. */
	if (log->until_log == 0 && !(notes->on & CACHE_LOG_NOTING) && log->ran >= log->log_not_before)
		begin_log(log);
	plan = log->feedback_on ? log->feedback.restoring : log->plan;
	/* While it is logged anew, the ring is in no order. */
	if (plan == CACHE_LOG_FOLLOW && notes->count == 0)
		plan = CACHE_LOG_NOTHING;
	/* Without a budget the table is not looked at: its head would be waited for. */
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

/* What follows the ring's last note: where that one was left before, if it was, what followed it then. */
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
 * What is put into a table that has something already goes by its head and entries: one that was damaged since is begun anew.
 * Says whether there is anything left of it.
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
 * The ring is full, or the log has been of enough slices: notes to the table. A task that comes back to some lines more often
 * than to others fills a ring with few of them, so the log goes on while the table grows; its order is that of touching until
 * then. Says whether the log is over.
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
	/* Notes cost a quarter of a slice at most; where nothing can be followed meanwhile, it is all lost. */
	if (logged)
		log->logging += (log->feedback_on ? log->feedback.restoring : log->plan) == CACHE_LOG_FOLLOW ? ticks :
													       ticks / 4;
	if (logged && (++log->logged_slices == log->log_slices || log->notes.noted > log->notes.mask)) {
		bool over = end_chapter(log);

		log->logging += cache_log_ticks() - stopped;
		if (over)
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
	if (!(log->notes.on & CACHE_LOG_NOTING))
		return;
	log->notes.on = 0;
	log->notes.count = 0;
	log->statistics.notes_lost += log->notes.noted;
	refuse(log, CACHE_LOG_INCOMPLETE);
}

void cache_log_invalidate(struct cache_log *log)
{
	log->epoch++;
	cache_log_abort(log);
}
