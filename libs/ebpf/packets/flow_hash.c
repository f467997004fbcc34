/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hash a flow: addresses and ports in host order, ordered so that both directions hash alike, mixed with multiplications
 * and rotations, as connection trackers do. Returns the hash, or 0.
 */
#include "packet.h"

static inline uint32_t mix(uint32_t hash, uint32_t value)
{
	hash ^= value * 0xcc9e2d51u;
	hash = hash << 13 | hash >> 19;
	return hash * 5 + 0xe6546b64u;
}

uint64_t program(unsigned char *packet, uint64_t bytes)
{
	unsigned char *end = packet + bytes, *ip = packet + ETHERNET_BYTES, *transport = ip + IPV4_BYTES;
	uint32_t source, destination, ports, hash = 0x9747b28c;

	if (transport + 4 > end || GET16(packet + 12) != ETHERTYPE_IPV4 || ip[0] != 0x45)
		return 0;
	source = GET32(ip + 12);
	destination = GET32(ip + 16);
	ports = GET32(transport);
	if (source > destination) {
		uint32_t other = source;

		source = destination;
		destination = other;
		ports = ports << 16 | ports >> 16;
	}
	hash = mix(hash, source);
	hash = mix(hash, destination);
	hash = mix(hash, ports);
	return mix(hash, ip[9]) | 1;
}
