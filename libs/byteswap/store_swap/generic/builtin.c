/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The compiler's byte swap and an unaligned store: with a byte-reversed store in the ISA, compilers merge them.
 */
#include "width.h"

void AT_WIDTH(store_swap)(void *address, value_type value)
{
	element_type raw = swap_element(value);

	__builtin_memcpy(address, &raw, sizeof(raw));
}
