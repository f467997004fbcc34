// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A page that is started anew while it is read. The writer is compiled here with a barrier that looks at the page: what it
 * holds there a reader may find for as long as the writer is preempted, or for ever if it is killed.
 */
#include "reader_support.h"

static void write_barrier(void);
#define vdso_write_barrier write_barrier
#include "vdso_writer.c"

static struct {
	unsigned int barriers; /* passed since the start began */
	uint64_t sec_before; /* the wall clock's seconds at that time */
	_Bool watched;
} start_of;

static void write_barrier(void)
{
	struct vdso_time time;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!start_of.watched)
		return;
	start_of.barriers++;
	/* The stamp is finished within the commit, which begins at the third. */
	bare_expect((page->data[0].seq & 1) && (page->data[1].seq & 1) &&
			    (!POWERPC_STAMP || (page->powerpc_stamp.tb_update_count & 1) || start_of.barriers > 3),
		    "barrier %u: the counts are %x, %x and %x", start_of.barriers, page->data[0].seq, page->data[1].seq,
		    page->powerpc_stamp.tb_update_count);
	for (unsigned int i = 0; i < 5; i++)
		bare_expect(vdso_read_time(page, NULL, fine_clocks[i], &time) == VDSO_FALLBACK &&
				    page->data[0].clock_mode != VDSO_CLOCKMODE_TIMENS,
			    "barrier %u: clock %d has an answer", start_of.barriers, fine_clocks[i]);
	if (start_of.barriers == 1)
		bare_expect(page->data[0].basetime[VDSO_CLOCK_REALTIME].sec == start_of.sec_before,
			    "the page changes before its counts are odd");
}

static void watch(void)
{
	start_of.barriers = 0;
	start_of.sec_before = page->data[0].basetime[VDSO_CLOCK_REALTIME].sec;
	start_of.watched = 1;
}

static void test_counts(void)
{
	/* The two counts as they are found, and the one that follows. */
	static const uint32_t counts[][3] = {
		{ 0, 0, 2 }, /* never written */
		{ 2, 2, 4 },
		{ 7, 7, 8 }, /* a writer killed between open and commit */
		{ 7, 6, 8 }, /* in open */
		{ 8, 7, 10 }, /* in commit */
		{ 0xfffffffe, 0xfffffffe, 2 },
		{ 0xffffffff, 0xffffffff, 2 },
	};

	group_start();
	for (unsigned int i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		uint32_t stamp = POWERPC_STAMP ? page->powerpc_stamp.tb_update_count + 2 : 0;

		page->data[0].seq = counts[i][0];
		page->data[1].seq = counts[i][1];
		watch();
		start(1000000000, UINT64_MAX, 1000, at(1700000000 + i, 0));
		start_of.watched = 0;
		bare_expect(start_of.barriers >= 4 && page->data[0].seq == counts[i][2] && page->data[1].seq == counts[i][2],
			    "after %x and %x come %x and %x", counts[i][0], counts[i][1], page->data[0].seq, page->data[1].seq);
		bare_expect(page->powerpc_stamp.tb_update_count == stamp, "the stamp's count is %x",
			    page->powerpc_stamp.tb_update_count);
		expect_time(now(VDSO_CLOCK_REALTIME), (struct vdso_time){ 1700000000 + i, 0 }, "started anew", i);
	}
	group_end("a page that is started anew", sizeof(counts) / sizeof(*counts));
}

static void test_whole_page(void)
{
	const unsigned char *rest = page->rest;
	uint32_t map[32];

	group_start();
	assay_random_fill(map, sizeof(map));
	start(1000000000, UINT64_MAX, 1000, at(1700000000, 0));
	vdso_writer_set_syscall_map(&writer, map);
	commit(2000);
	bare_expect(memcmp(page->syscall_map, map, sizeof(map)) == 0, "the map of system calls");
	memset(page, 0x5a, sizeof(*page));
	start(1000000000, UINT64_MAX, 1000, at(1700000000, 0));
	expect_time(now(VDSO_CLOCK_REALTIME), (struct vdso_time){ 1700000000, 0 }, "on a page of rubbish", 0);
	bare_expect(page->data[0].basetime[2].sec == 0 && page->syscall_map[0] == 0 && rest[0] == 0 &&
			    rest[sizeof(page->rest) - 1] == 0,
		    "rubbish is left in the page");
	group_end("a page of rubbish that is started", 3);
}

static void test_namespace_start(void)
{
	group_start();
	start(1000000000, UINT64_MAX, 1000, at(1700000000, 0));
	watch();
	bare_expect(vdso_namespace_start(page, at(5, 0), at(6, 0)) == VDSO_WRITER_OK, "a namespace is refused");
	start_of.watched = 0;
	bare_expect(start_of.barriers >= 2 && page->data[0].clock_mode == VDSO_CLOCKMODE_TIMENS && (page->data[0].seq & 1) &&
			    page->data[1].clock_mode == VDSO_CLOCKMODE_TIMENS && (page->data[1].seq & 1) &&
			    page->data[1].basetime[VDSO_CLOCK_MONOTONIC_RAW].sec == 5,
		    "it is no namespace's page");
	group_end("a page that becomes a namespace's", 3);
}

void test_start(void)
{
	test_counts();
	test_whole_page();
	test_namespace_start();
}
