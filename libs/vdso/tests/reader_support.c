// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See reader_support.h. */
#include "reader_support.h"

/* Compiled here because its readers have to call the test's counter. */
#include "vdso_clock.c"

uint64_t counter_now, counter_reads;
unsigned int commit_at;
unsigned char *pages;
struct vdso_page *page, *behind;
struct vdso_writer writer;

const int32_t fine_clocks[5] = { VDSO_CLOCK_REALTIME, VDSO_CLOCK_MONOTONIC, VDSO_CLOCK_BOOTTIME, VDSO_CLOCK_TAI,
				 VDSO_CLOCK_MONOTONIC_RAW };

uint64_t test_counter(void)
{
	counter_reads++;
	return counter_now;
}

/* A writer that sets the wall clock a second further. */
static void commit_now(void)
{
	vdso_writer_begin(&writer, counter_now);
	vdso_writer_step(&writer, VDSO_NSEC_PER_SEC);
	vdso_writer_commit(&writer);
}

void test_barrier(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (commit_at && --commit_at == 0)
		commit_now();
}

static unsigned long group_failed;

void group_start(void)
{
	group_failed = bare_failed;
	memset(pages, 0, VDSO_PAGE_STEP + VDSO_PAGE_SIZE);
}

void group_end(const char *name, uint64_t count)
{
	assay_print("reader\t%s\t%s\t%llu\n", name, bare_failed == group_failed ? "ok" : "FAILED", (unsigned long long)count);
}
