/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks and bench of csum_partial_copy: the sum as in csum_partial's test, and besides that every byte
 * copied, none written outside, and none read or written across a page's end on either side. Code that brings
 * a table of fixups for faults (the kernel's) has to return 0 from each of them.
 */
#include "checksum.h"
#include "test_support.h"

uint32_t csum_partial_copy_reference(const void *src, void *dst, int len);
void csum_partial_copy_init(unsigned long hwcap, unsigned long hwcap2) __attribute__((weak));

enum { LENGTH_MAX = 2048, OFFSETS = 64, CANARY_BYTES = 64, HUGE_BYTES = 16 << 20 };

static struct assay_region source, target;

/* `data_sum` is the sum of the bytes alone. What lies around the target is the caller's to check. */
static void copy(const unsigned char *from, unsigned char *to, unsigned int length, uint64_t data_sum)
{
	uint16_t wanted = fold(data_sum + 0xffffffff);
	uint32_t result;

	result = assay_returned_u32(
		assay_call(csum_partial_copy, assay_pointer(from), assay_pointer(to), assay_s32((int32_t)length)));
	if (result == 0)
		assay_fail("returned 0, which is kept for a fault");
	if (fold(result) != wanted)
		assay_fail("returned 0x%08x, which folds to 0x%04x; the reference folds to 0x%04x", result, fold(result),
			   wanted);
	if (memcmp(from, to, length) != 0) {
		unsigned int at = 0;

		while (from[at] == to[at])
			at++;
		assay_fail("copied byte %u as 0x%02x; it is 0x%02x", at, to[at], from[at]);
	}
	assay_passed();
}

/* All lengths in steps from one address, to addresses that wander through all alignments. */
static void try_lengths(const unsigned char *from, unsigned int offset, unsigned int step, const char *what)
{
	uint64_t running = 0;

	for (unsigned int length = 0; length <= LENGTH_MAX; length++) {
		unsigned int to_offset = (offset * 7 + length * 5 + length / 64) % OFFSETS;
		unsigned char *to = target.start + CANARY_BYTES + to_offset;

		if (length % step == 0 || length < 80) {
			assay_case("%s size=%u offset=%u dst_offset=%u", what, length, offset, to_offset);
			assay_canary_fill(to - CANARY_BYTES, to + length + CANARY_BYTES);
			copy(from, to, length, running);
			assay_canary_check(to - CANARY_BYTES, to, "before the target");
			assay_canary_check(to + length, to + length + CANARY_BYTES, "behind the target");
		}
		running += byte_weight(from[length], length);
	}
}

static void check_lengths(unsigned int step, const char *what)
{
	for (unsigned int offset = 0; offset < OFFSETS; offset++)
		try_lengths(source.start + offset, offset, step, what);
}

static uint64_t sum_of(const unsigned char *from, unsigned int length)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < length; i++)
		sum += byte_weight(from[i], i);
	return sum;
}

/* Source and target at the ends and at the starts of pages, together and each with the other in the middle. */
static void check_guards(unsigned int step)
{
	for (unsigned int length = 0; length <= LENGTH_MAX; length += length < 200 ? 1 : step) {
		const unsigned char *from_end = source.end - length;
		unsigned char *to_end = target.end - length;
		unsigned char *middle = target.start + CANARY_BYTES + length % 61;
		uint64_t sum_end = sum_of(from_end, length), sum_start = sum_of(source.start, length);

		assay_case("both end at a guard page size=%u", length);
		assay_canary_fill(to_end - CANARY_BYTES, target.end);
		copy(from_end, to_end, length, sum_end);
		assay_canary_check(to_end - CANARY_BYTES, to_end, "before the target");
		assay_case("the source ends at a guard page size=%u", length);
		assay_canary_fill(middle - CANARY_BYTES, middle + length + CANARY_BYTES);
		copy(from_end, middle, length, sum_end);
		assay_canary_check(middle - CANARY_BYTES, middle, "before the target");
		assay_canary_check(middle + length, middle + length + CANARY_BYTES, "behind the target");
		assay_case("the target ends at a guard page size=%u", length);
		assay_canary_fill(to_end - CANARY_BYTES, target.end);
		copy(source.start + 1 + length % 7, to_end, length, sum_of(source.start + 1 + length % 7, length));
		assay_canary_check(to_end - CANARY_BYTES, to_end, "before the target");
		assay_case("both start at a guard page size=%u", length);
		assay_canary_fill(target.start, target.start + length + CANARY_BYTES);
		copy(source.start, target.start, length, sum_start);
		assay_canary_check(target.start + length, target.start + length + CANARY_BYTES, "behind the target");
	}
}

/* Zeros and ones: never 0, and the carry always brought round. */
static void check_two_zeros(void)
{
	for (int value = 0; value <= 0xff; value += 0xff) {
		memset(source.start, value, LENGTH_MAX);
		for (unsigned int length = 0; length < 520; length++) {
			assay_case("all bytes 0x%x size=%u", value, length);
			copy(source.start + 1, target.start, length, sum_of(source.start + 1, length));
		}
	}
}

/* Canaries around the target, as far as its region reaches: there it ends at a guard page. */
static void copy_watched(const unsigned char *from, unsigned char *to, unsigned int length, uint64_t data_sum,
			 struct assay_region region)
{
	unsigned char *before = to - region.start < CANARY_BYTES ? region.start : to - CANARY_BYTES;
	unsigned char *behind = to + length;
	unsigned char *end = region.end - behind < CANARY_BYTES ? region.end : behind + CANARY_BYTES;

	assay_canary_fill(before, end);
	copy(from, to, length, data_sum);
	assay_canary_check(before, to, "before the target");
	assay_canary_check(behind, end, "behind the target");
}

/* Random data of the declared sizes and of others up to a megabyte: both at guard pages, and each between them. */
static void check_sizes(unsigned int rounds)
{
	struct assay_region from = assay_region_new(SIZES_BYTES_MAX + OFFSETS),
			    to = assay_region_new(SIZES_BYTES_MAX + OFFSETS);

	assay_random_fill(from.start, (size_t)(from.end - from.start));
	assay_read_only(from);
	for (unsigned int i = 0; i < rounds * SIZES_COUNT; i++) {
		unsigned int length = some_size(i % SIZES_COUNT);
		const unsigned char *source_between = from.start + assay_random_below(OFFSETS);
		unsigned char *target_between = to.start + assay_random_below(OFFSETS);
		uint64_t sum = sum_of(source_between, length);

		assay_case("random bytes, both start at a guard page size=%u", length);
		copy_watched(from.start, to.start, length, sum_of(from.start, length), to);
		assay_case("random bytes, both end at a guard page size=%u", length);
		copy_watched(from.end - length, to.end - length, length, sum_of(from.end - length, length), to);
		assay_case("random bytes size=%u offset=%u dst_offset=%u", length, source_between - from.start,
			   target_between - to.start);
		copy_watched(source_between, target_between, length, sum, to);
	}
}

static void check_huge(bool quick)
{
	unsigned int bytes = quick ? 1 << 20 : HUGE_BYTES;
	struct assay_region from = assay_region_new(HUGE_BYTES), to = assay_region_new(HUGE_BYTES + 2 * CANARY_BYTES);

	memset(from.start, 0xff, bytes);
	assay_read_only(from);
	for (unsigned int offset = 0; offset < 2; offset++) {
		unsigned int length = bytes - 3 - offset;
		uint64_t wanted = (uint64_t)(length / 2) * 0xffff + (length % 2 ? byte_weight(0xff, 0) : 0);

		assay_case("all ones size=%u offset=%u", length, offset);
		copy_watched(from.start + offset, to.start + CANARY_BYTES + 3, length, wanted, to);
	}
}

static void check_against_reference(void)
{
	uint32_t reference = csum_partial_copy_reference(source.start, target.start, LENGTH_MAX);

	if (fold(reference) != fold(sum_of(source.start, LENGTH_MAX) + 0xffffffff))
		assay_die("the test's own sum and reference.c differ");
	copy(source.start, target.start + 1, LENGTH_MAX, sum_of(source.start, LENGTH_MAX));
}

static void fault(const unsigned char *from, unsigned char *to, unsigned int length)
{
	uint32_t result = assay_returned_u32(
		assay_call(csum_partial_copy, assay_pointer(from), assay_pointer(to), assay_s32((int32_t)length)));

	if (result != 0)
		assay_fail("returned 0x%08x from a copy that cannot have been whole; 0 means a fault", result);
	assay_passed();
}

/* Source, then target, reach into a page that is not there, by one byte and more: each access has its fixup. */
static void check_faults(unsigned int step)
{
	for (unsigned int length = 1; length <= LENGTH_MAX; length += length < 300 ? 1 : step) {
		for (unsigned int beyond = 1; beyond <= length; beyond += beyond < 20 ? 1 : 37) {
			assay_case("the source ends %u bytes behind its page size=%u", beyond, length);
			fault(source.end - length + beyond, target.start + length % 9, length);
			assay_case("the target ends %u bytes behind its page size=%u", beyond, length);
			fault(source.start + length % 9, target.end - length + beyond, length);
		}
	}
}

static void check(bool quick)
{
	unsigned int step = quick ? 41 : 1;

	tell_features(csum_partial_copy_init);
	source = assay_region_new(LENGTH_MAX + 2 * OFFSETS);
	target = assay_region_new(LENGTH_MAX + 2 * OFFSETS + 2 * CANARY_BYTES);
	assay_random_fill(source.start, (size_t)(source.end - source.start));
	assay_read_only(source);
	check_against_reference();
	check_guards(quick ? 37 : 3);
	check_lengths(step, "random bytes");
	assay_writable(source);
	fill_with_edge_words(source.start, (size_t)(source.end - source.start));
	assay_read_only(source);
	check_lengths(quick ? 61 : 7, "edge words");
	assay_writable(source);
	check_two_zeros();
	check_sizes(quick ? 1 : 4);
	check_huge(quick);
	if (assay_survives_faults())
		check_faults(quick ? 301 : 7);
}

/* ------------------------------------------------------------------ bench */

static uint64_t size, offset, target_offset, chain;

static const struct assay_key keys[] = {
	{ .name = "size", .value = &size, .min = 0, .max = HUGE_BYTES },
	/* From 64-byte aligned addresses. */
	{ .name = "offset", .value = &offset, .max = 4095, .optional = true },
	{ .name = "dst_offset", .value = &target_offset, .max = 4095, .optional = true },
	/* 1: each call waits for the result of the one before (latency); 0: they may overlap (throughput). */
	{ .name = "chain", .value = &chain, .max = 1, .optional = true },
};

static const unsigned char *bench_source;
static unsigned char *bench_target;

static void set_up(void)
{
	struct assay_region from = assay_region_new(size + offset), to = assay_region_new(size + target_offset);

	tell_features(csum_partial_copy_init);
	assay_random_fill(from.start, size + offset);
	/* Touched, or every load of a fresh target would come from the one page of zeros. */
	memset(to.start, 1, size + target_offset);
	bench_source = from.start + offset;
	bench_target = to.start + target_offset;
}

uint64_t assay_bench(uint64_t iterations)
{
	const unsigned char *from = bench_source;
	unsigned char *to = bench_target;
	int length = (int)size;
	uintptr_t mask = chain ? assay_opaque_zero() : 0;
	uint32_t sum = 0;

	if (!chain) {
		for (; iterations > 0; iterations--)
			sum = csum_partial_copy(from, to, length);
		return sum;
	}
	for (; iterations > 0; iterations--)
		sum = csum_partial_copy(from + (sum & mask), to, length);
	return sum;
}

const struct assay_hotpath assay_hotpath = {
	.name = "csum_partial_copy",
	.keys = keys,
	.keys_count = sizeof(keys) / sizeof(keys[0]),
	.check = check,
	.set_up = set_up,
};
