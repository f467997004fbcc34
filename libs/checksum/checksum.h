/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The Internet checksum (RFC 1071): one's complement sums for IP, TCP, UDP and ICMP, with the contracts of
 * the Linux kernel's functions of the same names. Freestanding: no libc, no allocation, no state but a dispatcher's choice
 * of the form for this CPU. Threads may call them at the same time, the first time too.
 *
 * Values. A checksum is a sum of 16-bit words in which a carry out of the top is added back at the bottom,
 * that is, a residue modulo 0xffff. Zero has two forms, 0x0000 and 0xffff, which are not interchangeable: a sum
 * of nothing but zeros is 0x0000, and any other sum that is a multiple of 0xffff is 0xffff.
 *
 * A 32-bit *partial sum* is any value congruent to the sum modulo 0xffff (so functions may differ in it, and
 * only csum_fold makes results comparable). It keeps the rule on zero: a partial sum is 0 only if everything
 * summed, the initial sum included, is 0.
 *
 * Byte order. All sums are of 16-bit words in the machine's own byte order, as they lie in memory. The
 * result is stored in the same way, and is then right on the wire on any machine (RFC 1071, 2(B)). A byte
 * left over at an odd length counts as the first byte of a pair whose second is zero. A buffer that follows
 * an odd number of bytes has to have its sum's bytes exchanged before it is added (csum_block_add in the kernel).
 */
#ifndef CHECKSUM_H
#define CHECKSUM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The partial sum of `len` bytes (0 to INT_MAX) at any address, added to `sum`, any partial sum.
 * Reads exactly these bytes, or, where a variant's head says so, the aligned 8-byte words they lie in.
 */
uint32_t csum_partial(const void *buf, int len, uint32_t sum);

/* A partial sum as it goes into a header: folded to 16 bits and complemented. csum_fold(0) is 0xffff. */
uint16_t csum_fold(uint32_t sum);

/*
 * Copies `len` bytes (0 to INT_MAX) that do not overlap and returns their partial sum, in one pass. The sum
 * starts from 0xffffffff, as in the kernel since 5.10: no correct result is 0, so where faults are handled,
 * 0 can mean that an access faulted.
 */
uint32_t csum_partial_copy(const void *src, void *dst, int len);

/* The checksum of an IPv4 header of `ihl` 32-bit words (5 to 15) at a 4-byte aligned address, complemented. */
uint16_t ip_fast_csum(const void *iph, unsigned int ihl);

/*
 * The complemented checksum of an IPv6 pseudo-header (RFC 8200, 8.1) plus `sum`, the partial sum of what
 * follows. Addresses are 16 bytes in network order at 4-byte aligned addresses; `len` and `proto` are in the
 * machine's order, and add up to less than 2^32 (the kernel's 32-bit PowerPC form relies on it).
 */
uint16_t csum_ipv6_magic(const void *saddr, const void *daddr, uint32_t len, uint8_t proto, uint32_t sum);

/*
 * The checksum `check` of a header after one 16-bit or 32-bit field in it has changed from `from` to `to`
 * (RFC 1624, equation 3), all as they lie in memory. Unlike RFC 1141's form it is right at zero: a header
 * that is not all zeros never gets the checksum 0xffff.
 */
uint16_t csum_replace2(uint16_t check, uint16_t from, uint16_t to);
uint16_t csum_replace4(uint16_t check, uint32_t from, uint32_t to);

#ifdef __cplusplus
}
#endif

#endif
