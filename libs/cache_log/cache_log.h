/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Cache log and restore, in software: a task notes which lines of memory it touches; when it is switched in again, they are
 * prefetched before it asks for them. Freestanding C11, no allocation, no global state.
 *
 * What POWER8's micro-partition prefetch engine logged by itself, a program has to say: no instruction lists a cache.
 * Who knows what a task touches says it (ranges, objects, the lines of a walk); the library keeps the last of these notes,
 * makes a table of them at the switch, and prefetches by the table at the next one.
 *
 * Words. Line: CACHE_LOG_LINE bytes, aligned. Entry: 64 bits, the address of a first line with the number of lines behind it
 * in the low bits, so one entry covers up to CACHE_LOG_LINE lines. Notes: the ring of entries that the running task leaves.
 * Table: what was made of the notes, with a head that tells whose it is and of which epoch. Slice: from a switch in to the
 * next switch out. Ticks: of the machine's own time counter.
 *
 * A table is a hint. Whatever is wrong with it (stale, corrupt, another task's, addresses that are no longer mapped) costs
 * an opportunity and a counter in the statistics; a prefetch never faults and never changes memory.
 *
 * Threads: a log belongs to one task. Two processors that switch the same task at once are kept apart (the second does
 * nothing and counts `busy`); notes are left by the task itself, which runs on one processor at a time.
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

/* The running check of a table's entries: order and every bit count. */
static inline uint64_t cache_log_check_add(uint64_t check, uint64_t entry)
{
	return (check << 5 | check >> 59) ^ entry;
}

/* ------------------------------------------------------------------ tables */

/* Complete, and being written: a table that was left in the middle is told by its head. */
#define CACHE_LOG_COMPLETE 0x43614c31u
#define CACHE_LOG_WRITING 0x43614c77u

enum { CACHE_LOG_ENTRIES_MAX = 65535 };

#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc99-extensions"
#endif

/* The head of a table; `entries_max` entries follow it. Multiple of 8 bytes, and so has its address to be. */
struct cache_log_table {
	uint32_t magic;
	uint32_t epoch; /* of the address space that the addresses are of */
	uint64_t owner; /* whose they are: anything that tells tasks apart, such as an address */
	uint64_t check; /* cache_log_check_add over the entries, from cache_log_check_start */
	uint32_t lines;
	uint16_t entries_count, entries_max;
	__extension__ uint64_t entries[]; /* C's array without a length, which C++ has by courtesy */
};

#ifdef __clang__
#pragma clang diagnostic pop
#endif

/* The bytes of a table with room for so many entries. */
#define CACHE_LOG_TABLE_BYTES(entries) (sizeof(struct cache_log_table) + 8 * (size_t)(entries))

/* The check's first value holds the head, so that a changed head is found, too. */
static inline uint64_t cache_log_check_start(const struct cache_log_table *table)
{
	return table->owner * 0x9e3779b97f4a7c15 ^ ((uint64_t)table->epoch << 32 | table->lines) ^
	       (uint64_t)table->entries_count << 17;
}

enum cache_log_status {
	CACHE_LOG_OK,
	CACHE_LOG_TOO_SMALL, /* memory without room for a head and one entry, or not what a head says */
	CACHE_LOG_MISALIGNED, /* memory at no multiple of 8 */
	CACHE_LOG_EMPTY, /* nothing has been logged yet */
	CACHE_LOG_INCOMPLETE, /* logging was left in the middle, or never begun: no head of ours */
	CACHE_LOG_FOREIGN, /* another task's */
	CACHE_LOG_STALE, /* of an earlier epoch */
	CACHE_LOG_CORRUPT, /* the check does not hold */
	CACHE_LOG_NO_BUDGET, /* a budget of zero */
	CACHE_LOG_BUSY, /* another processor switches this task now */
	CACHE_LOG_OFF, /* feedback found that it does not pay */
	CACHE_LOG_STATUSES
};

/* The status in a few words, for messages. */
const char *cache_log_status_text(enum cache_log_status status);

/* How much a restore may do. What runs out first ends it. */
struct cache_log_budget {
	uint32_t lines; /* at most so many lines; 0 allows nothing */
	uint64_t ticks; /* about so many ticks, looked at every 32 entries; 0 allows nothing */
};

#ifdef __cplusplus
#define CACHE_LOG_UNLIMITED (cache_log_budget{ UINT32_MAX, UINT64_MAX })
#else
#define CACHE_LOG_UNLIMITED ((struct cache_log_budget){ UINT32_MAX, UINT64_MAX })
#endif

/* All counters only grow, and wrap. */
struct cache_log_statistics {
	uint64_t notes, notes_lost; /* left by the task; those that the ring had no room for or that were dropped */
	uint64_t tables; /* made of notes */
	uint64_t restores, lines; /* switches in that prefetched, and the lines asked for */
	uint64_t cut; /* restores that the budget ended */
	uint64_t ticks; /* spent in switches in that restored */
	uint64_t probes; /* slices that feedback spent on finding out */
	uint64_t refused[CACHE_LOG_STATUSES]; /* by status: what was not done, and why */
};

/* Makes an empty table of memory. OK, TOO_SMALL (also where it is NULL) or MISALIGNED. Room beyond 65535 entries is left alone. */
enum cache_log_status cache_log_table_create(void *memory, size_t bytes, uint64_t owner, uint32_t epoch);

/* Says whether memory that came from somewhere holds a whole table; reads it all, trusts nothing in it. */
enum cache_log_status cache_log_table_verify(const void *memory, size_t bytes, uint64_t owner, uint32_t epoch);

enum cache_log_order {
	CACHE_LOG_RECENT_FIRST, /* last touched, first restored: what a least-recently-used cache would have kept longest */
	CACHE_LOG_OLDEST_FIRST, /* in the order of touching: for tasks that go round */
	CACHE_LOG_BY_ADDRESS, /* neighbours merged: the shortest table, and kind to DRAM pages */
};

/*
 * Fills a table from notes, oldest first: each line once. `twice` keeps only lines that the table held before, the
 * intersection of two logs: what is touched once and never again is not worth a prefetch. `seen` is scratch room of
 * `seen_slots` words, a power of two and at least twice the lines that the table shall take (fewer: fewer lines are taken).
 * Lines beyond the table's room are dropped, the least recently noted first; their number is returned.
 */
size_t cache_log_table_fill(struct cache_log_table *table, const uint64_t *notes, size_t notes_count,
			    enum cache_log_order order, bool twice, uint64_t *seen, size_t seen_slots);

/*
 * Adds notes, oldest first, to what a table holds, which is in the order of touching (CACHE_LOG_OLDEST_FIRST): their lines
 * become the last touched, the others stay before them. Where there is no room for all, those touched longest ago are
 * dropped. `seen` as above. Returns by how many lines there would be more, were there room: 0 if all had been noted before.
 */
size_t cache_log_table_add(struct cache_log_table *table, const uint64_t *notes, size_t notes_count, uint64_t *seen,
			   size_t seen_slots);

/* The quarter and the sixteenth of a table's lines that were touched last: where its entries are. */
enum cache_log_parts { CACHE_LOG_QUARTER, CACHE_LOG_SIXTEENTH, CACHE_LOG_PARTS };

struct cache_log_part {
	uint16_t first, count; /* entries */
};

/*
 * Brings a table in the order of touching into another one, neighbours merged, and says where its parts are; a part stays
 * together also by address. `other` has room for as many words as there are lines.
 */
void cache_log_table_arrange(struct cache_log_table *table, enum cache_log_order order, struct cache_log_part *parts,
			     uint64_t *other);

/*
 * Prefetches a table's lines in its order, within the budget. Refuses what is not a complete table of this owner and epoch
 * and a budget of zero. Entries are checked while they are used, so that checking costs nothing: a corrupt table is found at
 * the end of the first whole restore, emptied, and told as CORRUPT. `statistics` may not be NULL.
 */
enum cache_log_status cache_log_restore(struct cache_log_table *table, uint64_t owner, uint32_t epoch,
					struct cache_log_budget budget, struct cache_log_statistics *statistics);

/* ------------------------------------------------------------------ the two loops with variants of their own */

/*
 * Prefetches the lines of `count` entries in order, `lines_max` at most. Returns how many it asked for. `*check` goes on by
 * cache_log_check_add for each entry that was done in full. The variants differ in the instruction.
 */
uint64_t cache_log_prefetch(const uint64_t *entries, size_t count, uint64_t lines_max, uint64_t *check);

/*
 * The lines of `notes`, each once, most recently noted first, one line an entry; within a note the last line counts as the
 * most recent. Stops when `lines_max` are found or seen_slots is half full, whichever is first; returns their number.
 */
size_t cache_log_compact(const uint64_t *notes, size_t notes_count, uint64_t *lines, size_t lines_max, uint64_t *seen,
			 size_t seen_slots);

/* ------------------------------------------------------------------ feedback: does it pay? */

/*
 * Compares slices with restoring and slices without it by the work that they got done, in pairs in random order, and
 * decides by a sign test. `work` is any count that grows with what the task achieves (requests, rows, iterations); a task
 * that has none must not use feedback. Restoring has to win by a margin, so that where nothing is to be gained it ends off.
 * Of several ways to restore each challenges the best so far, the first one not restoring at all.
 */
struct cache_log_feedback {
	uint32_t restoring; /* how the coming slice is to restore, 0: not at all; look here */
	uint32_t plans; /* ways to restore that there are: 1 to this are tried */
	uint32_t best, challenger;
	uint32_t probing; /* whether it is finding out */
	uint32_t until_probe; /* slices until the next probe */
	uint32_t wait; /* slices that the next rest takes: doubles while the verdict stays */
	uint32_t won, lost, dropped; /* pairs of this duel */
	uint32_t second; /* whether the pair's first slice is over */
	uint32_t random;
	uint64_t work_first, ticks_first;
	uint32_t verdict; /* the last one */
};

/* Begins with a probe. */
void cache_log_feedback_create(struct cache_log_feedback *feedback, uint32_t seed);

/* A slice is over that took so many ticks, restoring included, and got so much work done. */
void cache_log_feedback_slice(struct cache_log_feedback *feedback, uint64_t work, uint64_t ticks);

/* ------------------------------------------------------------------ notes: what the running task touches */

/* What a note does besides being left, bits of `on`. */
enum {
	CACHE_LOG_NOTING = 1, /* it goes into the ring */
	CACHE_LOG_ASKING = 2, /* it asks for the next entry of those that are to be asked for, one for each note */
	CACHE_LOG_FOLLOWING = 4, /* where it is the next of the ring's notes again, it asks for the one some way behind it */
	CACHE_LOG_TRACKING = 8, /* the same, but it asks for nothing: so that the place is known when it follows again */
};

struct cache_log_notes {
	uint64_t *ring;
	uint32_t mask; /* notes in the ring, less one: a power of two, less one */
	uint32_t on; /* what notes do now; 0: nothing, and they cost a look at this */
	uint64_t noted; /* since the beginning of this log; the ring has the last of them */
	const uint64_t *next, *end; /* entries still to be asked for */
	/* Following: the ring's first `count` notes are in the order of touching, and behind the last comes the one at `back`. */
	uint32_t count, back;
	uint32_t place, asked; /* the note that was left last, and the next to be asked for */
	uint32_t strays; /* notes of this slice that were not the next */
	uint64_t last; /* the last note, while notes follow or are tracked */
};

/* A note that is not the next one: looks a few further. */
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

/* Asks for the next entries of those that are to be asked for, so many at most. */
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

/* A note, once it is known that notes do anything. */
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

/* This line. For walks: a look while notes do nothing; a store and an addition while they go into the ring. */
static inline void cache_log_note_line(struct cache_log_notes *notes, const void *address)
{
	if (notes->on)
		cache_log_note_entry(notes, cache_log_entry((uintptr_t)address, 1));
}

/* These bytes. */
void cache_log_note_range(struct cache_log_notes *notes, const void *address, size_t bytes);

static inline void cache_log_note(struct cache_log_notes *notes, const void *address, size_t bytes)
{
	if (notes->on)
		cache_log_note_range(notes, address, bytes);
}

/* For who makes tables of notes without a log: from here on notes go into the ring, and no longer do. */
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
 * The running task has what it needs and computes for a while: the place to ask for what another task needs, if a scheduler
 * looks ahead. Where a switch waits for all before it, as one that was mispredicted does, what is asked for next to it makes
 * it wait until the last line's page is found; here nobody waits.
 */
static inline void cache_log_lull(struct cache_log_notes *notes)
{
	if (notes->next != notes->end)
		cache_log_ask(notes, SIZE_MAX);
}

/* This object: CACHE_LOG_NOTE(&log->notes, *node). */
#define CACHE_LOG_NOTE(notes, object) cache_log_note((notes), &(object), sizeof(object))

/* Turns the ring so that the oldest note that it has comes first; returns how many it has. */
size_t cache_log_notes_straighten(struct cache_log_notes *notes);

/* ------------------------------------------------------------------ logs: a task in time slices */

/* How a slice is begun. */
enum cache_log_plan_of_slices {
	CACHE_LOG_NOTHING,
	CACHE_LOG_WHOLE_TABLE, /* all of the table, in its order, before the task goes on */
	/*
	 * The notes of the log in the order of touching, from where the task stands: some at once, then one with each note that
	 * is the next one again. For tasks that go round, whose next lines are those touched longest ago: the order in which a
	 * least-recently-used cache misses.
	 */
	CACHE_LOG_FOLLOW,
	/* The table's lines that were touched last, for tasks that come back to them in slices too short for the whole table. */
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
	uint32_t log_slices; /* slices that one log is of at most; it ends before when full rings bring hardly a new line */
	uint32_t until_log, logged_slices;
	uint32_t chapters; /* rings of this log that are in the table already */
	uint32_t too_long; /* restores running that took more than half a slice */
	uint32_t enough; /* lines that can be asked for in half a slice, as far as is known */
	struct cache_log_part parts[CACHE_LOG_PARTS]; /* of the table */
	uint8_t passes; /* how often a restore goes through its lines: what one pass had dropped, the next one asks for */
	bool feedback_on;
	enum cache_log_plan_of_slices plan; /* without feedback */
	enum cache_log_order order;
	bool twice;
	struct cache_log_budget budget; /* of what is asked for at once; following asks for a line more with each note */
	uint32_t seek_not; /* switches in for which the place is not sought: it was not among the notes */
	uint64_t started; /* ticks at the switch in */
	uint64_t slice; /* ticks of a slice, about: later ones count for more */
	uint64_t logging; /* ticks that the last log is taken to have cost */
	uint64_t ran, log_not_before; /* the task's own time, and at which of it the next log may begin */
	struct cache_log_feedback feedback;
	struct cache_log_statistics statistics;
};

/* The memory that a log with a ring of so many notes (a power of two) wants: ring, table of as many lines, scratch room. */
#define CACHE_LOG_BYTES(notes) (8 * (size_t)(notes) + CACHE_LOG_TABLE_BYTES(notes) + 16 * (size_t)(notes))

/*
 * Makes a log over memory of the caller's, for the largest power of two of notes that fits. TOO_SMALL below 16 notes, and where memory is
 * NULL.
 * A log is of up to 32 slices, and no more than logging's share of 1/128 of the time allows; the table is oldest first, restored
 * in one pass, without limit; feedback chooses among the plans. Change these fields
 * before the first switch.
 */
enum cache_log_status cache_log_create(struct cache_log *log, void *memory, size_t bytes, uint64_t owner);

/* Before the task goes on: restores, unless feedback says no. OK, or why nothing was done. */
enum cache_log_status cache_log_switch_in(struct cache_log *log);

/* After it stopped: makes a table if a log has ended, and lets feedback learn from the slice. */
enum cache_log_status cache_log_switch_out(struct cache_log *log, uint64_t work);

/* Drops what was noted in this log: no table is made of it, the one before stays. As logmpp's abort. */
void cache_log_abort(struct cache_log *log);

/* The task's address space changed (memory was given back, a process replaced): what is logged is stale from now on. */
void cache_log_invalidate(struct cache_log *log);

/* ------------------------------------------------------------------ look-ahead: schedulers that know who runs next */

/*
 * How far ahead it looks, in activations. A processor drops prefetches when too many misses are in flight (AMD's Zen from
 * about the tenth on), or waits with what follows until it can take the next (Intel's Golden Cove from the seventeenth
 * on). Against the first, a task is looked at several times at growing nearness: of what one look got the next asks nothing.
 * Against both, a look is paced: the running task's own notes ask, one entry a note, while it waits for what it computes; or
 * it asks for all of them in a lull that it knows of.
 */
struct cache_log_plan {
	uint8_t looks[4]; /* at the tasks that run so many activations from now, one after the other; ends at 0 */
	uint8_t paced; /* and at this one by what the running task does; what is left when the next task is switched in, then */
	uint8_t far; /* the task whose table itself is prefetched */
	bool lull; /* paced: all in a lull of the running task (cache_log_lull), and not an entry with each note */
};

/* The plans that are tried in turn. Which is best depends on the processor, the tasks, and who else is there. */
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

/* A trial runs every plan for several stretches of activations in turn; the one with the least median time is chosen. */
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
 * `on` is the caller's: nothing is done while it is false.
 */
struct cache_log_ahead {
	bool on;
	uint32_t table_bytes; /* of one task's table */
	uint64_t looks, lines, refused;
	struct cache_log_notes *notes; /* that the tasks leave */
	struct cache_log_plan plan; /* the one in force */
	uint32_t left; /* activations until the trial goes on; 0: this plan for ever */
	struct cache_log_trial trial;
	uint64_t paced[CACHE_LOG_PACED_MAX];
};

/* Begins with a trial. `notes` are those that the tasks leave; one scheduler's tasks leave theirs in one place. */
void cache_log_ahead_create(struct cache_log_ahead *ahead, uint32_t table_bytes, struct cache_log_notes *notes);

/* This plan from now on, and no trial. */
void cache_log_ahead_fix(struct cache_log_ahead *ahead, enum cache_log_plans plan);

/* The scheduler did something else (it waited for events): the stretch that is being timed begins anew. */
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

/* The entries that may be used. */
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

/* Lets the running task ask. The entries are copied, so that a task may end, table and all, while they are asked for. */
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
