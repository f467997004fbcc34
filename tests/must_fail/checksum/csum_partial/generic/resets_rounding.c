/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sets the rounding mode to the usual one instead of leaving it as it is: a caller that rounds otherwise loses its mode.
 *
 * assay-cflags: -fno-tree-vectorize
 * assay-expect: fail clobbered callee-saved register
 */
#include "checksum.h"

static void round_to_nearest(void)
{
#if defined(__x86_64__)
	uint32_t control = 0x1f80;

	__asm__ volatile("ldmxcsr %0" : : "m"(control));
#elif defined(__aarch64__)
	__asm__ volatile("msr fpcr, xzr");
#elif defined(__riscv)
	__asm__ volatile("fscsr zero");
#elif defined(__loongarch64)
	__asm__ volatile("movgr2fcsr $fcsr0, $zero");
#elif defined(__powerpc__)
	__asm__ volatile("mtfsfi 7, 0");
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
	round_to_nearest();
	return (uint32_t)total;
}
