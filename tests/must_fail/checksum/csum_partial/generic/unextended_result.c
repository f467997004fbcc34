/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Returns garbage above the 32 bits of its result, which the ABI wants extended, since a C caller compares whole
 * registers. Assembly that sums in 64 bits and forgets the last shift does that. x86-64 and AArch64 leave the
 * upper half undefined, and 32-bit PowerPC has none, so there it returns a wrong sum instead.
 *
 * assay-cflags: -fno-tree-vectorize
 * assay-expect: fail returned 0x
 */
#include <stdint.h>

#if defined(__x86_64__) || defined(__aarch64__) || !defined(__LP64__)
#define EXTRA 1
#else
#define EXTRA ((uint64_t)1 << 40)
#endif

/* Declared with a wide result on purpose, so checksum.h stays out. */
uintptr_t csum_partial(const void *buf, int len, uint32_t sum);

uintptr_t csum_partial(const void *buf, int len, uint32_t sum)
{
	const unsigned char *bytes = buf;
	uint64_t total = sum;

	for (int i = 0; i < len; i++)
		total += (i % 2 == 0) == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? bytes[i] * 256u : bytes[i];
	while (total >> 32)
		total = (total & 0xffffffff) + (total >> 32);
	return (uintptr_t)((uint64_t)(int64_t)(int32_t)(uint32_t)total + EXTRA);
}
