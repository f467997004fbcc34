/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The compiler's own: what __builtin_bswap64 becomes on each architecture and for each -mcpu.
 */
#include "../../byteswap.h"

uint64_t swap64(uint64_t value)
{
	return __builtin_bswap64(value);
}
