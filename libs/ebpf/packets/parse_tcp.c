/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Classify: Ethernet with up to one VLAN tag, IPv4 with options, TCP. After the parsers of xdp-tutorial and of TCP probes:
 * every field that a filter looks at is brought to host order. Returns ports and sequence number, mixed, or 0.
 */
#include "packet.h"

uint64_t program(unsigned char *packet, uint64_t bytes)
{
	unsigned char *end = packet + bytes, *ip = packet + ETHERNET_BYTES, *tcp;
	uint32_t ethertype, header, source, destination;

	if (ip + IPV4_BYTES > end)
		return 0;
	ethertype = GET16(packet + 12);
	if (ethertype == ETHERTYPE_VLAN) {
		ethertype = GET16(packet + 16);
		ip += VLAN_BYTES;
		if (ip + IPV4_BYTES > end)
			return 0;
	}
	if (ethertype != ETHERTYPE_IPV4 || ip[9] != PROTOCOL_TCP)
		return 0;
	if (GET16(ip + 6) & 0x1fff) /* a later fragment has no TCP header */
		return 0;
	header = (ip[0] & 15) * 4;
	if (header < IPV4_BYTES || GET16(ip + 2) < header + TCP_BYTES)
		return 0;
	tcp = ip + header;
	if (tcp + TCP_BYTES > end)
		return 0;
	source = GET16(tcp);
	destination = GET16(tcp + 2);
	if (source < 1024 && destination < 1024)
		return 0;
	return ((uint64_t)(source << 16 | destination) << 32) + GET32(tcp + 4) + GET16(tcp + 14);
}
