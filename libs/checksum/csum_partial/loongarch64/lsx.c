/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum with LSX, LoongArch's 128-bit vectors: two operations a vector.
 *
 * assay-about: 128-bit: widening additions of even and odd words
 * assay-requires: lsx
 *
 * The method of lasx.c at half the width, for cores without LASX (Loongson 2K1500, 2K2000 and their line) and
 * for lengths that do not fill wider vectors: two widening additions (even words, odd words) and two
 * accumulations for 32 bytes. 16 bytes/clock on two pipes.
 */
#include "ones_complement.h"
#include "sum_lsx.h"

uint32_t csum_partial(const void *buf, int length, uint32_t sum)
{
	size_t len = (unsigned int)length;
	const uint8_t *p = buf;
	struct sums s = sums_zero();

	if (len < 64)
		return csum_narrow(csum_tail(p, len) + sum);
	for (; len >= 128; p += 128, len -= 128)
		for (unsigned int i = 0; i < 4; i++)
			add_two_vectors(&s, i & 1, load(p + 32 * i), load(p + 32 * i + 16));
	if (len & 64) {
		add_two_vectors(&s, 0, load(p), load(p + 16));
		add_two_vectors(&s, 1, load(p + 32), load(p + 48));
		p += 64;
	}
	if (len & 32) {
		add_two_vectors(&s, 0, load(p), load(p + 16));
		p += 32;
	}
	if (len & 16) {
		add_vector(&s, load(p));
		p += 16;
	}
	return csum_narrow(total(&s) + csum_tail(p, len & 15) + sum);
}
