/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The loop of every variant, which defines HINT(address): the instruction is all that differs. Processors take a prefetch in
 * a cycle or two, so the code around it counts: whether the budget may end the loop is tested once, and an entry of one line,
 * as walks write them, takes no inner loop.
 */
#include "cache_log.h"

static inline uint64_t prefetch_all(const uint64_t *entries, size_t count, uint64_t *check)
{
	uint64_t lines = count, sum = *check;

	for (size_t i = 0; i < count; i++) {
		uint64_t entry = entries[i], more = cache_log_entry_lines(entry) - 1;
		uintptr_t address = cache_log_entry_address(entry);

		HINT(address);
		lines += more;
		for (; __builtin_expect(more != 0, 0); more--) {
			address += CACHE_LOG_LINE;
			HINT(address);
		}
		sum = cache_log_check_add(sum, entry);
	}
	*check = sum;
	return lines;
}

uint64_t cache_log_prefetch(const uint64_t *entries, size_t count, uint64_t lines_max, uint64_t *check)
{
	uint64_t left = lines_max, sum = *check;

	if (lines_max / CACHE_LOG_LINE >= count)
		return prefetch_all(entries, count, check);
	for (size_t i = 0; i < count; i++) {
		uint64_t entry = entries[i];
		uintptr_t address = cache_log_entry_address(entry);
		uint64_t lines = cache_log_entry_lines(entry), now = lines < left ? lines : left;

		left -= now;
		for (uint64_t n = now; n; n--, address += CACHE_LOG_LINE)
			HINT(address);
		if (now < lines)
			break;
		sum = cache_log_check_add(sum, entry);
	}
	*check = sum;
	return lines_max - left;
}
