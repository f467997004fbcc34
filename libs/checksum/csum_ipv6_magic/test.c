/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks and bench of csum_ipv6_magic: random addresses and addresses of edge words, at all multiples of four,
 * ending and starting at pages that cannot be read, with lengths and sums of all sizes. It covers what the
 * kernel suite's case of this name does, and one known header.
 */
#include "checksum.h"
#include "test_support.h"

uint16_t csum_ipv6_magic_reference(const void *saddr, const void *daddr, uint32_t len, uint8_t proto, uint32_t sum);

static uint16_t call(const unsigned char *from, const unsigned char *to, uint32_t length, uint8_t protocol, uint32_t sum)
{
	return assay_returned_u16(assay_call(csum_ipv6_magic, assay_pointer(from), assay_pointer(to), assay_u32(length),
					     assay_u32(protocol), assay_u32(sum)));
}

static void try_one(const unsigned char *from, const unsigned char *to, uint32_t length, uint8_t protocol, uint32_t sum)
{
	uint16_t wanted = csum_ipv6_magic_reference(from, to, length, protocol, sum), result;

	assay_case("len=0x%x proto=%u sum=0x%x saddr_offset=%u daddr_offset=%u", length, protocol, sum, (uintptr_t)from % 64,
		   (uintptr_t)to % 64);
	result = call(from, to, length, protocol, sum);
	if (result != wanted)
		assay_fail("returned 0x%04x; the reference returns 0x%04x", result, wanted);
	assay_passed();
}

static uint32_t some_word(void)
{
	static const uint32_t edges[] = { 0, 1, 0xffff, 0x10000, 0xfffffffe, 0xffffffff, 0x80000000, 20 };

	return assay_random_below(2) ? edges[assay_random_below(8)] : assay_random();
}

/* With any next header, below 2^32: see checksum.h. */
static uint32_t some_length(void)
{
	uint32_t length = some_word();

	return length > 0xffffff00 ? 0xffffff00 : length;
}

static void fill(unsigned char *to, size_t bytes, unsigned int round)
{
	if (round % 4 == 0)
		memset(to, round % 8 ? 0xff : 0, bytes);
	else if (round % 4 == 1)
		fill_with_edge_words(to, bytes);
	else
		assay_random_fill(to, bytes);
}

/* ::1 to ::1, TCP, 20 bytes: 1 + 1 + 20 + 6 = 28, complemented 0xffe3 in network order. */
static void check_known_header(unsigned char *buffer)
{
	static const unsigned char wanted[2] = { 0xff, 0xe3 };
	uint16_t result;

	memset(buffer, 0, 16);
	buffer[15] = 1;
	assay_case("a known header");
	result = call(buffer, buffer, 20, 6, 0);
	if (memcmp(&result, wanted, 2) != 0)
		assay_fail("stored, 0x%04x is not the bytes ff e3", result);
	assay_passed();
}

static void check(bool quick)
{
	struct assay_region from = assay_region_new(256), to = assay_region_new(256);

	check_known_header(from.start);
	for (unsigned int round = 0; round < (quick ? 200u : 10000u); round++) {
		unsigned int offset = 4 * assay_random_below(16);

		fill(from.start, 128, round);
		fill(to.start, 128, round / 2);
		memcpy(from.end - 16, from.start + 3, 16);
		memcpy(to.end - 16, to.start + 3, 16);
		assay_read_only(from);
		assay_read_only(to);
		try_one(from.start, to.start, some_length(), (uint8_t)assay_random(), some_word());
		try_one(from.end - 16, to.end - 16, some_length(), (uint8_t)assay_random(), some_word());
		try_one(from.start + offset, to.start + 64 - offset, some_length(), (uint8_t)some_word(), some_word());
		assay_writable(from);
		assay_writable(to);
		/* Nothing but zeros gives the one zero; the smallest sum gives the other. */
		memset(from.start, 0, 16);
		try_one(from.start, from.start, 0, 0, 0);
		try_one(from.start, from.start, 0, 0, 0xffffffff);
	}
}

static uint64_t chain;

static const struct assay_key keys[] = {
	/* 1: each call adds to the result of the one before (latency); 0: they may overlap (throughput). */
	{ .name = "chain", .value = &chain, .max = 1, .optional = true },
};

static unsigned char *bench_addresses;

static void set_up(void)
{
	struct assay_region region = assay_region_new(64);

	assay_random_fill(region.start, 64);
	bench_addresses = region.start + 8;
}

uint64_t assay_bench(uint64_t iterations)
{
	const unsigned char *addresses = bench_addresses;
	uint32_t keep = chain ? 0xffffffff : 0;
	uint16_t result = 0;

	for (; iterations > 0; iterations--)
		result = csum_ipv6_magic(addresses, addresses + 16, 1440, 6, 0x12345678 + (result & keep));
	return result;
}

const struct assay_hotpath assay_hotpath = {
	.name = "csum_ipv6_magic",
	.keys = keys,
	.keys_count = sizeof(keys) / sizeof(keys[0]),
	.check = check,
	.set_up = set_up,
};
