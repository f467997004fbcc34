/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks and bench of count_newlines: all lengths up to a few hundred bytes and the declared cases, at the end of a page behind
 * which nothing may be read and at its start, and the bytes that differ from a newline by one bit.
 */
#include "assay.h"

size_t count_newlines(const void *text, size_t bytes);
size_t count_newlines_reference(const void *text, size_t bytes);

enum { LENGTH_MAX = 400, REGION_BYTES = 4096, SIZE_MAX_KEY = 1 << 24 };

/* The sizes that hotpath.toml declares: what is measured and predicted has to be checked, in the quick form, too. */
static const size_t declared[] = { 60, REGION_BYTES };

/* Lines are short, and many bytes are nearly newlines. */
static void fill(unsigned char *start, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		start[i] = assay_random_below(4) ? '\n' ^ (unsigned char)(1u << assay_random_below(8)) : '\n';
}

static void expect(const unsigned char *start, size_t bytes)
{
	size_t wanted = count_newlines_reference(start, bytes);
	size_t result = assay_call(count_newlines, assay_pointer(start), bytes);

	if (result != wanted)
		assay_fail("returned %zu; the reference counts %zu", result, wanted);
	assay_passed();
}

static void check_at_guards(struct assay_region region, size_t bytes)
{
	assay_case("ends at a guard page size=%u", (uintptr_t)bytes);
	expect(region.end - bytes, bytes);
	assay_case("starts at a guard page size=%u", (uintptr_t)bytes);
	expect(region.start, bytes);
}

static void check(bool quick)
{
	struct assay_region region = assay_region_new(REGION_BYTES);
	size_t step = quick ? 7 : 1;

	fill(region.start, (size_t)(region.end - region.start));
	assay_read_only(region);
	for (size_t bytes = 0; bytes <= LENGTH_MAX; bytes += step)
		check_at_guards(region, bytes);
	for (size_t i = 0; i < sizeof(declared) / sizeof(declared[0]); i++)
		check_at_guards(region, declared[i]);
}

static uint64_t size;

static const struct assay_key keys[] = {
	{ .name = "size", .value = &size, .max = SIZE_MAX_KEY },
};

static const unsigned char *bench_start;

static void set_up(void)
{
	struct assay_region region = assay_region_new(size);

	fill(region.start, size);
	bench_start = region.start;
}

uint64_t assay_bench(uint64_t iterations)
{
	const unsigned char *start = bench_start;
	size_t bytes = size, count = 0;

	for (; iterations > 0; iterations--)
		count = count_newlines(start, bytes);
	return count;
}

const struct assay_hotpath assay_hotpath = {
	.name = "count_newlines",
	.keys = keys,
	.keys_count = sizeof(keys) / sizeof(keys[0]),
	.check = check,
	.set_up = set_up,
};
