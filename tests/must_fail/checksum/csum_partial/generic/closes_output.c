/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Closes standard output, so that the checker can report nothing more.
 *
 * assay-cflags: -fno-tree-vectorize
 * assay-expect: fail exited with status 2
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
	system_call(SYSTEM_CLOSE, 1, 0, 0);
	return (uint32_t)total;
}
