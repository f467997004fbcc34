/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An unaligned load and the compiler's byte swap: with a byte-reversed load in the ISA, compilers merge them.
 */
#include "../../byteswap.h"

uint64_t load_swap64(const void *address)
{
	uint64_t raw;

	__builtin_memcpy(&raw, address, sizeof(raw));
	return __builtin_bswap64(raw);
}
