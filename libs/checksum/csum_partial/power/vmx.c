/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum for POWER7 (and any 64-bit processor with AltiVec), either byte order: aligned VMX loads,
 * multiply-sum.
 *
 * assay-about: aligned lvx and vmsumuhm, 16 bytes an operation
 * assay-requires: power7
 * assay-cflags: -fno-unroll-loops
 *
 * POWER7 has one pipe for vmsumuhm, so a vector takes a clock: 16 bytes/clock against 4 of the adde chain.
 * Its unaligned VSX loads may be microcoded, hence lvx at aligned addresses. vmsum.h explains the method.
 */
#include "vmsum.h"

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	return csum_altivec(buf, (unsigned int)len, sum);
}
