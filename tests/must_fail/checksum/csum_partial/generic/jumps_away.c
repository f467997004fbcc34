/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Jumps to an address without code, at one length only.
 *
 * assay-cflags: -fno-tree-vectorize
 * assay-expect: fail SIGSEGV
 */
#include "checksum.h"

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	const unsigned char *bytes = buf;
	uint64_t total = sum;

	for (int i = 0; i < len; i++)
		total += (i % 2 == 0) == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? bytes[i] * 256u : bytes[i];
	while (total >> 32)
		total = (total & 0xffffffff) + (total >> 32);
	if (len == 61)
		((void (*)(void))(uintptr_t)0x10)();
	return (uint32_t)total;
}
