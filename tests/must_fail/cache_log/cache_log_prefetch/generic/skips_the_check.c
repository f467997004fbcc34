/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Does not add the entries to the check.
 *
 * assay-expect: fail the check is
 */
#include "cache_log.h"

uint64_t cache_log_prefetch(const uint64_t *entries, size_t count, uint64_t lines_max, uint64_t *check)
{
	uint64_t asked = 0;

	(void)check;
	for (size_t i = 0; i < count; i++)
		asked += cache_log_entry_lines(entries[i]);
	return asked < lines_max ? asked : lines_max;
}
