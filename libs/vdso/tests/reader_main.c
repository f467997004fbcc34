// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * reader-test IMAGE reader CASES: readers and writer with a counter that the test moves, against exact integer arithmetic that is
 * written another way; order, limits and refusals one by one; the discipline by a kernel that the test is. The image is only what the loader is fuzzed with.
 *
 * Prints a record for each group, and the counts in the last line.
 */
#include "reader_support.h"

int bare_main(int argc, char **argv)
{
	uint64_t cases = bare_number(argc > 3 ? argv[3] : NULL, 1000);

	if (argc < 3 || !assay_equal(argv[2], "reader"))
		assay_die("usage: reader-test IMAGE reader [CASES]");
	pages = bare_map(NULL, 2 * VDSO_PAGE_STEP, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	page = (struct vdso_page *)pages;
	behind = (struct vdso_page *)(pages + VDSO_PAGE_STEP);
	test_readers(cases);
	test_writer(cases);
	test_start();
	test_discipline();
	test_hypervisors(cases);
	test_loader(argv[1], cases);
	return bare_counts();
}
