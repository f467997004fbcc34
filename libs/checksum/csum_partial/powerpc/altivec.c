/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum for 32-bit PowerPC with AltiVec (7400, 7450 and their line; not the e300 or 8xx):
 * multiply-sum.
 *
 * assay-about: aligned lvx and vmsumuhm, 16 bytes an operation
 * assay-requires: altivec
 * assay-cflags: -fno-unroll-loops
 *
 * A 32-bit adde chain adds 4 bytes a step; lvx and vmsumuhm take 16. vmsum.h, which the 64-bit variant shares,
 * explains the method.
 */
#include "../power/vmsum.h"

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	return csum_altivec(buf, (unsigned int)len, sum);
}
