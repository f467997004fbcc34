/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The test of a packet program as machine code: its result and what it wrote to the packet, against the same program
 * compiled natively. The packet ends where a page that faults begins. Included with PROGRAM and REFERENCE defined.
 */
#include "assay.h"
#include "ebpf.h"
#include "packet.h"

uint64_t PROGRAM(struct ebpf_frame *frame);
uint64_t REFERENCE(struct ebpf_frame *frame);

enum { PACKET_BYTES = 64 };

/* Ethernet, IPv4 without options, TCP: 203.0.113.7 port 40001 to 172.16.5.9 port 80. Every program goes all the way. */
/* clang-format off */
static const unsigned char matching_packet[PACKET_BYTES] = {
	0x02, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 2, 0x08, 0x00,
	0x45, 0, 0, 50, 0x12, 0x34, 0x40, 0, 64, 6, 0xb5, 0x11, 203, 0, 113, 7, 172, 16, 5, 9,
	0x9c, 0x41, 0, 80, 0xde, 0xad, 0xbe, 0xef, 0, 0, 0, 1, 0x50, 0x18, 0xfa, 0xf0, 0x77, 0x88, 0, 0,
	'G', 'E', 'T', ' ', '/', ' ', 'H', 'T', 'T', 'P',
};
/* clang-format on */

static struct assay_region region;
static unsigned char want[PACKET_BYTES];

static struct ebpf_frame frame_of(unsigned char *packet, size_t bytes)
{
	/* The programs use no stack, and call nothing. */
	return (struct ebpf_frame){ .context = (uintptr_t)packet, .context_bytes = bytes };
}

static void try_packet(size_t bytes)
{
	unsigned char *packet = region.end - bytes;
	struct ebpf_frame ours = frame_of(packet, bytes), theirs = frame_of(want, bytes);
	uint64_t got, expected;

	memcpy(want, packet, bytes);
	expected = REFERENCE(&theirs);
	got = assay_call(PROGRAM, assay_pointer(&ours));
	if (sizeof(uintptr_t) < sizeof(got)) /* two registers, the high word first */
		got = got << 32 | assay_call_second();
	if (got != expected)
		assay_fail("returned 0x%llx, expected 0x%llx", (unsigned long long)got, (unsigned long long)expected);
	for (size_t i = 0; i < bytes; i++) {
		if (packet[i] != want[i])
			assay_fail("left 0x%02x at byte %u of the packet, expected 0x%02x", packet[i], (unsigned)i, want[i]);
	}
	assay_passed();
}

/* Sets a few bytes that the programs test, to the values they test for or to random ones. */
static void mutate(unsigned char *packet, size_t bytes)
{
	static const unsigned char places[] = { 12, 13, 14, 16, 17, 20, 21, 22, 23, 30, 31, 34, 35, 36, 37 };

	for (unsigned int changes = assay_random_below(4); changes && bytes; changes--) {
		size_t place = assay_random_below(2) ? places[assay_random_below(sizeof(places))] : assay_random_below(bytes);

		if (place < bytes)
			packet[place] = (unsigned char)assay_random();
	}
	if (assay_random_below(8) == 0 && bytes >= 18) {
		/* a VLAN tag */
		memmove(packet + 16, packet + 12, bytes - 16);
		packet[12] = 0x81;
		packet[13] = 0x00;
	}
	if (assay_random_below(8) == 0 && bytes > 23)
		packet[23] = 17;
}

static void check(bool quick)
{
	region = assay_region_new(4096);
	for (unsigned int i = 0; i < (quick ? 3000 : 200000); i++) {
		size_t bytes = assay_random_below(4) ? PACKET_BYTES : assay_random_below(PACKET_BYTES + 1);
		unsigned char *packet = region.end - bytes;

		assay_case("packet %u of %u bytes", i, bytes);
		memcpy(packet, matching_packet, bytes);
		if (i)
			mutate(packet, bytes);
		try_packet(bytes);
	}
}

static uint64_t matching;

static void set_up(void)
{
	region = assay_region_new(4096);
}

uint64_t assay_bench(uint64_t iterations)
{
	unsigned char *packet = region.end - PACKET_BYTES;
	struct ebpf_frame frame = frame_of(packet, PACKET_BYTES);
	uint64_t sum = 0;

	memcpy(packet, matching_packet, PACKET_BYTES);
	for (uint64_t i = 0; i < iterations; i++) {
		/* What a program may have changed: addresses, TTL and checksum, ports, TCP checksum; 0x0806 is ARP. */
		memcpy(packet + 22, matching_packet + 22, 16);
		packet[13] = matching ? 0x00 : 0x06;
		packet[50] = matching_packet[50];
		packet[51] = matching_packet[51];
		sum += PROGRAM(&frame);
	}
	return sum;
}

static const struct assay_key keys[] = {
	{ .name = "matching", .value = &matching, .min = 0, .max = 1 },
};

#define TEXT_OF(symbol) #symbol
#define NAME_OF(symbol) TEXT_OF(symbol)

const struct assay_hotpath assay_hotpath = {
	.name = NAME_OF(PROGRAM),
	.keys = keys,
	.keys_count = 1,
	.check = check,
	.set_up = set_up,
};
