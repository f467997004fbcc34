/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Returns with another rounding mode than it was called with: the last digits of its caller's arithmetic change.
 *
 * assay-cflags: -fno-tree-vectorize
 * assay-expect: fail clobbered callee-saved register
 */
#include "checksum.h"

static void round_to_zero(void)
{
#if defined(__x86_64__)
	uint32_t control = 0x7f80;

	__asm__ volatile("ldmxcsr %0" : : "m"(control));
#elif defined(__aarch64__)
	__asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)3 << 22));
#elif defined(__riscv)
	__asm__ volatile("fsrmi 1");
#elif defined(__loongarch64)
	__asm__ volatile("movgr2fcsr $fcsr3, %0" : : "r"(0x100));
#elif defined(__powerpc__)
	__asm__ volatile("mtfsb1 31");
#endif
}

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	const unsigned char *bytes = buf;
	uint64_t total = sum;

	for (int i = 0; i < len; i++)
		total += (i % 2 == 0) == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? bytes[i] * 256u : bytes[i];
	while (total >> 32)
		total = (total & 0xffffffff) + (total >> 32);
	round_to_zero();
	return (uint32_t)total;
}
