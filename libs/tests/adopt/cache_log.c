/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A task of four slices that walks over its data and is restored before each. */
#include <cache_log.h>
#include <stdio.h>

static uint64_t memory[CACHE_LOG_BYTES(1024) / 8], data[4096];

int main(void)
{
	static struct cache_log log;
	uint64_t work = 0;

	if (cache_log_create(&log, memory, sizeof(memory), 1) != CACHE_LOG_OK)
		return 1;
	for (int slice = 0; slice < 4; slice++) {
		cache_log_switch_in(&log);
		for (int i = 0; i < 4096; i += 8, work++)
			cache_log_note_line(&log.notes, &data[i]);
		cache_log_switch_out(&log, work);
	}
	printf("%llu notes\n", (unsigned long long)log.notes.noted);
	return 0;
}
