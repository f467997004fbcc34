/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum with LASX, LoongArch's 256-bit vectors: two operations a vector.
 *
 * assay-about: 256-bit: widening additions of even and odd words
 * assay-requires: lasx
 *
 * LoongArch has no carry flag, and its scalar forms need four instructions for 8 bytes: 8 bytes/clock at best
 * on the four-wide LA464. LASX has widening additions that take their operands from the even or the odd
 * elements: xvaddwev.d.wu and xvaddwod.d.wu on two vectors leave the sums of their 32-bit words, two by two,
 * in 64-bit lanes, with room for 2^31 more such sums. So a pair of vectors takes two widening additions and
 * two into the accumulators: two operations for 32 bytes. The LA464 has two 256-bit pipes, each of which can
 * start one addition with a latency of one clock: 32 bytes/clock, with one load for each (of two). The LA664
 * has four: 64 bytes/clock.
 *
 * For 64 bytes, four operations, two loads: six instructions of the four-wide front end's eight slots in two
 * clocks; the rest is room for the loop.
 *
 * Below 64 bytes the sum is scalar. Loads are unaligned, which the 3A5000 and 3A6000 support in hardware
 * (cpucfg word 1, bit UAL). The kernel must own the vector registers (kernel_fpu_begin) to call this.
 */
#include "ones_complement.h"
#include "sum_lasx.h"

uint32_t csum_partial(const void *buf, int length, uint32_t sum)
{
	size_t len = (unsigned int)length;
	const uint8_t *p = buf;
	struct sums s = sums_zero();

	if (len < 64)
		return csum_narrow(csum_tail(p, len) + sum);
	for (; len >= 256; p += 256, len -= 256)
		for (unsigned int i = 0; i < 4; i++)
			add_two_vectors(&s, i & 1, load(p + 64 * i), load(p + 64 * i + 32));
	if (len & 128) {
		add_two_vectors(&s, 0, load(p), load(p + 32));
		add_two_vectors(&s, 1, load(p + 64), load(p + 96));
		p += 128;
	}
	if (len & 64) {
		add_two_vectors(&s, 0, load(p), load(p + 32));
		p += 64;
	}
	if (len & 32) {
		add_vector(&s, load(p));
		p += 32;
	}
	return csum_narrow(total(&s) + csum_tail(p, len & 31) + sum);
}
