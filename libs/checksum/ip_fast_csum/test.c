/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks and bench of ip_fast_csum: headers of all lengths, at all multiples of four in a cache line, ending
 * and starting at pages that cannot be read, with random data and data that carries at the edges. It covers what
 * the kernel suite's ip_fast_csum case does, and a real header with its checksum from RFC 1071's arithmetic.
 */
#include "checksum.h"
#include "test_support.h"

uint16_t ip_fast_csum_reference(const void *iph, unsigned int ihl);

enum { IHL_MIN = 5, IHL_MAX = 15, HEADER_BYTES_MAX = IHL_MAX * 4 };

static void try_one(const unsigned char *header, unsigned int ihl, const char *what)
{
	uint16_t wanted = ip_fast_csum_reference(header, ihl), result;

	assay_case("%s ihl=%u offset=%u", what, ihl, (uintptr_t)header % 64);
	result = assay_returned_u16(assay_call(ip_fast_csum, assay_pointer(header), assay_u32(ihl)));
	if (result != wanted)
		assay_fail("returned 0x%04x; the reference returns 0x%04x", result, wanted);
	assay_passed();
}

/* 192.168.0.1 to 192.168.0.199, UDP, 115 bytes: the checksum is 0xb861 in network order. */
static void check_known_header(unsigned char *buffer)
{
	static const unsigned char header[20] = { 0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11,
						  0x00, 0x00, 0xc0, 0xa8, 0x00, 0x01, 0xc0, 0xa8, 0x00, 0xc7 };
	static const unsigned char wanted[2] = { 0xb8, 0x61 };
	uint16_t result;

	memcpy(buffer, header, sizeof(header));
	assay_case("a known header ihl=5");
	result = assay_returned_u16(assay_call(ip_fast_csum, assay_pointer(buffer), assay_u32(IHL_MIN)));
	if (memcmp(&result, wanted, 2) != 0)
		assay_fail("stored, 0x%04x is not the bytes b8 61", result);
	/* With its checksum in place, a header sums to nothing. */
	memcpy(buffer + 10, &result, 2);
	if (assay_returned_u16(assay_call(ip_fast_csum, assay_pointer(buffer), assay_u32(IHL_MIN))) != 0)
		assay_fail("a header with its right checksum does not give 0");
	assay_passed();
}

static void fill(struct assay_region region, unsigned int round)
{
	if (round % 4 == 0)
		memset(region.start, round % 8 ? 0xff : 0, 4 * HEADER_BYTES_MAX);
	else if (round % 4 == 1)
		fill_with_edge_words(region.start, 4 * HEADER_BYTES_MAX);
	else
		assay_random_fill(region.start, 4 * HEADER_BYTES_MAX);
}

static void check(bool quick)
{
	struct assay_region region = assay_region_new(4 * HEADER_BYTES_MAX);

	check_known_header(region.start);
	for (unsigned int round = 0; round < (quick ? 40u : 1000u); round++) {
		fill(region, round);
		for (unsigned int ihl = IHL_MIN; ihl <= IHL_MAX; ihl++) {
			memcpy(region.end - 4 * ihl, region.start + 4, 4 * ihl);
			assay_read_only(region);
			try_one(region.end - 4 * ihl, ihl, "ends at a guard page");
			for (unsigned int offset = 0; offset < 64; offset += 4)
				try_one(region.start + offset, ihl, "header");
			assay_writable(region);
		}
	}
}

static uint64_t ihl, chain;

static const struct assay_key keys[] = {
	{ .name = "ihl", .value = &ihl, .min = IHL_MIN, .max = IHL_MAX },
	/* 1: each call waits for the result of the one before (latency); 0: they may overlap (throughput). */
	{ .name = "chain", .value = &chain, .max = 1, .optional = true },
};

static const unsigned char *bench_header;

static void set_up(void)
{
	struct assay_region region = assay_region_new(HEADER_BYTES_MAX);

	assay_random_fill(region.start, HEADER_BYTES_MAX);
	/* As in a packet: after an Ethernet header of 14 bytes in a buffer that starts 2 bytes off. */
	bench_header = region.start + 16;
}

uint64_t assay_bench(uint64_t iterations)
{
	const unsigned char *header = bench_header;
	unsigned int words = (unsigned int)ihl;
	uintptr_t mask = assay_opaque_zero();
	uint16_t result = 0;

	if (!chain) {
		for (; iterations > 0; iterations--)
			result = ip_fast_csum(header, words);
		return result;
	}
	for (; iterations > 0; iterations--)
		result = ip_fast_csum(header + (result & mask), words);
	return result;
}

const struct assay_hotpath assay_hotpath = {
	.name = "ip_fast_csum",
	.keys = keys,
	.keys_count = sizeof(keys) / sizeof(keys[0]),
	.check = check,
	.set_up = set_up,
};
