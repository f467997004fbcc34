/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts all lines of an entry although lines_max allows fewer.
 *
 * assay-expect: fail lines, not for
 */
#include "cache_log.h"

uint64_t cache_log_prefetch(const uint64_t *entries, size_t count, uint64_t lines_max, uint64_t *check)
{
	uint64_t asked = 0;

	for (size_t i = 0; i < count && asked < lines_max; i++) {
		asked += cache_log_entry_lines(entries[i]);
		*check = cache_log_check_add(*check, entries[i]);
	}
	return asked;
}
