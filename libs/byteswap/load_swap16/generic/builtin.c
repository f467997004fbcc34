/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An unaligned load and the compiler's byte swap: with a byte-reversed load in the ISA, compilers merge them.
 */
#include "../../byteswap.h"

unsigned long load_swap16(const void *address)
{
	uint16_t raw;

	__builtin_memcpy(&raw, address, sizeof(raw));
	return __builtin_bswap16(raw);
}
