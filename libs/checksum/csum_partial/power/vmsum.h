/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum with AltiVec alone, for 32-bit and 64-bit processors: what power/vmx.c and
 * powerpc/altivec.c have in common.
 *
 * vmsumuhm with a multiplier of ones adds a vector's eight 16-bit words into four 32-bit lanes (see vsx.S).
 * Without VSX there are two things to work around:
 *  - lvx ignores the low four bits of the address. So that no load starts before the buffer or ends after it,
 *    the bytes up to the first multiple of 16 are summed as scalars. If the buffer starts
 *    at an odd address, all words after that are straddled: the sum is of byte-swapped words, and is swapped
 *    once at the end (RFC 1071, 2(B)).
 *  - no direct move: the result goes through memory.
 *
 * Eight accumulators cover the latency of vmsumuhm (four clocks on the 7450, seven on POWER7) at one a clock.
 *
 * Overflow: a lane, over all accumulators, grows by at most 2 * 65535 a vector; 32768 vectors fit. After
 * 16384 the lanes are folded.
 */
#ifndef CHECKSUM_POWER_VMSUM_H
#define CHECKSUM_POWER_VMSUM_H

#include <altivec.h>

#include "ones_complement.h"

#define BLOCK_VECTORS 8
#define FOLD_VECTORS 16384
#define SCALAR_BYTES 64 /* below it, no vectors */

typedef __vector unsigned int lanes32;
typedef __vector unsigned short words16;

static inline lanes32 add_vector(lanes32 sum, const uint8_t *p, long offset)
{
	return vec_msum((words16)vec_ld(offset, p), vec_splat_u16(1), sum);
}

/*
 * `first` + `blocks` blocks, which must not be more than FOLD_VECTORS vectors; folded to at most 2 * 65535 a
 * lane.
 */
static inline lanes32 sum_blocks(const uint8_t *p, size_t blocks, lanes32 first)
{
	const lanes32 zero = vec_splat_u32(0);
	lanes32 a0 = first, a1 = zero, a2 = zero, a3 = zero, a4 = zero, a5 = zero, a6 = zero, a7 = zero;

	for (; blocks; blocks--, p += 16 * BLOCK_VECTORS) {
		a0 = add_vector(a0, p, 0);
		a1 = add_vector(a1, p, 16);
		a2 = add_vector(a2, p, 32);
		a3 = add_vector(a3, p, 48);
		a4 = add_vector(a4, p, 64);
		a5 = add_vector(a5, p, 80);
		a6 = add_vector(a6, p, 96);
		a7 = add_vector(a7, p, 112);
	}
	a0 = vec_add(vec_add(vec_add(a0, a1), vec_add(a2, a3)), vec_add(vec_add(a4, a5), vec_add(a6, a7)));
	return vec_msum((words16)a0, vec_splat_u16(1), zero);
}

/* The sum of `vectors` vectors at the 16-byte aligned address p, below 2^32. */
static inline uint32_t sum_vectors(const uint8_t *p, size_t vectors)
{
	union {
		__vector signed int vector;
		uint32_t words[4];
	} result;
	lanes32 sum = vec_splat_u32(0);

	while (vectors >= BLOCK_VECTORS) {
		size_t chunk = (vectors < FOLD_VECTORS ? vectors : FOLD_VECTORS) / BLOCK_VECTORS;

		sum = sum_blocks(p, chunk, sum);
		p += chunk * 16 * BLOCK_VECTORS;
		vectors -= chunk * BLOCK_VECTORS;
	}
	for (; vectors; vectors--, p += 16)
		sum = add_vector(sum, p, 0);
	sum = vec_msum((words16)sum, vec_splat_u16(1), vec_splat_u32(0));
	result.vector = vec_sums((__vector signed int)sum, vec_splat_s32(0));
	/* vsumsws leaves zeros in the other words; which one it takes depends on the byte order. */
	return result.words[0] + result.words[3];
}

/*
 * sum + the words of p[0..len): 32-bit words into 64 bits, so that no carry gets lost in 32-bit registers
 * either.
 */
static inline uint64_t sum_scalar(const uint8_t *p, size_t len, uint64_t sum)
{
	for (; len >= 4; p += 4, len -= 4)
		sum += csum_load32(p);
	if (len & 2) {
		sum += csum_load16(p);
		p += 2;
	}
	return len & 1 ? sum + csum_odd_byte(*p) : sum;
}

/*
 * The bytes before the first multiple of 16, as words at even addresses: the byte at an odd one is the second
 * of its pair.
 */
static inline uint64_t sum_to_alignment(const uint8_t *p)
{
	uint64_t sum = 0;

	if ((uintptr_t)p & 1) {
		sum = csum_odd_byte(1) == 1 ? (uint64_t)*p << 8 : *p;
		p++;
	}
	if ((uintptr_t)p & 2) {
		sum += csum_load16(p);
		p += 2;
	}
	for (; (uintptr_t)p & 12; p += 4)
		sum += csum_load32(p);
	return sum;
}

static inline uint32_t csum_altivec(const uint8_t *p, size_t len, uint32_t sum)
{
	size_t head = -(uintptr_t)p & 15;
	uint64_t total;
	uint32_t folded;

	if (len < SCALAR_BYTES)
		return csum_narrow(sum_scalar(p, len, sum));
	total = sum_to_alignment(p);
	total += sum_vectors(p + head, (len - head) / 16);
	folded = csum_narrow(sum_scalar(p + len - (len - head) % 16, (len - head) % 16, total));
	if ((uintptr_t)p & 1)
		folded = csum_exchange_bytes(folded);
	return csum_narrow((uint64_t)folded + sum);
}

#endif
