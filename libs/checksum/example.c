/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A complete use of the library: fills in the checksums of an IPv4/UDP packet, verifies them as a receiver
 * does, and routes the packet on, which changes its time to live. README.md says how to build it.
 */
#include <stdio.h>
#include <string.h>

#include "checksum.h"

enum { IP_BYTES = 20, UDP_BYTES = 8, PAYLOAD_BYTES = 13 };
enum { TTL_AND_PROTOCOL = 8, IP_CHECK = 10, ADDRESSES = 12, UDP_CHECK = IP_BYTES + 6 };

/* clang-format off */
static unsigned char packet[] = {
	/* IPv4: version and words, service, length 41; id, fragment; time to live 64, UDP, checksum; addresses */
	0x45, 0x00, 0x00, 0x29, 0x12, 0x34, 0x40, 0x00, 0x40, 0x11, 0x00, 0x00, 192, 0, 2, 1, 198, 51, 100, 7,
	/* UDP: ports 5353 and 53, length 21, checksum */
	0x14, 0xe9, 0x00, 0x35, 0x00, 0x15, 0x00, 0x00,
	/* 13 bytes of payload: an odd length */
	'H', 'e', 'l', 'l', 'o', ',', ' ', 'w', 'o', 'r', 'l', 'd', '!',
};
/* clang-format on */

/* The UDP pseudo-header of IPv4 has the addresses, the protocol and the length (RFC 768). */
static uint32_t pseudo_header_sum(void)
{
	unsigned char rest[4] = { 0, 17, 0, UDP_BYTES + PAYLOAD_BYTES };

	return csum_partial(rest, sizeof(rest), csum_partial(packet + ADDRESSES, 8, 0));
}

static uint16_t load16(const unsigned char *from)
{
	uint16_t word;

	memcpy(&word, from, sizeof(word));
	return word;
}

/* Sums are in the machine's byte order, and so they are stored: that makes the right bytes everywhere. */
static void store16(unsigned char *to, uint16_t word)
{
	memcpy(to, &word, sizeof(word));
}

static void fill_in(void)
{
	uint16_t udp;

	store16(packet + IP_CHECK, ip_fast_csum(packet, IP_BYTES / 4));
	udp = csum_fold(csum_partial(packet + IP_BYTES, UDP_BYTES + PAYLOAD_BYTES, pseudo_header_sum()));
	/* UDP says "no checksum" by 0, so a computed 0 is sent as the other zero. */
	store16(packet + UDP_CHECK, udp == 0 ? 0xffff : udp);
}

/* With the checksum in its place, everything comes to the complement of all ones. */
static int intact(void)
{
	uint32_t udp = csum_partial(packet + IP_BYTES, UDP_BYTES + PAYLOAD_BYTES, pseudo_header_sum());

	return ip_fast_csum(packet, IP_BYTES / 4) == 0 && csum_fold(udp) == 0;
}

/* One field has changed, so only the checksum is touched besides (RFC 1624). */
static void route(void)
{
	uint16_t before = load16(packet + TTL_AND_PROTOCOL);

	packet[TTL_AND_PROTOCOL]--;
	store16(packet + IP_CHECK, csum_replace2(load16(packet + IP_CHECK), before, load16(packet + TTL_AND_PROTOCOL)));
}

int main(void)
{
	fill_in();
	printf("IP checksum %02x%02x, UDP checksum %02x%02x\n", packet[IP_CHECK], packet[IP_CHECK + 1], packet[UDP_CHECK],
	       packet[UDP_CHECK + 1]);
	printf("as sent: %s\n", intact() ? "intact" : "damaged");
	route();
	printf("one hop on: %s\n", intact() ? "intact" : "damaged");
	packet[IP_BYTES + UDP_BYTES + 4] ^= 0x20;
	printf("one bit off: %s\n", intact() ? "intact" : "damaged");
	return 0;
}
