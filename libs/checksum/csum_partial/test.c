/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks and bench of csum_partial. Results are compared folded, so a variant may return any congruent
 * value, but zero has to be the right zero (see checksum.h). What is expected comes from a running sum over
 * the buffer, one byte per length, which is itself compared with reference.c.
 *
 * The first three cases of the kernel's lib/checksum_kunit.c have counterparts here (fixed random data, data
 * that always carries, initial sums at which it just does not); those of the other two are in the tests of
 * ip_fast_csum and csum_ipv6_magic.
 */
#include "checksum.h"
#include "test_support.h"

uint32_t csum_partial_reference(const void *buf, int len, uint32_t sum);

void csum_partial_init(unsigned long hwcap, unsigned long hwcap2) __attribute__((weak));

enum { LENGTH_MAX = 2048, OFFSETS = 64, HUGE_BYTES = 16 << 20 };

static uint32_t call(const unsigned char *start, unsigned int length, uint32_t sum)
{
	return assay_returned_u32(assay_call(csum_partial, assay_pointer(start), assay_s32((int32_t)length), assay_u32(sum)));
}

/* `data_sum` is the sum of the bytes alone. */
static void expect(const unsigned char *start, unsigned int length, uint32_t sum, uint64_t data_sum)
{
	uint32_t result = call(start, length, sum);
	uint16_t wanted = fold(data_sum + sum);

	if (fold(result) != wanted)
		assay_fail("returned 0x%08x, which folds to 0x%04x; the reference folds to 0x%04x", result, fold(result),
			   wanted);
	assay_passed();
}

static void expect_like_reference(const unsigned char *start, unsigned int length, uint32_t sum)
{
	expect(start, length, sum, csum_partial_reference(start, (int)length, 0));
}

/* ------------------------------------------------------------------ lengths and alignments */

/* All lengths up to `length_max` in steps at one address, with one byte added to the running sum each. */
static void try_lengths(const unsigned char *start, unsigned int offset, unsigned int length_max, unsigned int step,
			const char *what)
{
	uint64_t running = 0;

	for (unsigned int length = 0; length <= length_max; length++) {
		if (length % step == 0 || length < 80) {
			uint32_t sum = length % 4 == 3 ? 0 : length % 4 == 2 ? 0xffffffff : assay_random();

			assay_case("%s size=%u offset=%u sum=0x%x", what, length, offset, sum);
			expect(start, length, sum, running);
		}
		running += byte_weight(start[length], length);
	}
	if (fold(running) != fold(csum_partial_reference(start, (int)length_max + 1, 0)))
		assay_die("the test's running sum and reference.c differ");
}

static void check_lengths(unsigned char *buffer, unsigned int step, const char *what)
{
	for (unsigned int offset = 0; offset < OFFSETS; offset++)
		try_lengths(buffer + offset, offset, LENGTH_MAX, offset % 8 == 7 ? (step + 1) / 2 : step, what);
}

/* ------------------------------------------------------------------ carries */

/* Initial sums chosen so that the whole comes to all ones, or to one more: the carry at the edge. */
static void check_just_carry(const unsigned char *buffer, unsigned int lengths)
{
	for (unsigned int offset = 0; offset < 8; offset++) {
		uint64_t running = 0;

		for (unsigned int length = 0; length < lengths; length++) {
			uint16_t data_sum = fold(running);
			uint32_t sums[] = { 0xffffu - data_sum, 0x10000u - data_sum, 0xffffffffu - data_sum, 0u - data_sum,
					    0xffff0000u - data_sum };

			for (unsigned int i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
				assay_case("just carrying size=%u offset=%u sum=0x%x", length, offset, sums[i]);
				expect(buffer + offset, length, sums[i], running);
			}
			running += byte_weight(buffer[offset + length], length);
		}
	}
}

/* Zeros must sum to 0 and not to the other zero; all ones must never sum to 0. */
static void check_two_zeros(unsigned char *buffer)
{
	for (int value = 0; value <= 0xff; value += 0xff) {
		memset(buffer, value, LENGTH_MAX + OFFSETS);
		for (unsigned int length = 0; length < 520; length++) {
			for (unsigned int offset = 0; offset < 4; offset++) {
				assay_case("all bytes 0x%x size=%u offset=%u sum=0", value, length, offset);
				expect_like_reference(buffer + offset, length, 0);
			}
		}
	}
}

/* One byte that is not zero, everywhere: each accumulator and each lane has to reach the result. */
static void check_single_bytes(unsigned char *buffer, unsigned int length_max)
{
	memset(buffer, 0, LENGTH_MAX + OFFSETS);
	for (unsigned int length = 1; length <= length_max; length += length < 70 ? 1 : 61) {
		for (unsigned int at = 0; at < length; at++) {
			buffer[3 + at] = 0x81;
			assay_case("one byte set at %u size=%u offset=3 sum=0", at, length);
			expect(buffer + 3, length, 0, byte_weight(0x81, at));
			buffer[3 + at] = 0;
		}
	}
}

/* 32-bit accumulators of 16-bit words overflow after 128 KiB of ones, 32-bit lanes of wider sums later. */
static void check_huge(bool quick)
{
	static const unsigned int offsets[] = { 0, 1, 6 };
	unsigned int bytes = quick ? 1 << 20 : HUGE_BYTES;
	struct assay_region region = assay_region_new(HUGE_BYTES);

	memset(region.start, 0xff, bytes);
	assay_read_only(region);
	for (unsigned int i = 0; i < 3; i++) {
		unsigned int length = bytes - offsets[i] - i;
		/* Pairs are 0xffff; a last odd byte is 0xff in the first byte's place. */
		uint64_t wanted = (uint64_t)(length / 2) * 0xffff + (length % 2 ? byte_weight(0xff, 0) : 0);

		assay_case("all ones size=%u offset=%u sum=0xffffffff", length, offsets[i]);
		expect(region.start + offsets[i], length, 0xffffffff, wanted);
		assay_case("all ones size=%u offset=%u sum=0", 200001 + i, offsets[i]);
		expect_like_reference(region.start + offsets[i], 200001 + i, 0);
	}
}

/* Random data of the declared sizes and of others up to a megabyte, at both guard pages and between them. */
static void check_sizes(unsigned int rounds)
{
	struct assay_region region = assay_region_new(SIZES_BYTES_MAX + OFFSETS);

	assay_random_fill(region.start, (size_t)(region.end - region.start));
	assay_read_only(region);
	for (unsigned int i = 0; i < rounds * SIZES_COUNT; i++) {
		unsigned int length = some_size(i % SIZES_COUNT), offset = assay_random_below(OFFSETS);

		assay_case("random bytes, starts at a guard page size=%u", length);
		expect_like_reference(region.start, length, 0);
		assay_case("random bytes, ends at a guard page size=%u", length);
		expect_like_reference(region.end - length, length, 0xffffffff);
		assay_case("random bytes size=%u offset=%u", length, offset);
		expect_like_reference(region.start + offset, length, assay_random());
	}
}

/* ------------------------------------------------------------------ bounds */

/* The buffer ends, then begins, at a page that cannot be read; a length of 0 there must read nothing. */
static void check_guards(struct assay_region region, unsigned int step)
{
	uint64_t running = 0;

	for (unsigned int length = 0; length <= LENGTH_MAX; length++) {
		const unsigned char *start = region.end - length;

		if (length % step == 0 || length < 200) {
			assay_case("ends at a guard page size=%u offset=%u", length, (uintptr_t)start % OFFSETS);
			expect_like_reference(start, length, 0);
			assay_case("starts at a guard page size=%u", length);
			expect(region.start, length, 0, running);
		}
		running += byte_weight(region.start[length], length);
	}
}

/* Buffers across a page's end: code that is careful near the end must still sum the bytes after it. */
static void check_page_crossing(const unsigned char *boundary)
{
	for (unsigned int before = 0; before <= 72; before++) {
		for (unsigned int length = before; length < before + 80; length++) {
			assay_case("crosses a page's end after %u bytes size=%u", before, length);
			expect_like_reference(boundary - before, length, 0);
		}
	}
}

/* ------------------------------------------------------------------ composition */

/*
 * A buffer cut at random, chunks of zero and odd lengths included: sums of chunks add up to the sum of the
 * whole, if those that start at an odd place are byte-swapped.
 */
static void check_splits(const unsigned char *buffer, unsigned int rounds)
{
	for (unsigned int round = 0; round < rounds; round++) {
		unsigned int length = assay_random_below(LENGTH_MAX + 1), at = 0;
		uint16_t whole = fold(csum_partial_reference(buffer, (int)length, 0));
		uint32_t even_chain = 0;
		uint64_t total = 0;

		while (at < length) {
			unsigned int left = length - at;
			unsigned int piece = assay_random_below(4) == 0 ? 0 : 1 + assay_random_below(left);
			uint16_t sum;

			assay_case("split at %u of size=%u: a piece of %u bytes", at, length, piece);
			sum = fold(call(buffer + at, piece, 0));
			total += at % 2 ? swap_bytes(sum) : sum;
			at += piece;
		}
		if (fold(total) != whole)
			assay_fail("pieces add up to 0x%04x, the whole is 0x%04x", fold(total), whole);
		/* Pieces of even length may be chained through the initial sum. */
		for (at = 0; at + 2 <= length;) {
			unsigned int piece = 2 * (1 + assay_random_below((length - at) / 2));

			assay_case("chained at %u of size=%u: a piece of %u bytes", at, length, piece);
			even_chain = call(buffer + at, piece, even_chain);
			at += piece;
		}
		if (fold(call(buffer + at, length - at, even_chain)) != whole)
			assay_fail("chained pieces give another sum than the whole, 0x%04x", whole);
		assay_passed();
	}
}

static void check(bool quick)
{
	struct assay_region region = assay_region_new(assay_page_bytes() + LENGTH_MAX + 2 * OFFSETS);
	unsigned int step = quick ? 37 : 1;

	tell_features(csum_partial_init);
	assay_random_fill(region.start, (size_t)(region.end - region.start));
	assay_read_only(region);
	check_guards(region, step);
	check_page_crossing(region.start + assay_page_bytes());
	check_lengths(region.start, step, "random bytes");
	check_splits(region.start, quick ? 50 : 1000);
	check_just_carry(region.start, quick ? 100 : 400);
	assay_writable(region);
	fill_with_edge_words(region.start, (size_t)(region.end - region.start));
	assay_read_only(region);
	check_lengths(region.start, quick ? 61 : 1, "edge words");
	assay_writable(region);
	check_two_zeros(region.start);
	check_single_bytes(region.start, quick ? 80 : 700);
	check_sizes(quick ? 1 : 4);
	check_huge(quick);
}

/* ------------------------------------------------------------------ bench */

static uint64_t size, offset, chain;

static const struct assay_key keys[] = {
	{ .name = "size", .value = &size, .min = 0, .max = HUGE_BYTES },
	/* From a 64-byte aligned address. */
	{ .name = "offset", .value = &offset, .max = 4095, .optional = true },
	/* 1: each call waits for the result of the one before (latency); 0: they may overlap (throughput). */
	{ .name = "chain", .value = &chain, .max = 1, .optional = true },
};

static const unsigned char *bench_start;

static void set_up(void)
{
	struct assay_region region = assay_region_new(size + offset);

	tell_features(csum_partial_init);
	assay_random_fill(region.start, size + offset);
	bench_start = region.start + offset;
}

static uint64_t bench_chained(uint64_t iterations)
{
	const unsigned char *start = bench_start;
	int length = (int)size;
	uintptr_t zero = assay_opaque_zero();
	uint32_t sum = 0;

	for (; iterations > 0; iterations--)
		sum = csum_partial(start + (sum & zero), length, sum);
	return sum;
}

uint64_t assay_bench(uint64_t iterations)
{
	const unsigned char *start = bench_start;
	int length = (int)size;
	uint32_t sum = 0;

	if (chain)
		return bench_chained(iterations);
	for (; iterations > 0; iterations--)
		sum = csum_partial(start, length, 0);
	return sum;
}

const struct assay_hotpath assay_hotpath = {
	.name = "csum_partial",
	.keys = keys,
	.keys_count = sizeof(keys) / sizeof(keys[0]),
	.check = check,
	.set_up = set_up,
};
