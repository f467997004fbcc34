/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Takes every note for a new line, so a line noted twice is returned twice.
 *
 * assay-expect: fail line 
 */
#include "cache_log.h"

size_t cache_log_compact(const uint64_t *notes, size_t notes_count, uint64_t *lines, size_t lines_max, uint64_t *seen,
			 size_t seen_slots)
{
	size_t found = 0, limit = lines_max < seen_slots / 2 ? lines_max : seen_slots / 2;

	(void)seen;
	for (size_t note = notes_count; note-- > 0;) {
		for (unsigned int line = cache_log_entry_lines(notes[note]); line-- > 0 && found < limit;)
			lines[found++] = cache_log_entry_address(notes[note]) + line * CACHE_LOG_LINE;
	}
	return found;
}
