/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The compiler's own: what __builtin_bswap16, 32 and 64 become on each architecture and for each -mcpu.
 */
#include "width.h"

value_type AT_WIDTH(swap)(value_type value)
{
	return swap_element(value);
}
