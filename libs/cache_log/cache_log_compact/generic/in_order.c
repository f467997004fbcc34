/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For tasks of few lines, such as coroutines: a linear search of the lines found, the latest first, which needs no scratch
 * room to be cleared. Quadratic, so hashed.c takes over beyond FEW notes.
 *
 * assay-about: a search among the lines found, for up to 64 notes; hashed beyond
 * assay-needs: hashed
 */
#include "cache_log.h"

enum { FEW = 64 };

size_t cache_log_compact_hashed(const uint64_t *notes, size_t notes_count, uint64_t *lines, size_t lines_max, uint64_t *seen,
				size_t seen_slots);

static bool among(const uint64_t *lines, size_t found, uint64_t address)
{
	for (size_t i = found; i-- > 0;) {
		if (lines[i] == address)
			return true;
	}
	return false;
}

size_t cache_log_compact(const uint64_t *notes, size_t notes_count, uint64_t *lines, size_t lines_max, uint64_t *seen,
			 size_t seen_slots)
{
	size_t found = 0, limit = lines_max < seen_slots / 2 ? lines_max : seen_slots / 2;

	if (notes_count > FEW)
		return cache_log_compact_hashed(notes, notes_count, lines, lines_max, seen, seen_slots);
	for (size_t note = notes_count; note-- > 0;) {
		uint64_t first = cache_log_entry_address(notes[note]);

		for (unsigned int line = cache_log_entry_lines(notes[note]); line-- > 0;) {
			uint64_t address = first + line * CACHE_LOG_LINE;

			if (among(lines, found, address))
				continue;
			if (found == limit)
				return found;
			lines[found++] = address;
		}
	}
	return found;
}
