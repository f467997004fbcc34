/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stores a line before it tests whether there is room for it.
 *
 * assay-expect: fail SIG
 */
#include "cache_log.h"

size_t cache_log_compact(const uint64_t *notes, size_t notes_count, uint64_t *lines, size_t lines_max, uint64_t *seen,
			 size_t seen_slots)
{
	size_t found = 0, limit = lines_max < seen_slots / 2 ? lines_max : seen_slots / 2;

	(void)seen;
	for (size_t note = notes_count; note-- > 0;) {
		for (unsigned int line = cache_log_entry_lines(notes[note]); line-- > 0;) {
			uint64_t address = cache_log_entry_address(notes[note]) + line * CACHE_LOG_LINE;
			size_t i = 0;

			while (i < found && lines[i] != address)
				i++;
			if (i < found)
				continue;
			*(volatile uint64_t *)&lines[found] = address;
			if (found == limit)
				return found;
			found++;
		}
	}
	return found;
}
