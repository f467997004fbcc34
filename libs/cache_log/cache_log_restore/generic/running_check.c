/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The check is computed along with the prefetches, which wait for memory anyway. The clock is read only if ticks are limited,
 * every 32 entries. The head is read first: it decides whether the entries may be read at all.
 *
 * assay-about: checks entries while prefetching them
 */
#include "cache_log.h"

enum { ENTRIES_BETWEEN_LOOKS = 32 };

static enum cache_log_status refuse(struct cache_log_statistics *statistics, enum cache_log_status status)
{
	__atomic_fetch_add(&statistics->refused[status], 1, __ATOMIC_RELAXED);
	return status;
}

/* Judges a table by its head alone. */
static enum cache_log_status judge(const struct cache_log_table *table, uint64_t owner, uint32_t epoch,
				   struct cache_log_budget budget)
{
	if (__atomic_load_n(&table->magic, __ATOMIC_ACQUIRE) != CACHE_LOG_COMPLETE)
		return CACHE_LOG_INCOMPLETE;
	if (table->entries_count > table->entries_max)
		return CACHE_LOG_TOO_SMALL;
	if (table->owner != owner)
		return CACHE_LOG_FOREIGN;
	if (table->epoch != epoch)
		return CACHE_LOG_STALE;
	if (table->entries_count == 0)
		return CACHE_LOG_EMPTY;
	return budget.lines && budget.ticks ? CACHE_LOG_OK : CACHE_LOG_NO_BUDGET;
}

/* Prefetches the entries in pieces and reads the clock between them; returns how many lines were asked for. */
static uint64_t prefetch_by_clock(const struct cache_log_table *table, struct cache_log_budget budget, uint64_t *check,
				  size_t *done)
{
	uint64_t asked = 0, started = cache_log_ticks();

	for (*done = 0; *done < table->entries_count && asked < budget.lines;) {
		size_t left = table->entries_count - *done;
		size_t now = left < ENTRIES_BETWEEN_LOOKS ? left : ENTRIES_BETWEEN_LOOKS;

		if (*done && cache_log_ticks() - started >= budget.ticks)
			break;
		asked += cache_log_prefetch(table->entries + *done, now, budget.lines - asked, check);
		*done += now;
	}
	return asked;
}

enum cache_log_status cache_log_restore(struct cache_log_table *table, uint64_t owner, uint32_t epoch,
					struct cache_log_budget budget, struct cache_log_statistics *statistics)
{
	enum cache_log_status status = judge(table, owner, epoch, budget);
	uint64_t check, asked;
	size_t done = 0;

	if (status != CACHE_LOG_OK)
		return refuse(statistics, status);
	check = cache_log_check_start(table);
	if (budget.ticks == UINT64_MAX)
		asked = cache_log_prefetch(table->entries, table->entries_count, budget.lines, &check);
	else
		asked = prefetch_by_clock(table, budget, &check, &done);
	statistics->lines += asked;
	/* A restore that the budget cut short has not checked all entries. */
	if (asked < table->lines && (asked == budget.lines || (done && done < table->entries_count))) {
		statistics->cut++;
	} else if (check != table->check || asked != table->lines) {
		table->magic = CACHE_LOG_WRITING;
		return refuse(statistics, CACHE_LOG_CORRUPT);
	}
	statistics->restores++;
	return CACHE_LOG_OK;
}
