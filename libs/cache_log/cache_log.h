/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Cache log and restore, in software: a task notes which lines of memory it touches; when it is switched in again, they are
 * prefetched before it needs them. Freestanding C11, no allocation, no global state.
 *
 * POWER8's micro-partition prefetch engine logged the lines of a cache by itself; software has no instruction that lists a
 * cache. So the program notes what a task touches (ranges, objects, the lines of a walk); the library keeps the latest of
 * these notes, makes a table of them when the task is switched out, and prefetches by it when the task is switched in again.
 *
 * Words. Line: CACHE_LOG_LINE bytes, aligned. Entry: 64 bits, the address of a first line with the number of lines behind it
 * in the low bits, so one entry covers up to CACHE_LOG_LINE lines. Notes: the ring of entries that the running task writes.
 * Table: the entries made of the notes, behind a head that names the owner and the epoch. To ask for a line or an entry: to
 * prefetch it. Slice: from a switch in to the next switch out. Ticks: of the machine's own time counter.
 *
 * A table is a hint. If anything is wrong with it (stale, corrupt, another task's, addresses that are no longer mapped), the
 * gain is lost and a counter in the statistics says so; a prefetch never faults and never changes memory.
 *
 * Threads: a log belongs to one task. Two processors that switch the same task at once are kept apart (the second does
 * nothing and counts `busy`); notes are written by the task itself, which runs on one processor at a time.
 */
#ifndef CACHE_LOG_H
#define CACHE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CACHE_LOG_LINE ((uintptr_t)1 << CACHE_LOG_LINE_SHIFT)

/* ------------------------------------------------------------------ entries */

/* The entry of up to CACHE_LOG_LINE lines from the one that `address` is in. */
static inline uint64_t cache_log_entry(uintptr_t address, unsigned int lines)
{
	return (address & ~(CACHE_LOG_LINE - 1)) | (lines - 1);
}

static inline uintptr_t cache_log_entry_address(uint64_t entry)
{
	return (uintptr_t)entry & ~(CACHE_LOG_LINE - 1);
}

static inline unsigned int cache_log_entry_lines(uint64_t entry)
{
	return (unsigned int)(entry & (CACHE_LOG_LINE - 1)) + 1;
}

/* The running checksum of a table's entries: it depends on their order and on every bit. */
static inline uint64_t cache_log_check_add(uint64_t check, uint64_t entry)
{
	return (check << 5 | check >> 59) ^ entry;
}

/* ------------------------------------------------------------------ tables */

/* The magic of a complete table and of one being written, by which a table that was left half written is known. */
#define CACHE_LOG_COMPLETE 0x43614c31u
#define CACHE_LOG_WRITING 0x43614c77u

enum { CACHE_LOG_ENTRIES_MAX = 65535 };

#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc99-extensions"
#endif

/* The head of a table; `entries_max` entries follow it. Its size is a multiple of 8 bytes, and its address has to be one. */
struct cache_log_table {
	uint32_t magic;
	uint32_t epoch; /* of the address space that the addresses belong to */
	uint64_t owner; /* whose addresses they are: anything that tells tasks apart, such as an address */
	uint64_t check; /* cache_log_check_add over the entries, from cache_log_check_start */
	uint32_t lines;
	uint16_t entries_count, entries_max;
	__extension__ uint64_t entries[]; /* a flexible array member, in C++ an extension */
};

#ifdef __clang__
#pragma clang diagnostic pop
#endif

/* The bytes of a table with room for that many entries. */
#define CACHE_LOG_TABLE_BYTES(entries) (sizeof(struct cache_log_table) + 8 * (size_t)(entries))

/* The check starts from the head, so that a changed head is found, too. */
static inline uint64_t cache_log_check_start(const struct cache_log_table *table)
{
	return table->owner * 0x9e3779b97f4a7c15 ^ ((uint64_t)table->epoch << 32 | table->lines) ^
	       (uint64_t)table->entries_count << 17;
}

enum cache_log_status {
	CACHE_LOG_OK,
	CACHE_LOG_TOO_SMALL, /* memory without room for a head and one entry, or for what the head says */
	CACHE_LOG_MISALIGNED, /* memory not at a multiple of 8 */
	CACHE_LOG_EMPTY, /* nothing has been logged yet */
	CACHE_LOG_INCOMPLETE, /* logging was interrupted or never begun: the head is not that of a complete table */
	CACHE_LOG_FOREIGN, /* another task's */
	CACHE_LOG_STALE, /* of an earlier epoch */
	CACHE_LOG_CORRUPT, /* the check does not match */
	CACHE_LOG_NO_BUDGET, /* a budget of zero */
	CACHE_LOG_BUSY, /* another processor is switching this task */
	CACHE_LOG_OFF, /* feedback found that it does not pay */
	CACHE_LOG_STATUSES
};

/* The status in a few words, for messages. */
const char *cache_log_status_text(enum cache_log_status status);

/* How much a restore may do. Whichever runs out first ends it. */
struct cache_log_budget {
	uint32_t lines; /* lines at most; 0 allows nothing */
	uint64_t ticks; /* ticks, about: the counter is read every 32 entries; 0 allows nothing */
};

#ifdef __cplusplus
#define CACHE_LOG_UNLIMITED (cache_log_budget{ UINT32_MAX, UINT64_MAX })
#else
#define CACHE_LOG_UNLIMITED ((struct cache_log_budget){ UINT32_MAX, UINT64_MAX })
#endif

/* All counters only grow, and wrap. */
struct cache_log_statistics {
	/*
	 * Notes written by the task, and those overwritten in the ring, aborted, or of a line that `twice` left out. Lines that
	 * a table has no room for are not counted: a table whose `lines` are its `entries_max` may have lost some.
	 */
	uint64_t notes, notes_lost;
	uint64_t tables; /* made of notes */
	uint64_t restores, lines; /* switches in that prefetched, and the lines asked for */
	uint64_t cut; /* restores that the budget ended */
	uint64_t ticks; /* spent in switches in that restored */
	uint64_t probes; /* slices that feedback spent comparing plans */
	uint64_t refused[CACHE_LOG_STATUSES]; /* by status: what was not done, and why */
};

/* Makes an empty table in `memory`. Returns OK, TOO_SMALL (also for NULL) or MISALIGNED. Uses 65535 entries at most. */
enum cache_log_status cache_log_table_create(void *memory, size_t bytes, uint64_t owner, uint32_t epoch);

/* Says whether memory from an untrusted source holds a whole table; reads all of it, trusts nothing in it. */
enum cache_log_status cache_log_table_verify(const void *memory, size_t bytes, uint64_t owner, uint32_t epoch);

enum cache_log_order {
	CACHE_LOG_RECENT_FIRST, /* last touched, first restored: what a least-recently-used cache would have kept longest */
	CACHE_LOG_OLDEST_FIRST, /* in the order of touching: for tasks that loop over their lines */
	CACHE_LOG_BY_ADDRESS, /* neighbours merged: the shortest table, and one that hits open DRAM pages */
};

/*
 * Fills a table from notes, oldest first: each line once. `twice` keeps only lines that the table held before, the
 * intersection of two logs (unless that is empty): a line that is touched once and never again is not worth a prefetch. `seen`
 * is scratch room of `seen_slots` words, a power of two and at least twice the lines that the table is to take (if less, fewer
 * lines are taken). Lines beyond the table's room are dropped, the least recently noted first. Returns the number of lines
 * that `twice` left out, each as often as it was noted.
 */
size_t cache_log_table_fill(struct cache_log_table *table, const uint64_t *notes, size_t notes_count,
			    enum cache_log_order order, bool twice, uint64_t *seen, size_t seen_slots);

/*
 * Adds notes, oldest first, to a table in the order of touching (CACHE_LOG_OLDEST_FIRST): their lines become the last
 * touched, behind all others. If there is no room for all lines, those touched longest ago are dropped. `seen` as above; if it
 * is too small, the lines noted last are taken. Returns by how many of the lines taken the table would have grown with enough
 * room: 0 if all of them were in it before.
 */
size_t cache_log_table_add(struct cache_log_table *table, const uint64_t *notes, size_t notes_count, uint64_t *seen,
			   size_t seen_slots);

/* Parts of a table: the quarter and the sixteenth of its lines that were touched last. */
enum cache_log_parts { CACHE_LOG_QUARTER, CACHE_LOG_SIXTEENTH, CACHE_LOG_PARTS };

struct cache_log_part {
	uint16_t first, count; /* entries */
};

/*
 * Brings a table from the order of touching into `order`, with neighbours merged, and says where its parts are; a part stays
 * contiguous even in the order of addresses. `other` is scratch room of as many words as the table has lines.
 */
void cache_log_table_arrange(struct cache_log_table *table, enum cache_log_order order, struct cache_log_part *parts,
			     uint64_t *other);

/*
 * Prefetches a table's lines in its order, within the budget. Refuses what is not a complete table of this owner and epoch
 * and a budget of zero. Entries are checked while their lines are prefetched, which costs nothing: a corrupt table is found
 * at the end of the first whole restore, marked INCOMPLETE, and reported as CORRUPT. `statistics` may not be NULL.
 */
enum cache_log_status cache_log_restore(struct cache_log_table *table, uint64_t owner, uint32_t epoch,
					struct cache_log_budget budget, struct cache_log_statistics *statistics);

/* ------------------------------------------------------------------ the two loops with variants of their own */

/*
 * Prefetches the lines of `count` entries in order, `lines_max` at most. Returns how many it asked for. cache_log_check_add
 * adds each entry whose lines were all asked for to `*check`. The variants differ in the instruction.
 */
uint64_t cache_log_prefetch(const uint64_t *entries, size_t count, uint64_t lines_max, uint64_t *check);

/*
 * Writes the lines of `notes` to `lines`, each once, most recently noted first, one line per entry; within a note the last line
 * counts as the most recent. Stops when `lines_max` are found or `seen` is half full, whichever is first; returns their number.
 */
size_t cache_log_compact(const uint64_t *notes, size_t notes_count, uint64_t *lines, size_t lines_max, uint64_t *seen,
			 size_t seen_slots);

/* ------------------------------------------------------------------ feedback: does it pay? */

/*
 * Compares slices with restoring and slices without it by the work that they got done, in pairs in random order, and
 * decides by a sign test. `work` is any count that grows with what the task achieves (requests, rows, iterations); a task
 * without such a count must not use feedback. Restoring has to win by a margin, so it ends switched off if it gains nothing.
 * Each plan, that is each way to restore, challenges the best so far; the first best is not to restore at all.
 */
struct cache_log_feedback {
	uint32_t restoring; /* the plan of the next slice, 0: not to restore; read this */
	uint32_t plans; /* the number of plans: 1 to this are tried */
	uint32_t best, challenger;
	uint32_t probing; /* whether plans are being compared */
	uint32_t until_probe; /* slices until the next probe */
	uint32_t wait; /* slices that the next rest takes: doubles while the verdict stays */
	uint32_t won, lost, dropped; /* pairs of this duel */
	uint32_t second; /* whether the pair's first slice is over */
	uint32_t random;
	uint64_t work_first, ticks_first;
	uint32_t verdict; /* the best plan of the last probe */
};

/* Begins with a probe. */
void cache_log_feedback_create(struct cache_log_feedback *feedback, uint32_t seed);

/* To be called after each slice, with the work that it got done and the ticks that it took, restoring included. */
void cache_log_feedback_slice(struct cache_log_feedback *feedback, uint64_t work, uint64_t ticks);

/* ------------------------------------------------------------------ notes: what the running task touches */

/* What a note does: bits of `on`. */
enum {
	CACHE_LOG_NOTING = 1, /* it goes into the ring */
	CACHE_LOG_ASKING = 2, /* it asks for one of the entries that are still to be asked for */
	CACHE_LOG_FOLLOWING = 4, /* if it is again the next of the ring's notes, it asks for the note some way ahead of it */
	CACHE_LOG_TRACKING = 8, /* as FOLLOWING, but it asks for nothing: so the place is known when following begins again */
};

struct cache_log_notes {
	uint64_t *ring;
	uint32_t mask; /* notes in the ring, which are a power of two, less one */
	uint32_t on; /* what a note does now; 0: nothing but test this */
	uint64_t noted; /* since the beginning of this log; the ring has the last of them */
	const uint64_t *next, *end; /* entries still to be asked for */
	/* Following: the ring's first `count` notes are in the order of touching; the one at `back` comes after the last. */
	uint32_t count, back;
	uint32_t place, asked; /* where in the ring the last note is, and the next to be asked for */
	uint32_t strays; /* notes of this slice that were not the expected next one */
	uint64_t last; /* the last note, while notes follow or are tracked */
};

/* For a note that is not the expected next one: looks for it a few places further on. */
void cache_log_stray(struct cache_log_notes *notes, uint64_t entry);

static inline uint32_t cache_log_notes_after(const struct cache_log_notes *notes, uint32_t place)
{
	return place + 1 == notes->count ? notes->back : place + 1;
}

/* Prefetches the lines of an entry. */
static inline void cache_log_prefetch_entry(uint64_t entry)
{
	uintptr_t address = cache_log_entry_address(entry);

	cache_log_prefetch_line(address);
	for (unsigned int more = cache_log_entry_lines(entry) - 1; __builtin_expect(more != 0, 0); more--) {
		address += CACHE_LOG_LINE;
		cache_log_prefetch_line(address);
	}
}

/* Asks for the next of the entries that are still to be asked for, `entries` at most. */
static inline void cache_log_ask(struct cache_log_notes *notes, size_t entries)
{
	const uint64_t *next = notes->next, *end = notes->end;

	if ((size_t)(end - next) <= entries)
		notes->on &= ~(uint32_t)CACHE_LOG_ASKING;
	else
		end = next + entries;
	for (; next != end; next++)
		cache_log_prefetch_entry(*next);
	notes->next = next;
}

/* Handles a note; the caller has tested that `on` is not 0. */
static inline void cache_log_note_entry(struct cache_log_notes *notes, uint64_t entry)
{
	if (notes->on & CACHE_LOG_NOTING)
		notes->ring[notes->noted++ & notes->mask] = entry;
	if (notes->on & CACHE_LOG_ASKING)
		cache_log_ask(notes, 1);
	if (notes->on & (CACHE_LOG_FOLLOWING | CACHE_LOG_TRACKING)) {
		uint32_t next = cache_log_notes_after(notes, notes->place);

		notes->last = entry;
		if (notes->ring[next] != entry) {
			cache_log_stray(notes, entry);
			return;
		}
		notes->place = next;
		if (notes->on & CACHE_LOG_FOLLOWING) {
			cache_log_prefetch_entry(notes->ring[notes->asked]);
			notes->asked = cache_log_notes_after(notes, notes->asked);
		}
	}
}

/* Notes this line. For walks: costs a test while notes do nothing, a store and an addition while they go into the ring. */
static inline void cache_log_note_line(struct cache_log_notes *notes, const void *address)
{
	if (notes->on)
		cache_log_note_entry(notes, cache_log_entry((uintptr_t)address, 1));
}

/* Notes the lines of these bytes. */
void cache_log_note_range(struct cache_log_notes *notes, const void *address, size_t bytes);

static inline void cache_log_note(struct cache_log_notes *notes, const void *address, size_t bytes)
{
	if (notes->on)
		cache_log_note_range(notes, address, bytes);
}

/* For callers that make tables of notes without a log: from `begin` to `end` notes go into the ring. */
static inline void cache_log_notes_begin(struct cache_log_notes *notes)
{
	notes->noted = 0;
	notes->on |= CACHE_LOG_NOTING;
}

static inline void cache_log_notes_end(struct cache_log_notes *notes)
{
	notes->on &= ~(uint32_t)CACHE_LOG_NOTING;
}

/*
 * To be called by the running task when it has its data and computes for a while: a good time to ask for another task's lines,
 * if a scheduler looks ahead. Prefetches right before a switch that waits for everything older, as a mispredicted one does,
 * make it wait until the last line's page is translated; here nothing waits for them.
 */
static inline void cache_log_lull(struct cache_log_notes *notes)
{
	if (notes->next != notes->end)
		cache_log_ask(notes, SIZE_MAX);
}

/* Notes an object: CACHE_LOG_NOTE(&log->notes, *node). */
#define CACHE_LOG_NOTE(notes, object) cache_log_note((notes), &(object), sizeof(object))

/* Rotates the ring so that its oldest note comes first; returns the number of its notes. */
size_t cache_log_notes_straighten(struct cache_log_notes *notes);

/* ------------------------------------------------------------------ logs: a task in time slices */

/* How a slice begins. */
enum cache_log_plan_of_slices {
	CACHE_LOG_NOTHING,
	CACHE_LOG_WHOLE_TABLE, /* all of the table, in its order, before the task goes on */
	/*
	 * The notes of the log in the order of touching, from the task's place on: some at once, then one with each note that
	 * is again the next one. For tasks that loop, whose next lines are those touched longest ago: the order in which a
	 * least-recently-used cache misses.
	 */
	CACHE_LOG_FOLLOW,
	/* The table's lines that were touched last, for tasks that return to them in slices too short for the whole table. */
	CACHE_LOG_RECENT, /* a quarter of them */
	CACHE_LOG_FEW, /* a sixteenth */
	CACHE_LOG_SLICE_PLANS = CACHE_LOG_FEW
};

struct cache_log {
	struct cache_log_notes notes;
	struct cache_log_table *table;
	uint64_t *seen;
	uint32_t seen_slots;
	uint32_t epoch;
	uint32_t busy; /* held while a processor switches this task; atomic */
	uint32_t log_every; /* slices from the beginning of one log to that of the next, at least */
	uint32_t log_slices; /* slices of one log at most; it ends earlier when a full ring adds few new lines */
	uint32_t until_log, logged_slices;
	uint32_t chapters; /* rings of this log that are in the table already */
	uint32_t too_long; /* successive restores that took more than half a slice */
	uint32_t enough; /* lines that can be asked for in half a slice, as far as is known */
	struct cache_log_part parts[CACHE_LOG_PARTS]; /* of the table */
	uint8_t passes; /* how often a restore goes through its lines: a pass asks again for what was dropped before */
	bool feedback_on;
	enum cache_log_plan_of_slices plan; /* without feedback */
	enum cache_log_order order;
	bool twice;
	/* Of each pass, and of what following asks for at once; it goes on with an entry for each note. */
	struct cache_log_budget budget;
	uint32_t seek_not; /* switches in without a search for the place, after one that did not find it */
	uint64_t started; /* ticks at the switch in */
	uint64_t slice; /* ticks of a slice: a running mean */
	uint64_t logging; /* ticks that the last log is taken to have cost */
	uint64_t ran, log_not_before; /* the task's own time in ticks, and from when in it the next log may begin */
	struct cache_log_feedback feedback;
	struct cache_log_statistics statistics;
};

/* The bytes that a log with a ring of that many notes (a power of two) needs: ring, table of as many lines, scratch room. */
#define CACHE_LOG_BYTES(notes) (8 * (size_t)(notes) + CACHE_LOG_TABLE_BYTES(notes) + 16 * (size_t)(notes))

/*
 * Makes a log in the caller's memory, with the largest power of two of notes that fits, 32768 at most. Returns TOO_SMALL below
 * 16 notes and for NULL. A log takes up to 32 slices, and logging 1/128 of the task's time at most; the table is oldest first,
 * restored in one pass, without limit; feedback chooses among the plans. The fields for these may be changed before the first
 * switch.
 */
enum cache_log_status cache_log_create(struct cache_log *log, void *memory, size_t bytes, uint64_t owner);

/* Before the task goes on: restores, unless feedback says no. Returns OK, or why nothing was done. */
enum cache_log_status cache_log_switch_in(struct cache_log *log);

/* After the task has stopped: makes a table if a log has ended, and lets feedback learn from the slice. */
enum cache_log_status cache_log_switch_out(struct cache_log *log, uint64_t work);

/*
 * Ends the log and drops the notes in its ring, as logmpp's abort does. The table stays as it is: the one before, or, once a
 * ring of this log has been full, what that made of it.
 */
void cache_log_abort(struct cache_log *log);

/* The task's address space has changed (memory was unmapped, a program replaced): what is logged is stale from now on. */
void cache_log_invalidate(struct cache_log *log);

/* ------------------------------------------------------------------ look-ahead: schedulers that know who runs next */

/*
 * How far ahead it looks, in activations. With too many misses in flight a processor drops prefetches (AMD's Zen from about
 * the tenth on) or stalls until it can take the next one (Intel's Golden Cove from the seventeenth on). Against drops, a task
 * is looked at several times as its turn comes nearer: for lines that one look has brought, the next causes no miss. Against
 * both, a look is paced: the running task's own notes ask, one entry per note, while it waits for its own results; or it asks
 * for all of them in a lull that it announces.
 */
struct cache_log_plan {
	uint8_t looks[4]; /* at the tasks that run this many activations from now, one after the other; ends at 0 */
	uint8_t paced; /* and at this one through the running task's notes; what is left at the next switch is asked for then */
	uint8_t far; /* the task whose table itself is prefetched, counted likewise */
	bool lull; /* paced: all entries in a lull of the running task (cache_log_lull) instead of one with each note */
};

/* The plans that are tried in turn. Which is best depends on the processor, the tasks, and what else runs. */
enum cache_log_plans {
	CACHE_LOG_PLAN_NONE,
	CACHE_LOG_PLAN_1,
	CACHE_LOG_PLAN_2,
	CACHE_LOG_PLAN_4,
	CACHE_LOG_PLAN_8,
	CACHE_LOG_PLAN_PACED_3,
	CACHE_LOG_PLAN_PACED_4,
	CACHE_LOG_PLAN_LULL_1,
	CACHE_LOG_PLANS
};

extern const struct cache_log_plan cache_log_plans[CACHE_LOG_PLANS];

enum { CACHE_LOG_PACED_MAX = 32, CACHE_LOG_TRIAL_STRETCHES = 7 };

/* A trial runs every plan for several stretches of activations in turn; the plan with the least median time is chosen. */
struct cache_log_trial {
	uint64_t ticks[CACHE_LOG_PLANS][CACHE_LOG_TRIAL_STRETCHES];
	uint8_t stretches[CACHE_LOG_PLANS]; /* that have been timed */
	uint8_t chosen, trying, phase;
	uint32_t random, rest; /* activations until the next trial, once this is over */
	uint64_t started, lines; /* ticks at the stretch's beginning, lines asked for before the trial */
	uint64_t trials, changes; /* how many there were, and after how many another plan was chosen */
};

/*
 * A scheduler of many small tasks keeps one of these and a table for each task, and calls cache_log_look at each switch.
 * The caller sets `on`; nothing is done while it is false.
 */
struct cache_log_ahead {
	bool on;
	uint32_t table_bytes; /* of one task's table */
	uint64_t looks, lines, refused;
	struct cache_log_notes *notes; /* that the tasks write */
	struct cache_log_plan plan; /* the one in force */
	uint32_t left; /* activations until the trial goes on; 0: this plan for ever */
	struct cache_log_trial trial;
	uint64_t paced[CACHE_LOG_PACED_MAX];
};

/* Begins with a trial. `notes` are those that the tasks write; all tasks of a scheduler share them. */
void cache_log_ahead_create(struct cache_log_ahead *ahead, uint32_t table_bytes, struct cache_log_notes *notes);

/* Uses this plan from now on, without trials. */
void cache_log_ahead_fix(struct cache_log_ahead *ahead, enum cache_log_plans plan);

/* The scheduler did something else (it waited for events): the stretch that is being timed starts again. */
void cache_log_ahead_pause(struct cache_log_ahead *ahead);

/* What cache_log_look calls when `left` has run out. */
void cache_log_ahead_turn(struct cache_log_ahead *ahead);

static inline void cache_log_look_far(const struct cache_log_ahead *ahead, const struct cache_log_table *table)
{
	uintptr_t line = (uintptr_t)table & ~(CACHE_LOG_LINE - 1), end = (uintptr_t)table + ahead->table_bytes;

	if (!ahead->on)
		return;
	for (; line < end; line += CACHE_LOG_LINE)
		cache_log_prefetch_line(line);
}

/* The number of entries that may be used: 0 if the table is refused. */
static inline unsigned int cache_log_ahead_entries(struct cache_log_ahead *ahead, const struct cache_log_table *table)
{
	unsigned int count = table->entries_count;

	if (table->magic != CACHE_LOG_COMPLETE || CACHE_LOG_TABLE_BYTES(count) > ahead->table_bytes) {
		ahead->refused++;
		return 0;
	}
	ahead->looks++;
	ahead->lines += table->lines;
	return count;
}

static inline void cache_log_look_ahead(struct cache_log_ahead *ahead, const struct cache_log_table *table)
{
	unsigned int count;

	if (!ahead->on)
		return;
	count = cache_log_ahead_entries(ahead, table);
	for (unsigned int i = 0; i < count; i++)
		cache_log_prefetch_entry(table->entries[i]);
}

/* Lets the running task ask. The entries are copied, so that their task and its table may go away before all are asked for. */
static inline void cache_log_look_paced(struct cache_log_ahead *ahead, const struct cache_log_table *table)
{
	struct cache_log_notes *notes = ahead->notes;
	unsigned int count, paced;

	cache_log_ask(notes, SIZE_MAX);
	count = table ? cache_log_ahead_entries(ahead, table) : 0;
	paced = count < CACHE_LOG_PACED_MAX ? count : (unsigned int)CACHE_LOG_PACED_MAX;
	for (unsigned int i = 0; i < paced; i++)
		ahead->paced[i] = table->entries[i];
	for (unsigned int i = paced; i < count; i++)
		cache_log_prefetch_entry(table->entries[i]);
	notes->next = ahead->paced;
	notes->end = ahead->paced + paced;
	if (!ahead->plan.lull)
		notes->on |= CACHE_LOG_ASKING;
}

/* The table of the task that runs `distance` activations after the one that is switched in now; NULL where none is known. */
typedef const struct cache_log_table *cache_log_queue(const void *queue, unsigned int distance);

/* At each switch, before the next task is switched in. `table_in` is inlined where the compiler sees it. */
static inline void cache_log_look(struct cache_log_ahead *ahead, cache_log_queue *table_in, const void *queue)
{
	const struct cache_log_table *table;

	if (!ahead->on)
		return;
	if (ahead->left && --ahead->left == 0)
		cache_log_ahead_turn(ahead);
	if (ahead->plan.far && (table = table_in(queue, ahead->plan.far)))
		cache_log_look_far(ahead, table);
	for (unsigned int i = 0; i < sizeof(ahead->plan.looks) && ahead->plan.looks[i]; i++) {
		table = table_in(queue, ahead->plan.looks[i]);
		if (table)
			cache_log_look_ahead(ahead, table);
	}
	if (ahead->plan.paced)
		cache_log_look_paced(ahead, table_in(queue, ahead->plan.paced));
}

#ifdef __cplusplus
}
#endif

#endif
