/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two shifts and a mask.
 */
#include "../../byteswap.h"

unsigned long swap16(unsigned long value)
{
	return ((value & 0xff) << 8) | ((value >> 8) & 0xff);
}
