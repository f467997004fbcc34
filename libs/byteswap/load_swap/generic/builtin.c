/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An unaligned load and the compiler's byte swap: with a byte-reversed load in the ISA, compilers merge them.
 */
#include "width.h"

value_type AT_WIDTH(load_swap)(const void *address)
{
	element_type raw;

	__builtin_memcpy(&raw, address, sizeof(raw));
	return swap_element(raw);
}
