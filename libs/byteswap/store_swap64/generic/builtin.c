/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The compiler's byte swap and an unaligned store: with a byte-reversed store in the ISA, compilers merge them.
 */
#include "../../byteswap.h"

void store_swap64(void *address, uint64_t value)
{
	uint64_t raw = __builtin_bswap64(value);

	__builtin_memcpy(address, &raw, sizeof(raw));
}
