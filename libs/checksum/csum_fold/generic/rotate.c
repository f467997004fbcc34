/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The sum plus itself with its halves exchanged: the upper half of the result is the sum of both halves, and the
 * carry out of the lower half has come into it. One addition and one rotation where two rounds need four
 * operations (the form of the kernel's arm64 and powerpc).
 *
 * assay-about: the sum plus itself rotated by 16; the upper half is the answer
 */
#include "checksum.h"

uint16_t csum_fold(uint32_t sum)
{
	uint32_t both = sum + (sum >> 16 | sum << 16);

	return (uint16_t)~(both >> 16);
}
