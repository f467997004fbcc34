/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The compiler's byte swap and an unaligned store: with a byte-reversed store in the ISA, compilers merge them.
 */
#include "../../byteswap.h"

void store_swap32(void *address, unsigned long value)
{
	uint32_t raw = __builtin_bswap32(value);

	__builtin_memcpy(address, &raw, sizeof(raw));
}
