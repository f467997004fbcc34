/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The definition, byte by byte: the byte that this machine takes as the most significant one is taken as the least.
 */
#include "width.h"

value_type AT_WIDTH(load_swap)(const void *address)
{
	const unsigned char *bytes = address;
	value_type result = 0;

	for (unsigned int i = 0; i < BYTES; i++) {
		unsigned int shift = BYTESWAP_BIG_ENDIAN ? 8 * i : 8 * (BYTES - 1 - i);

		result |= (value_type)bytes[i] << shift;
	}
	return result;
}
