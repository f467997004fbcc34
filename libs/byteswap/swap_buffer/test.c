/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The test of swap_buffer16, swap_buffer32 and swap_buffer64. Every count of elements around the vector lengths, at every alignment,
 * directly after and directly before a page that faults; the bytes beside the buffer must not change.
 */
#include "width_test.h"

#define SWAP AT_WIDTH(swap_buffer)
#define REFERENCE REFERENCE_AT_WIDTH(swap_buffer)

void REFERENCE(void *buffer, size_t count);

enum { REGION_BYTES = 1 << 17, BESIDE = 64, ALIGNMENTS = 64 };

static struct assay_region region;
static unsigned char want[REGION_BYTES];

static void try_at(unsigned char *at, size_t count)
{
	unsigned char *lower = at - region.start < BESIDE ? region.start : at - BESIDE;
	unsigned char *upper = region.end - (at + count * BYTES) < BESIDE ? region.end : at + count * BYTES + BESIDE;
	size_t before = (size_t)(at - lower), all = (size_t)(upper - lower);

	assay_random_fill(lower, all);
	memcpy(want, lower, all);
	REFERENCE(want + before, count);
	assay_call(SWAP, assay_pointer(at), count);
	for (size_t i = 0; i < all; i++) {
		if (lower[i] != want[i])
			assay_fail("byte %d from the buffer's start is 0x%02x, expected 0x%02x", (int)i - (int)before, lower[i],
				   want[i]);
	}
	assay_passed();
}

static void try_count(size_t count, unsigned int alignments, unsigned int alignment_step)
{
	for (unsigned int distance = 0; distance < alignments; distance += alignment_step) {
		assay_case("count=%u, %u bytes behind a forbidden page", count, distance);
		try_at(region.start + distance, count);
		assay_case("count=%u, %u bytes before a forbidden page", count, distance);
		try_at(region.end - count * BYTES - distance, count);
	}
}

/* The sizes and offsets of hotpath.toml, so that nothing is timed that was not checked, and a size in each octave behind them. */
static void check_sizes(unsigned int alignments)
{
	static const unsigned int declared[] = { 64, 1472, 4096 };

	for (unsigned int i = 0; i < sizeof(declared) / sizeof(declared[0]); i++)
		try_count(declared[i] / BYTES, alignments, 1);
	for (unsigned int octave = 4096; octave < REGION_BYTES / 2; octave *= 2)
		try_count((octave + assay_random_below(octave)) / BYTES, alignments, 1);
}

static void check(bool quick)
{
	region = assay_region_new(REGION_BYTES);
	for (size_t count = 0; count <= 160u / BYTES; count++)
		try_count(count, ALIGNMENTS, quick ? 3 : 1);
	for (unsigned int i = 0; i < (quick ? 4 : 200); i++)
		try_count(assay_random_below(4096 / BYTES + 1), ALIGNMENTS, quick ? 7 : 1);
	check_sizes(quick ? 2 : 8);
}

static uint64_t size, offset;

static void set_up(void)
{
	region = assay_region_new(1 << 20);
	assay_random_fill(region.start, 1 << 20);
}

uint64_t assay_bench(uint64_t iterations)
{
	unsigned char *buffer = region.start + offset;

	for (uint64_t i = 0; i < iterations; i++)
		SWAP(buffer, size / BYTES);
	return buffer[0];
}

static const struct assay_key keys[] = {
	{ .name = "size", .value = &size, .min = 0, .max = 1 << 19 },
	{ .name = "offset", .value = &offset, .min = 0, .max = 4096, .optional = true },
};

const struct assay_hotpath assay_hotpath = {
	.name = NAME_AT_WIDTH(swap_buffer),
	.keys = keys,
	.keys_count = 2,
	.check = check,
	.set_up = set_up,
};
