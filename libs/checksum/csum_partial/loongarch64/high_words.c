/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum for LoongArch without vectors: plain 64-bit sums, and upper halves summed apart.
 *
 * assay-about: plain 64-bit sums and sums of upper halves, no carries
 * assay-cflags: -fno-vectorize
 *
 * Without a carry flag, a word's carry costs a compare and an addition more. Segher Boessenkool's form
 * (linuxppc-dev, 16 January 2020; see csum_tail) needs the same four instructions, ld.d, add.d, srli.d,
 * add.d, but no addition waits for a compare: each chain is one clock a word, so the four-wide LA464 is bound
 * by its width alone: 32 instructions and 2 of the loop for 64 bytes, 7.5 bytes/clock, where the code of the
 * 2023 thread had 5.9 and a chained carry has 2.7. ld.wu and add.d, two instructions for 4 bytes, come to the
 * same.
 */
#include "ones_complement.h"

uint32_t csum_partial(const void *buf, int length, uint32_t sum)
{
	size_t len = (unsigned int)length;
	const uint8_t *p = buf, *end = p + (len & ~(size_t)63);
	struct csum_exact s[2] = { { 0, 0 }, { 0, 0 } };

	if (len < 64)
		return csum_narrow(csum_tail(p, len) + sum);
	for (; p != end; p += 64)
		for (unsigned int i = 0; i < 8; i++)
			csum_exact_add(&s[i & 1], csum_load64(p + 8 * i));
	return csum_narrow(csum_exact_total(s[0]) + csum_exact_total(s[1]) + csum_tail(p, len & 63) + sum);
}
