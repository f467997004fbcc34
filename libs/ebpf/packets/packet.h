/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For the packet programs of this folder: each is compiled twice, for BPF as input of the code generators that are
 * compared, and natively as the reference of their results. A program is
 *
 *     uint64_t program(unsigned char *packet, uint64_t bytes)
 *
 * with the packet in r1 and its length in r2. Fields are read at their natural width, as kernel headers do it. After 14
 * bytes of Ethernet the IPv4 header is misaligned by a halfword, which the targets of BPF allow.
 */
#ifndef PACKET_H
#define PACKET_H

#include <stdint.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NET16(value) __builtin_bswap16(value)
#define NET32(value) __builtin_bswap32(value)
#else
#define NET16(value) (value)
#define NET32(value) (value)
#endif

typedef uint16_t __attribute__((may_alias)) field16;
typedef uint32_t __attribute__((may_alias)) field32;

#define FIELD16(at) (*(field16 *)(at))
#define FIELD32(at) (*(field32 *)(at))

/* In host order. */
#define GET16(at) ((uint16_t)NET16(FIELD16(at)))
#define GET32(at) ((uint32_t)NET32(FIELD32(at)))
#define PUT16(at, value) (FIELD16(at) = NET16((uint16_t)(value)))
#define PUT32(at, value) (FIELD32(at) = NET32((uint32_t)(value)))

enum { ETHERNET_BYTES = 14, VLAN_BYTES = 4, IPV4_BYTES = 20, TCP_BYTES = 20, UDP_BYTES = 8 };
enum { ETHERTYPE_IPV4 = 0x0800, ETHERTYPE_VLAN = 0x8100, PROTOCOL_TCP = 6, PROTOCOL_UDP = 17 };

#endif
