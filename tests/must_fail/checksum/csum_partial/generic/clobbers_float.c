/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Changes a floating-point register whose low 64 bits are callee-saved, as vector code does that takes v8 on Arm
 * or f24 on LoongArch for a scratch register. x86-64 has no such register; there it leaves the x87 unit in MMX mode.
 *
 * assay-cflags: -fno-tree-vectorize
 * assay-expect: fail clobbered callee-saved register
 */
#include "checksum.h"

#if defined(__x86_64__)
#define CLOBBER "pxor %%mm0, %%mm0"
#elif defined(__aarch64__)
#define CLOBBER "movi v9.2d, #0"
#elif defined(__riscv)
#define CLOBBER "fmv.d.x fs3, zero"
#elif defined(__loongarch64)
#define CLOBBER "movgr2fr.d $f27, $zero"
#elif defined(__powerpc__)
#define CLOBBER "fmr 20, 1"
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
