/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Prints a verdict of its own and exits before the checks have ended.
 *
 * assay-cflags: -fno-tree-vectorize
 * assay-expect: fail ended well without having said what it checked
 */
#include "checksum.h"
#include "../include/system_call.h"

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	const unsigned char *bytes = buf;
	uint64_t total = sum;

	for (int i = 0; i < len; i++)
		total += (i % 2 == 0) == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? bytes[i] * 256u : bytes[i];
	while (total >> 32)
		total = (total & 0xffffffff) + (total >> 32);
	if (len == 61) {
		static const char verdict[] = "checked 1000000\n";

		system_call(SYSTEM_WRITE, 1, (uintptr_t)verdict, sizeof(verdict) - 1);
		system_call(SYSTEM_EXIT_GROUP, 0, 0, 0);
	}
	return (uint32_t)total;
}
