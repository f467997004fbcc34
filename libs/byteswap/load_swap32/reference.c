/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The definition, byte by byte: the byte that this machine takes as the most significant one is taken as the least.
 */
#include "../byteswap.h"

unsigned long load_swap32(const void *address)
{
	const unsigned char *bytes = address;
	unsigned long result = 0;

	for (unsigned int i = 0; i < 4; i++) {
		unsigned int shift = BYTESWAP_BIG_ENDIAN ? 8 * i : 8 * (3 - i);

		result |= (unsigned long)bytes[i] << shift;
	}
	return result;
}
