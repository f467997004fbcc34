/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Byte swap: of a register, of a buffer in place, and together with a load or a store.
 *
 * These are the contracts; each has its folder with a reference and the variants. Link the one variant you want, or
 * several at once, each compiled with -D<function>=<function>_<variant>.
 *
 * A "value" is a whole register: functions narrower than it ignore the upper bits of their argument and return zeros
 * there. That is the rule of htons() and of eBPF's byte swaps, and the place where such code usually goes wrong.
 * Nothing here needs alignment.
 */
#ifndef BYTESWAP_H
#define BYTESWAP_H

/* private: */
/*
 * The C library has a <byteswap.h>, too, with bswap_16 and the like. With this folder in the search path, that name gives both.
 * The pragma keeps -pedantic from complaining about include_next.
 */
#if __STDC_HOSTED__ && __INCLUDE_LEVEL__ > 0 && defined(__has_include_next)
#pragma GCC system_header
#if __has_include_next(<byteswap.h>)
#include_next <byteswap.h>
#endif
#endif
/* public: */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BYTESWAP_BIG_ENDIAN 1
#else
#define BYTESWAP_BIG_ENDIAN 0
#endif

/* The low 16, 32 or 64 bits with their bytes in reverse order; zero above them. */
unsigned long swap16(unsigned long value);
unsigned long swap32(unsigned long value);
uint64_t swap64(uint64_t value);

/* What lies at address, bytes reversed; zero above it. */
unsigned long load_swap16(const void *address);
unsigned long load_swap32(const void *address);
uint64_t load_swap64(const void *address);

/* The low 16, 32 or 64 bits of value to address, bytes reversed. */
void store_swap16(void *address, unsigned long value);
void store_swap32(void *address, unsigned long value);
void store_swap64(void *address, uint64_t value);

/* Each of count elements of 2, 4 or 8 bytes reversed in place; count elements, not bytes. */
void swap_buffer16(void *buffer, size_t count);
void swap_buffer32(void *buffer, size_t count);
void swap_buffer64(void *buffer, size_t count);

#ifdef __cplusplus
}
#endif

#endif
