/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum for LoongArch without vectors: plain 64-bit sums, and upper halves summed apart.
 *
 * assay-about: plain 64-bit sums and sums of upper halves, no carries
 * assay-cflags: -fno-vectorize
 *
 * Without a carry flag, a word's carry costs another compare and another addition. Segher Boessenkool's form
 * (linuxppc-dev, 16 January 2020; see csum_tail) needs the same four instructions, ld.d, add.d, srli.d,
 * add.d, but no addition depends on a compare: each chain is one clock a word, so the four-wide LA464 is bound
 * by its width alone: 66 instructions for 128 bytes and a bubble for the taken branch, 7 bytes/clock, where the
 * code of the 2023 thread had 5.9 and a chained carry has 2.7. ld.wu and add.d, two instructions for 4 bytes,
 * come to the same.
 */
#include "ones_complement.h"

uint32_t csum_partial(const void *buf, int length, uint32_t sum)
{
	size_t len = (unsigned int)length;
	const uint8_t *p = buf, *end = p + (len & ~(size_t)127);
	struct csum_exact even = { 0, 0 }, odd = { 0, 0 };

	if (len < 128)
		return csum_narrow(csum_tail(p, len) + sum);
	for (; p != end; p += 128)
#pragma GCC unroll 8
		for (int i = 0; i < 128; i += 16) {
			csum_exact_add(&even, csum_load64(p + i));
			csum_exact_add(&odd, csum_load64(p + i + 8));
		}
	return csum_narrow(csum_exact_total(even) + csum_exact_total(odd) + csum_tail(p, len & 127) + sum);
}
