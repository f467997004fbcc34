/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads and verifies everything first, then prefetches. It reads no clock: a budget of ticks ends it only if it is 0. */
#include "cache_log.h"

enum cache_log_status cache_log_restore(struct cache_log_table *table, uint64_t owner, uint32_t epoch,
					struct cache_log_budget budget, struct cache_log_statistics *statistics)
{
	enum cache_log_status status = cache_log_table_verify(table, CACHE_LOG_TABLE_BYTES(table->entries_max), owner, epoch);
	uint64_t check = 0;

	if (status == CACHE_LOG_OK && (budget.lines == 0 || budget.ticks == 0))
		status = CACHE_LOG_NO_BUDGET;
	if (status == CACHE_LOG_CORRUPT)
		table->magic = CACHE_LOG_WRITING;
	if (status != CACHE_LOG_OK) {
		statistics->refused[status]++;
		return status;
	}
	statistics->restores++;
	statistics->cut += budget.lines < table->lines;
	statistics->lines += cache_log_prefetch(table->entries, table->entries_count, budget.lines, &check);
	return CACHE_LOG_OK;
}
