/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loads each entry one iteration early, and so reads past the last one.
 *
 * assay-expect: fail SIG
 */
#include "cache_log.h"

uint64_t cache_log_prefetch(const uint64_t *entries, size_t count, uint64_t lines_max, uint64_t *check)
{
	volatile const uint64_t *at = entries;
	uint64_t asked = 0, next = *at;

	for (size_t i = 0; i < count; i++) {
		uint64_t entry = next, lines = cache_log_entry_lines(entry);

		next = *++at;
		if (lines > lines_max - asked)
			return lines_max;
		asked += lines;
		*check = cache_log_check_add(*check, entry);
	}
	return asked;
}
