/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every source here is one strategy for the widths that its folder's hotpath.toml gives it, compiled with BITS as 16, 32 or 64.
 * This header has the function's name and whatever else depends on the width, for C and assembly.
 */
#ifndef BYTESWAP_WIDTH_H
#define BYTESWAP_WIDTH_H

#define BYTESWAP_PASTE(name, bits) name##bits
#define BYTESWAP_PASTE_VALUE(name, bits) BYTESWAP_PASTE(name, bits)
/* swap -> swap16; a name that a -D replaces is replaced. */
#define AT_WIDTH(name) BYTESWAP_PASTE_VALUE(name, BITS)

#if BITS == 16
#define BY_WIDTH(of_16, of_32, of_64) of_16
#elif BITS == 32
#define BY_WIDTH(of_16, of_32, of_64) of_32
#elif BITS == 64
#define BY_WIDTH(of_16, of_32, of_64) of_64
#else
#error "compile with -DBITS=16, 32 or 64"
#endif

#ifndef __ASSEMBLER__

#include "byteswap.h"

/* What a function takes and returns: a register, or what C passes for one. */
typedef BY_WIDTH(unsigned long, unsigned long, uint64_t) value_type;
/* Its type in memory. */
typedef BY_WIDTH(uint16_t, uint32_t, uint64_t) element_type;

#define BYTES (BITS / 8)

static inline element_type swap_element(element_type value)
{
	return BY_WIDTH(__builtin_bswap16, __builtin_bswap32, __builtin_bswap64)(value);
}

static inline void swap_element_at(unsigned char *at)
{
	element_type value;

	__builtin_memcpy(&value, at, sizeof(value));
	value = swap_element(value);
	__builtin_memcpy(at, &value, sizeof(value));
}

#endif

#endif
