/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The definition: byte i of the result is byte 7 - i of the value.
 * One byte at a time, so that nobody has to trust a shift count.
 */
#include "../byteswap.h"

uint64_t swap64(uint64_t value)
{
	uint64_t result = 0;

	for (unsigned int i = 0; i < 8; i++)
		result |= ((value >> (8 * i)) & 0xff) << (8 * (7 - i));
	return result;
}
