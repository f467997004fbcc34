/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stores above the stack pointer, into its caller's frame, as with a save area counted from the wrong end, or on
 * POWER with a parameter save area that a prototyped call does not have. Nothing crashes.
 *
 * assay-cflags: -fno-tree-vectorize
 * assay-expect: fail into its caller's stack frame
 */
#include "checksum.h"

#if defined(__x86_64__)
#define STORE "movq $0, 40(%%rsp)"
#elif defined(__aarch64__)
#define STORE "str xzr, [sp, #8]"
#elif defined(__riscv)
#define STORE "sd zero, 8(sp)"
#elif defined(__loongarch64)
#define STORE "st.d $zero, $sp, 8"
#elif defined(__powerpc__)
#define STORE "stw 3, 40(1)"
#endif

/* Without variables in memory the function has no frame, so the stack pointer is still its caller's. */
uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	const unsigned char *bytes = buf;
	uint64_t total = sum;

	for (int i = 0; i < len; i++)
		total += (i % 2 == 0) == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? bytes[i] * 256u : bytes[i];
	while (total >> 32)
		total = (total & 0xffffffff) + (total >> 32);
	__asm__ volatile(STORE ::: "memory");
	return (uint32_t)total;
}
