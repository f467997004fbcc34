/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Returns with the stack pointer 16 bytes too low, as from a return path that does not release the frame.
 *
 * assay-cflags: -fno-tree-vectorize
 * assay-expect: fail clobbered the stack pointer: it came back -16 bytes off
 */
#include "checksum.h"

#if defined(__x86_64__)
#define MOVE "popq %%rcx; subq $16, %%rsp; pushq %%rcx"
#elif defined(__aarch64__)
#define MOVE "sub sp, sp, #16"
#elif defined(__riscv)
#define MOVE "addi sp, sp, -16"
#elif defined(__loongarch64)
#define MOVE "addi.d $sp, $sp, -16"
#elif defined(__powerpc__)
#define MOVE "addi 1, 1, -16"
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
	__asm__ volatile(MOVE ::
				 : "memory", "cc"
#if defined(__x86_64__)
				   ,
				   "rcx"
#endif
	);
	return (uint32_t)total;
}
