/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Clears the byte behind the target, as a copy of the last odd byte as a halfword does.
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
	/* Not at a page's end, where the guard page would catch it first, with a less clear message. */
	if (len % 2 == 1 && ((uintptr_t)(to + len) & 0xfff) != 0)
		to[len] = 0;
	while (total >> 32)
		total = (total & 0xffffffff) + (total >> 32);
	return (uint32_t)total;
}
