/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Remembers what it has found in a hash table with open addressing, by Fibonacci hashing, at most half full. 0 is a line
 * like any other, so bit 0, which is free in a line's address, marks a slot as taken.
 *
 * assay-about: an open hash table of the lines found
 */
#include "cache_log.h"

size_t cache_log_compact(const uint64_t *notes, size_t notes_count, uint64_t *lines, size_t lines_max, uint64_t *seen,
			 size_t seen_slots)
{
	size_t found = 0, limit = lines_max < seen_slots / 2 ? lines_max : seen_slots / 2, mask = seen_slots - 1;

	for (size_t slot = 0; slot < seen_slots; slot++)
		seen[slot] = 0;
	for (size_t note = notes_count; note-- > 0;) {
		uint64_t first = cache_log_entry_address(notes[note]);

		for (unsigned int line = cache_log_entry_lines(notes[note]); line-- > 0;) {
			uint64_t address = first + line * CACHE_LOG_LINE;
			size_t slot = (size_t)(address * 0x9e3779b97f4a7c15 >> 32) & mask;

			if (limit == 0)
				return 0;
			while (seen[slot] && seen[slot] != (address | 1))
				slot = (slot + 1) & mask;
			if (seen[slot])
				continue;
			if (found == limit)
				return found;
			seen[slot] = address | 1;
			lines[found++] = address;
		}
	}
	return found;
}
