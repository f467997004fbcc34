/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The compiler's own: what __builtin_bswap32 becomes on each architecture and for each -mcpu.
 */
#include "../../byteswap.h"

unsigned long swap32(unsigned long value)
{
	return __builtin_bswap32(value);
}
