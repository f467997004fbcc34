/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The definition, byte by byte: the most significant byte goes where this machine keeps the least significant one.
 */
#include "width.h"

void AT_WIDTH(store_swap)(void *address, value_type value)
{
	unsigned char *bytes = address;

	for (unsigned int i = 0; i < BYTES; i++) {
		unsigned int shift = BYTESWAP_BIG_ENDIAN ? 8 * i : 8 * (BYTES - 1 - i);

		bytes[i] = value >> shift;
	}
}
