/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The test of load_swap16, load_swap32 and load_swap64. The operand is put at every distance before and after a page that
 * faults, so every alignment occurs and a read of a byte beside it is a crash.
 */
#include "width_test.h"

#define LOAD AT_WIDTH(load_swap)
#define REFERENCE REFERENCE_AT_WIDTH(load_swap)

value_type REFERENCE(const void *address);

enum { DISTANCES = 80 };

static struct assay_region region;

static void try_at(unsigned char *at)
{
	value_type want = REFERENCE(at);

	require_returned(assay_call(LOAD, assay_pointer(at)), want);
}

static void check(bool quick)
{
	region = assay_region_new(4096);
	for (unsigned int round = 0; round < (quick ? 4 : 400); round++) {
		assay_random_fill(region.start, (size_t)(region.end - region.start));
		assay_read_only(region);
		for (unsigned int distance = 0; distance < DISTANCES; distance++) {
			assay_case("%u bytes behind a forbidden page", distance);
			try_at(region.start + distance);
			assay_case("%u bytes before a forbidden page", distance);
			try_at(region.end - BYTES - distance);
		}
		assay_writable(region);
	}
}

static uint64_t offset;

static void set_up(void)
{
	region = assay_region_new(4096);
	assay_random_fill(region.start, 4096);
}

uint64_t assay_bench(uint64_t iterations)
{
	value_type sum = 0;

	/* The address depends on the last result (a zero is added): measures the latency from address to swapped value. */
	for (uint64_t i = 0; i < iterations; i++)
		sum += LOAD(region.start + offset + ((uintptr_t)sum & assay_opaque_zero()));
	return sum;
}

static const struct assay_key keys[] = {
	{ .name = "offset", .value = &offset, .min = 0, .max = 1024, .optional = true },
};

const struct assay_hotpath assay_hotpath = {
	.name = NAME_AT_WIDTH(load_swap),
	.keys = keys,
	.keys_count = 1,
	.check = check,
	.set_up = set_up,
};
