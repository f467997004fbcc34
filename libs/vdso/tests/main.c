// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * vdso-test IMAGE VERB [NUMBER...] [emulated]: checks an image, and the kernel's own beside it where there is one. IMAGE `kernel`
 * is the kernel's own alone, for list, verify, abi and read. `emulated`: what looks like the kernel's is QEMU's user mode.
 *
 *   list                       what the image exports
 *   verify MILLISECONDS        each call against the system call
 *   abi                        each call with invalid pointers and invalid clocks, as a system call and from the image
 *   bench MILLISECONDS ROUNDS  nanoseconds a call: kernel's image, ours, system call, interleaved
 *   torture MILLISECONDS NS    readers in several processes against a writer that commits every NS
 *   read ROUNDS                the kernel's image alone reads CLOCK_MONOTONIC so many times, for those who trace it
 *   hostile PAGES              every byte that readers use changed, random pages, a page of zeros: no call may hang or crash
 *
 * Writes records on standard output, fields separated by tabs, the counts in the last line. Exit status: 0 all held, 1 not,
 * 2 it could not be tried.
 */
#include "vdsotest.h"

static struct machine machine;

static void list(const struct vdso_image *image, const char *whose)
{
	for (uint32_t i = 1; i < image->symbols_count; i++) {
		struct vdso_image_export export;

		if (vdso_image_export(image, i, &export))
			assay_print("export\t%s\t%s\t%s\t%s\t%zu\t%s\n", whose, image->soname, export.name,
				    export.version ? export.version : "", export.bytes, export.weak ? "weak" : "global");
	}
	bare_passed++;
}

static void read_clock(const struct vdso_calls *kernel, uint64_t rounds)
{
	struct bare_time time;

	for (uint64_t i = 0; i < rounds; i++)
		if (machine_clock_gettime(kernel, VDSO_CLOCK_MONOTONIC, &time))
			assay_die("the kernel's image does not tell the time");
	bare_passed++;
}

int bare_main(int argc, char **argv)
{
	_Bool emulated = argc > 3 && assay_equal(argv[argc - 1], "emulated");
	const char *verb = argc > 2 ? argv[2] : "";
	uint64_t number = bare_number(argc - emulated > 3 ? argv[3] : NULL, 0);
	uint64_t second = bare_number(argc - emulated > 4 ? argv[4] : NULL, 0);
	struct vdso_image kernel_image;
	struct vdso_calls kernel;
	_Bool has_ours, has_kernel;

	if (argc < 3)
		assay_die("usage: vdso-test IMAGE|kernel list|verify|abi|bench|torture|read|hostile [NUMBER...]");
	machine_is_emulated = emulated;
	has_ours = !assay_equal(argv[1], "kernel");
	if (has_ours)
		machine_map(&machine, argv[1]);
	has_kernel = machine_kernel(&kernel, &kernel_image);
	if (!has_ours && !has_kernel)
		assay_die("this kernel has no vDSO with clocks");
	if (!has_ours && !assay_equal(verb, "list") && !assay_equal(verb, "verify") && !assay_equal(verb, "abi") &&
	    !assay_equal(verb, "read"))
		assay_die("%s wants an image of ours", verb);
	if (assay_equal(verb, "list")) {
		if (has_ours)
			list(&machine.image, "ours");
		if (has_kernel)
			list(&kernel_image, "kernel");
	} else if (assay_equal(verb, "verify")) {
		if (has_ours) {
			machine_start(&machine);
			test_verify(&machine, &machine.calls, number ? number : 50);
		}
		if (has_kernel)
			test_verify(&machine, &kernel, number ? number : 50);
	} else if (assay_equal(verb, "abi")) {
		if (has_ours) {
			machine_start(&machine);
			test_abi(&machine, &machine.calls);
		}
		if (has_kernel)
			test_abi(&machine, &kernel);
	} else if (assay_equal(verb, "bench")) {
		machine_start(&machine);
		test_bench(&machine, number ? number : 5, second ? second : 20);
	} else if (assay_equal(verb, "torture")) {
		test_torture(&machine, number ? number : 1000, second ? second : 10000);
	} else if (assay_equal(verb, "read")) {
		if (!has_kernel)
			assay_die("this kernel has no vDSO with clocks");
		read_clock(&kernel, number ? number : 1000);
	} else if (assay_equal(verb, "hostile")) {
		test_hostile(&machine, number ? number : 200);
	} else {
		assay_die("%s is no verb of vdso-test", verb);
	}
	return bare_counts();
}
