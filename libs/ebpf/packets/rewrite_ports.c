/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Translate ports: TCP or UDP to port 80 is sent to 8080 plus a hash of the source port, with the checksum updated
 * incrementally (RFC 1624, equation 3), as load balancers and NAT do it. Returns the new destination port, or 0.
 */
#include "packet.h"

static inline uint32_t fold(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16);
}

uint64_t program(unsigned char *packet, uint64_t bytes)
{
	unsigned char *end = packet + bytes, *ip = packet + ETHERNET_BYTES, *transport = ip + IPV4_BYTES, *checksum;
	uint32_t source, destination, sum;

	if (transport + TCP_BYTES > end || GET16(packet + 12) != ETHERTYPE_IPV4 || ip[0] != 0x45)
		return 0;
	if (ip[9] == PROTOCOL_TCP)
		checksum = transport + 16;
	else if (ip[9] == PROTOCOL_UDP)
		checksum = transport + 6;
	else
		return 0;
	if (GET16(transport + 2) != 80)
		return 0;
	source = GET16(transport);
	destination = 8080 + (source & 7);
	sum = (uint16_t)~GET16(checksum) + (uint32_t)(uint16_t)~80 + destination;
	PUT16(checksum, ~fold(sum));
	PUT16(transport + 2, destination);
	return destination;
}
