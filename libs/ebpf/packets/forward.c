/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Forward: look at the header's own length field and addresses, decrement TTL, sum the header of ten halfwords anew and
 * store the checksum, move the destination address to another subnet. Returns the destination address, or 0.
 */
#include "packet.h"

uint64_t program(unsigned char *packet, uint64_t bytes)
{
	unsigned char *end = packet + bytes, *ip = packet + ETHERNET_BYTES;
	uint32_t sum = 0, address;

	if (ip + IPV4_BYTES > end || GET16(packet + 12) != ETHERTYPE_IPV4 || ip[0] != 0x45)
		return 0;
	if (ip[8] <= 1 || GET16(ip + 2) > bytes - ETHERNET_BYTES)
		return 0;
	address = GET32(ip + 16);
	if ((address & 0xfff00000) != 0xac100000) /* 172.16.0.0/12 */
		return 0;
	address = 0x0a000000 | (address & 0x000fffff);
	PUT32(ip + 16, address);
	ip[8] -= 1;
	PUT16(ip + 10, 0);
#pragma clang loop unroll(full)
	for (unsigned int i = 0; i < IPV4_BYTES; i += 2)
		sum += GET16(ip + i);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	PUT16(ip + 10, ~sum);
	return address;
}
