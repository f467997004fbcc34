/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Clears the byte behind the target of a long copy, where that is on the same page.
 *
 * assay-cflags: -fno-tree-vectorize
 * assay-expect: fail wrote behind the target
 */
#include "checksum.h"

uint32_t csum_partial_copy(const void *src, void *dst, int len)
{
	const unsigned char *from = src;
	volatile unsigned char *to = dst;
	uint64_t total = 0xffffffff;

	for (int i = 0; i < len; i++) {
		to[i] = from[i];
		total += (i % 2 == 0) == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? from[i] * 256u : from[i];
	}
	/* Where a guard page would catch it first, the message would be another. */
	if (len > 2048 && len < 1 << 20 && (uintptr_t)to % 4096 != 0 && (uintptr_t)(to + len) % 4096 != 0)
		to[len] = 0;
	while (total >> 32)
		total = (total & 0xffffffff) + (total >> 32);
	return (uint32_t)total;
}
