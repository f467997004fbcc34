// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * threads [SWITCHES]: two threads switch the same log in and out as fast as they can, and a third drops the memory that the
 * table names and invalidates. Each switch is either done or refused and counted; nothing faults; the table that is left
 * verifies. Status 1 if a count is off.
 */
#include "cache_log.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { LINES = 256, OWNER = 5 };

static struct cache_log log;
static uint64_t memory[CACHE_LOG_BYTES(LINES) / 8];
static long switches = 200000;
static uint64_t done[2], refused[2];
static char *volatile lines;

static void *switcher(void *number)
{
	size_t self = (size_t)number;

	for (long i = 0; i < switches; i++) {
		enum cache_log_status in, out;

		log.log_not_before = 0; /* as many tables as can be */
		in = cache_log_switch_in(&log);
		if (in != CACHE_LOG_BUSY)
			for (uintptr_t line = 0; line < LINES; line += 16)
				cache_log_note_line(&log.notes, lines + line * CACHE_LOG_LINE);
		out = cache_log_switch_out(&log, 1);
		done[self] += (in != CACHE_LOG_BUSY) + (out != CACHE_LOG_BUSY);
		refused[self] += (in == CACHE_LOG_BUSY) + (out == CACHE_LOG_BUSY);
	}
	return NULL;
}

/* Memory comes and goes while its lines are prefetched. */
static void *unmapper(void *unused)
{
	for (int i = 0; i < 200; i++) {
		char *old = lines;

		lines = mmap(NULL, LINES * CACHE_LOG_LINE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		munmap(old, LINES * CACHE_LOG_LINE);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[3];
	uint64_t total = 0;

	if (argc > 1)
		switches = strtol(argv[1], NULL, 10);
	lines = mmap(NULL, LINES * CACHE_LOG_LINE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (lines == MAP_FAILED || cache_log_create(&log, memory, sizeof(memory), OWNER) != CACHE_LOG_OK)
		return 2;
	log.log_every = 3;
	log.feedback_on = false;
	pthread_create(&threads[0], NULL, switcher, (void *)0);
	pthread_create(&threads[1], NULL, switcher, (void *)1);
	pthread_create(&threads[2], NULL, unmapper, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 2; i++)
		total += done[i] + refused[i];
	printf("%lu switches done, %lu refused as busy, %lu tables, %lu lines prefetched\n", (unsigned long)(done[0] + done[1]),
	       (unsigned long)(refused[0] + refused[1]), (unsigned long)log.statistics.tables,
	       (unsigned long)log.statistics.lines);
	if (total != 4 * (uint64_t)switches || log.statistics.refused[CACHE_LOG_BUSY] != refused[0] + refused[1] || log.busy ||
	    log.statistics.tables == 0 || log.statistics.lines == 0) {
		printf("failure: the counts do not add up\n");
		return 1;
	}
	switch (cache_log_table_verify(log.table, CACHE_LOG_TABLE_BYTES(LINES), OWNER, 0)) {
	case CACHE_LOG_OK:
		return 0;
	default:
		printf("failure: the table that is left is wrong\n");
		return 1;
	}
}
