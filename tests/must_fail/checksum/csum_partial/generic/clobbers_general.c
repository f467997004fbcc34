/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Changes a callee-saved general register, as inline assembly without its clobber list does. The C code around it
 * in a test program may well never notice.
 *
 * assay-cflags: -fno-tree-vectorize
 * assay-expect: fail clobbered callee-saved register
 */
#include "checksum.h"

#if defined(__x86_64__)
#define CLOBBER "movq $1, %%r15"
#elif defined(__aarch64__)
#define CLOBBER "mov x27, #1"
#elif defined(__riscv)
#define CLOBBER "li s11, 1"
#elif defined(__loongarch64)
#define CLOBBER "li.w $s8, 1"
#elif defined(__powerpc__)
#define CLOBBER "li 14, 1"
#endif

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	const unsigned char *bytes = buf;
	uint64_t total = sum;

	for (int i = 0; i < len; i++)
		total += (i % 2 == 0) == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? bytes[i] * 256u : bytes[i];
	while (total >> 32)
		total = (total & 0xffffffff) + (total >> 32);
	__asm__ volatile(CLOBBER ::);
	return (uint32_t)total;
}
