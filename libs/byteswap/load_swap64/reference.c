/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The definition, byte by byte: the byte that this machine takes as the most significant one is taken as the least.
 */
#include "../byteswap.h"

uint64_t load_swap64(const void *address)
{
	const unsigned char *bytes = address;
	uint64_t result = 0;

	for (unsigned int i = 0; i < 8; i++) {
		unsigned int shift = BYTESWAP_BIG_ENDIAN ? 8 * i : 8 * (7 - i);

		result |= (uint64_t)bytes[i] << shift;
	}
	return result;
}
