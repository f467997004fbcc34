// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tables: made in the caller's memory, filled from notes, verified when they come from elsewhere. */
#include "cache_log.h"

const char *cache_log_status_text(enum cache_log_status status)
{
	static const char *const texts[CACHE_LOG_STATUSES] = {
		[CACHE_LOG_OK] = "done",
		[CACHE_LOG_TOO_SMALL] = "the memory is too small",
		[CACHE_LOG_MISALIGNED] = "the memory is misaligned",
		[CACHE_LOG_EMPTY] = "nothing has been logged",
		[CACHE_LOG_INCOMPLETE] = "logging did not come to its end",
		[CACHE_LOG_FOREIGN] = "the table is another task's",
		[CACHE_LOG_STALE] = "the table is of an earlier epoch",
		[CACHE_LOG_CORRUPT] = "the table is corrupt",
		[CACHE_LOG_NO_BUDGET] = "the budget is zero",
		[CACHE_LOG_BUSY] = "another processor switches this task",
		[CACHE_LOG_OFF] = "feedback has switched restoring off",
	};

	return (unsigned int)status < CACHE_LOG_STATUSES ? texts[status] : "no status of cache_log";
}

static enum cache_log_status room(const void *memory, size_t bytes)
{
	if ((uintptr_t)memory % _Alignof(struct cache_log_table))
		return CACHE_LOG_MISALIGNED;
	return !memory || bytes < CACHE_LOG_TABLE_BYTES(1) ? CACHE_LOG_TOO_SMALL : CACHE_LOG_OK;
}

enum cache_log_status cache_log_table_create(void *memory, size_t bytes, uint64_t owner, uint32_t epoch)
{
	struct cache_log_table *table = memory;
	enum cache_log_status status = room(memory, bytes);
	size_t entries;

	if (status != CACHE_LOG_OK)
		return status;
	entries = (bytes - sizeof(*table)) / 8;
	table->epoch = epoch;
	table->owner = owner;
	table->lines = 0;
	table->entries_count = 0;
	table->entries_max = entries < CACHE_LOG_ENTRIES_MAX ? (uint16_t)entries : CACHE_LOG_ENTRIES_MAX;
	table->check = cache_log_check_start(table);
	table->magic = CACHE_LOG_COMPLETE;
	return CACHE_LOG_OK;
}

enum cache_log_status cache_log_table_verify(const void *memory, size_t bytes, uint64_t owner, uint32_t epoch)
{
	const struct cache_log_table *table = memory;
	enum cache_log_status status = room(memory, bytes);
	uint64_t check, lines = 0;

	if (status != CACHE_LOG_OK)
		return status;
	if (table->magic != CACHE_LOG_COMPLETE)
		return CACHE_LOG_INCOMPLETE;
	if (table->entries_count > table->entries_max || CACHE_LOG_TABLE_BYTES(table->entries_max) > bytes)
		return CACHE_LOG_TOO_SMALL;
	check = cache_log_check_start(table);
	for (size_t i = 0; i < table->entries_count; i++) {
		check = cache_log_check_add(check, table->entries[i]);
		lines += cache_log_entry_lines(table->entries[i]);
	}
	/* With one line per entry it still has to fit: cache_log_table_add splits it so. */
	if (check != table->check || lines != table->lines || lines > table->entries_max)
		return CACHE_LOG_CORRUPT;
	if (table->owner != owner)
		return CACHE_LOG_FOREIGN;
	if (table->epoch != epoch)
		return CACHE_LOG_STALE;
	return table->entries_count ? CACHE_LOG_OK : CACHE_LOG_EMPTY;
}

/* ------------------------------------------------------------------ filling */

/*
 * Radix sort by the bytes in which the values differ at all: two or three for lines that are close together. `other` has room
 * for as many values.
 */
static void sort(uint64_t *values, uint64_t *other, size_t count)
{
	uint64_t differ = 0;

	for (size_t i = 1; i < count; i++)
		differ |= values[i] ^ values[0];
	for (unsigned int shift = 0; shift < 64; shift += 8) {
		uint32_t place[257] = { 0 };

		if ((differ >> shift & 0xff) == 0)
			continue;
		for (size_t i = 0; i < count; i++)
			place[(values[i] >> shift & 0xff) + 1]++;
		for (unsigned int digit = 0; digit < 256; digit++)
			place[digit + 1] += place[digit];
		for (size_t i = 0; i < count; i++)
			other[place[values[i] >> shift & 0xff]++] = values[i];
		for (size_t i = 0; i < count; i++)
			values[i] = other[i];
	}
}

static void reverse(uint64_t *values, size_t count)
{
	for (size_t low = 0, high = count; low + 1 < high; low++) {
		uint64_t value = values[low];

		values[low] = values[--high];
		values[high] = value;
	}
}

/* Joins entries of one line each that follow each other in memory and in the table; returns how many are left. */
static size_t merge(uint64_t *entries, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (kept > 0) {
			unsigned int lines = cache_log_entry_lines(entries[kept - 1]);
			uintptr_t address = cache_log_entry_address(entries[kept - 1]);

			if (lines < CACHE_LOG_LINE && address + lines * CACHE_LOG_LINE == (uintptr_t)entries[i]) {
				entries[kept - 1]++;
				continue;
			}
		}
		entries[kept++] = entries[i];
	}
	return kept;
}

/* The slot that has the line, or the empty one where it would be. */
static size_t find(const uint64_t *slots, size_t mask, uint64_t line)
{
	size_t slot = (size_t)(line * 0x9e3779b97f4a7c15 >> 32) & mask;

	while (slots[slot] && (slots[slot] | 2) != (line | 3))
		slot = (slot + 1) & mask;
	return slot;
}

/*
 * Puts the lines of these entries into `slots`, from the last on, until they are half full; returns how many there are. With as
 * many slots, cache_log_compact takes the same lines.
 */
static size_t remember(const uint64_t *entries, size_t count, uint64_t *slots, size_t slots_count)
{
	size_t mask = slots_count - 1, left = slots_count / 2;

	for (size_t i = 0; i < slots_count; i++)
		slots[i] = 0;
	for (size_t i = count; i-- > 0 && left;) {
		uint64_t first = cache_log_entry_address(entries[i]);

		for (unsigned int n = cache_log_entry_lines(entries[i]); n-- > 0 && left;) {
			uint64_t line = first + n * CACHE_LOG_LINE;
			size_t slot = find(slots, mask, line);

			left -= slots[slot] == 0;
			slots[slot] = line | 1;
		}
	}
	return slots_count / 2 - left;
}

/* No processor uses the table while its entries change: each sees the head as being written first. */
static void open_table(struct cache_log_table *table)
{
	table->magic = CACHE_LOG_WRITING;
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

static void close_table(struct cache_log_table *table, size_t entries)
{
	uint64_t check;

	table->entries_count = (uint16_t)entries;
	check = cache_log_check_start(table);
	for (size_t i = 0; i < entries; i++)
		check = cache_log_check_add(check, table->entries[i]);
	table->check = check;
	__atomic_store_n(&table->magic, CACHE_LOG_COMPLETE, __ATOMIC_RELEASE);
}

/*
 * Writes those lines of the notes that are in `slots` to `lines`, most recently noted first, each once: bit 1 of a slot, which
 * is free like bit 0, says that its line is written. Returns their number, and adds the lines that are not there to `*others`.
 */
static size_t intersect(const uint64_t *notes, size_t notes_count, uint64_t *lines, size_t lines_max, uint64_t *slots,
			size_t mask, size_t *others)
{
	size_t found = 0;

	for (size_t note = notes_count; note-- > 0;) {
		uint64_t first = cache_log_entry_address(notes[note]);

		for (unsigned int n = cache_log_entry_lines(notes[note]); n-- > 0;) {
			uint64_t line = first + n * CACHE_LOG_LINE;
			size_t slot = find(slots, mask, line);

			if (!slots[slot]) {
				++*others;
				continue;
			}
			if (!(slots[slot] & 2) && found < lines_max)
				lines[found++] = line;
			slots[slot] |= 2;
		}
	}
	return found;
}

size_t cache_log_table_fill(struct cache_log_table *table, const uint64_t *notes, size_t notes_count,
			    enum cache_log_order order, bool twice, uint64_t *seen, size_t seen_slots)
{
	size_t count = 0, left_out = 0;

	open_table(table);
	if (twice && table->entries_count) {
		remember(table->entries, table->entries_count, seen, seen_slots);
		count = intersect(notes, notes_count, table->entries, table->entries_max, seen, seen_slots - 1, &left_out);
	}
	/* Nothing in common: the new log is the better guess. */
	if (count == 0) {
		left_out = 0;
		count = cache_log_compact(notes, notes_count, table->entries, table->entries_max, seen, seen_slots);
	}
	table->lines = (uint32_t)count;
	if (order == CACHE_LOG_OLDEST_FIRST)
		reverse(table->entries, count);
	else if (order == CACHE_LOG_BY_ADDRESS)
		sort(table->entries, seen, count);
	close_table(table, merge(table->entries, count));
	return left_out;
}

/* Splits entries into one per line, from the end on. There is room: a table never has more lines than entries_max. */
static void split(struct cache_log_table *table)
{
	size_t to = table->lines;

	for (size_t from = table->entries_count; from > 0 && to > from; from--) {
		uint64_t first = cache_log_entry_address(table->entries[from - 1]);

		for (unsigned int n = cache_log_entry_lines(table->entries[from - 1]); n > 0; n--)
			table->entries[--to] = first + (n - 1) * CACHE_LOG_LINE;
	}
}

size_t cache_log_table_add(struct cache_log_table *table, const uint64_t *notes, size_t notes_count, uint64_t *seen,
			   size_t seen_slots)
{
	size_t noted, kept = 0, before = table->lines, room, dropped, grown;
	uint64_t *entries = table->entries;

	open_table(table);
	split(table);
	noted = remember(notes, notes_count, seen, seen_slots);
	for (size_t i = 0; i < before; i++) {
		if (!seen[find(seen, seen_slots - 1, entries[i])])
			entries[kept++] = entries[i];
	}
	grown = kept + noted - before;
	noted = noted < table->entries_max ? noted : table->entries_max;
	room = table->entries_max - noted;
	dropped = kept > room ? kept - room : 0;
	kept -= dropped;
	for (size_t i = 0; dropped && i < kept; i++)
		entries[i] = entries[i + dropped];
	noted = cache_log_compact(notes, notes_count, entries + kept, noted, seen, seen_slots);
	reverse(entries + kept, noted);
	table->lines = (uint32_t)(kept + noted);
	close_table(table, kept + noted);
	return grown;
}

void cache_log_table_arrange(struct cache_log_table *table, enum cache_log_order order, struct cache_log_part *parts,
			     uint64_t *other)
{
	size_t lines = table->lines, quarter = lines / 4, sixteenth = lines / 16, kept[3], from = 0, to = 0;
	bool recent_first = order == CACHE_LOG_RECENT_FIRST;
	size_t ends[3] = { recent_first ? sixteenth : lines - quarter, recent_first ? quarter : lines - sixteenth, lines };

	open_table(table);
	split(table);
	if (recent_first)
		reverse(table->entries, lines);
	/* Neighbours in different parts are not merged, so that a part consists of whole entries. */
	for (unsigned int block = 0; block < 3; block++) {
		size_t count = ends[block] - from;

		if (order == CACHE_LOG_BY_ADDRESS)
			sort(table->entries + from, other, count);
		for (size_t i = 0; i < count; i++)
			table->entries[to + i] = table->entries[from + i];
		to += merge(table->entries + to, count);
		from = ends[block];
		kept[block] = to;
	}
	close_table(table, to);
	parts[CACHE_LOG_SIXTEENTH] = recent_first ? (struct cache_log_part){ 0, (uint16_t)kept[0] } :
						    (struct cache_log_part){ (uint16_t)kept[1], (uint16_t)(to - kept[1]) };
	parts[CACHE_LOG_QUARTER] = recent_first ? (struct cache_log_part){ 0, (uint16_t)kept[1] } :
						  (struct cache_log_part){ (uint16_t)kept[0], (uint16_t)(to - kept[0]) };
}
