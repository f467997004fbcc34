/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks and bench of csum_fold. The result is one number, so it is compared as it is. All lower halves are
 * tried with upper halves at the edges and random ones; calls go through the checked call now and then, and
 * directly otherwise, since there are millions.
 */
#include "checksum.h"
#include "test_support.h"

uint16_t csum_fold_reference(uint32_t sum);

static void try_one(uint32_t sum, bool checked_call)
{
	uint16_t wanted = csum_fold_reference(sum), result;

	assay_case("sum=0x%x", sum);
	result = checked_call ? assay_returned_u16(assay_call(csum_fold, assay_u32(sum))) : csum_fold(sum);
	if (result != wanted)
		assay_fail("returned 0x%04x; the reference returns 0x%04x", result, wanted);
	assay_passed();
}

static void check(bool quick)
{
	static const uint16_t edges[] = { 0, 1, 2, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff };
	unsigned int halves = quick ? 12 : 128;

	for (unsigned int i = 0; i < halves; i++) {
		uint32_t upper = i < 8 ? edges[i] : assay_random() >> 16;

		for (uint32_t lower = 0; lower <= 0xffff; lower += quick && lower > 64 && lower < 0xff00 ? 61 : 1)
			try_one(upper << 16 | lower, lower % 257 < 2);
	}
}

static uint64_t chain;

static const struct assay_key keys[] = {
	/* 1: each call folds the result of the one before (latency); 0: they may overlap (throughput). */
	{ .name = "chain", .value = &chain, .max = 1, .optional = true },
};

static void set_up(void)
{
}

uint64_t assay_bench(uint64_t iterations)
{
	uint32_t sum = 0x12345678, step = chain ? 1 : 0, result = 0;

	for (; iterations > 0; iterations--) {
		result = csum_fold(sum);
		sum += 0x9e3779b9 + result * step;
	}
	return result;
}

const struct assay_hotpath assay_hotpath = {
	.name = "csum_fold",
	.keys = keys,
	.keys_count = sizeof(keys) / sizeof(keys[0]),
	.check = check,
	.set_up = set_up,
};
