/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Executes an illegal instruction, at one length only.
 *
 * assay-cflags: -fno-tree-vectorize
 * assay-expect: fail SIGILL
 */
#include "checksum.h"

#if defined(__x86_64__)
#define NO_INSTRUCTION "ud2"
#else
#define NO_INSTRUCTION ".long 0"
#endif

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	const unsigned char *bytes = buf;
	uint64_t total = sum;

	if (len == 61)
		__asm__ volatile(NO_INSTRUCTION);
	for (int i = 0; i < len; i++)
		total += (i % 2 == 0) == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? bytes[i] * 256u : bytes[i];
	while (total >> 32)
		total = (total & 0xffffffff) + (total >> 32);
	return (uint32_t)total;
}
