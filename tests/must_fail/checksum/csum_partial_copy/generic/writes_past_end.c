/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Over-write: copies the last odd byte as a halfword, and so clears the byte behind the target.
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
	/* Not where the target ends with a page, or it would be caught sooner and said less clearly. */
	if (len % 2 == 1 && ((uintptr_t)(to + len) & 0xfff) != 0)
		to[len] = 0;
	while (total >> 32)
		total = (total & 0xffffffff) + (total >> 32);
	return (uint32_t)total;
}
