/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A table of notes is made and verified; then one bit of it is flipped. */
#include <cache_log.h>
#include <cstdio>
#include <vector>

int main()
{
	std::vector<uint64_t> memory(1024), seen(256), notes;
	auto table = reinterpret_cast<cache_log_table *>(memory.data());

	for (uintptr_t line = 1; line < 50; line++)
		notes.push_back(cache_log_entry(line * CACHE_LOG_LINE, 1));
	if (cache_log_table_create(table, 8192, 7, 0) != CACHE_LOG_OK)
		return 1;
	cache_log_table_fill(table, notes.data(), notes.size(), CACHE_LOG_RECENT_FIRST, false, seen.data(), seen.size());
	auto before = cache_log_table_verify(table, 8192, 7, 0);
	table->entries[3] ^= 64 * CACHE_LOG_LINE;
	std::printf("%s, %s\n", cache_log_status_text(before),
		    cache_log_status_text(cache_log_table_verify(table, 8192, 7, 0)));
	return before != CACHE_LOG_OK || cache_log_table_verify(table, 8192, 7, 0) != CACHE_LOG_CORRUPT;
}
