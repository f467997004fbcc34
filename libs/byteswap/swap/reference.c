/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The definition: byte i of the result is the byte of the value that is as far from its other end.
 * One byte at a time, so that nobody has to trust a shift count.
 */
#include "width.h"

value_type AT_WIDTH(swap)(value_type value)
{
	value_type result = 0;

	for (unsigned int i = 0; i < BYTES; i++)
		result |= ((value >> (8 * i)) & 0xff) << (8 * (BYTES - 1 - i));
	return result;
}
