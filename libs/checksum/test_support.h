/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the tests of the checksum hot paths share: comparable sums, and data that carries at the edges. */
#ifndef CHECKSUM_TEST_SUPPORT_H
#define CHECKSUM_TEST_SUPPORT_H

#include "assay.h"

/* A partial sum of up to 64 bits in 16, not complemented. Zero only for zero. */
static inline uint16_t fold(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

/* What byte number `index` from the start of a buffer adds to its sum. */
static inline uint32_t byte_weight(unsigned char byte, unsigned int index)
{
	return (index % 2 == 0) == ASSAY_BIG_ENDIAN ? byte * 256u : byte;
}

/* A folded sum of a chunk that begins an odd number of bytes into the whole. */
static inline uint16_t swap_bytes(uint16_t sum)
{
	return (uint16_t)(sum << 8 | sum >> 8);
}

/*
 * Words at the edges of carry: all ones makes every addition carry unless the other side is zero, and makes
 * an incoming carry produce an outgoing one. `bytes` is a multiple of 8.
 */
static inline void fill_with_edge_words(unsigned char *to, size_t bytes)
{
	static const uint32_t edges[] = { 0xffffffff, 0xffffffff, 0, 1, 0xfffffffe, 0x80000000, 0x7fffffff, 0xffff0000 };

	for (size_t i = 0; i < bytes; i += 4) {
		uint32_t word = edges[assay_random_below(8)];

		memcpy(to + i, &word, 4);
	}
}

/*
 * The sizes that csum_partial's and csum_partial_copy's hotpath.toml declare, so that nothing is timed that was not checked,
 * and then one in each octave up to 1 MiB: code that is wrong for a class of lengths is wrong for some of them.
 */
enum { SIZES_COUNT = 5 + 9, SIZES_BYTES_MAX = 1 << 20 };

static inline unsigned int some_size(unsigned int index)
{
	static const unsigned int declared[] = { 40, 250, 1472, 4096, 65536 };
	const unsigned int declared_count = sizeof(declared) / sizeof(declared[0]);
	unsigned int octave;

	if (index < declared_count)
		return declared[index];
	octave = 2048u << (index - declared_count);
	return octave + assay_random_below(octave);
}

/*
 * A dispatcher that cannot ask the processor itself has a second function, `init`, which is told what the kernel told
 * the runner. Other variants have none: the tests declare it weak, and it is then a null pointer.
 */
static inline void tell_features(void (*init)(unsigned long hwcap, unsigned long hwcap2))
{
	enum { AT_HWCAP = 16, AT_HWCAP2 = 26 };

	if (init)
		init(assay_auxiliary(AT_HWCAP), assay_auxiliary(AT_HWCAP2));
}

#endif
