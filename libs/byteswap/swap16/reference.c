/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The definition: byte i of the result is byte 1 - i of the value.
 * One byte at a time, so that nobody has to trust a shift count.
 */
#include "../byteswap.h"

unsigned long swap16(unsigned long value)
{
	unsigned long result = 0;

	for (unsigned int i = 0; i < 2; i++)
		result |= ((value >> (8 * i)) & 0xff) << (8 * (1 - i));
	return result;
}
