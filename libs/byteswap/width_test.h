/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the tests of all widths share: names at a width, and values of 64 bits, which take two registers of a 32-bit machine.
 */
#ifndef BYTESWAP_WIDTH_TEST_H
#define BYTESWAP_WIDTH_TEST_H

#include "assay.h"
#include "width.h"

/* swap -> swap16_reference */
#define REFERENCE_AT_WIDTH(name) BYTESWAP_PASTE_VALUE(AT_WIDTH(name), _reference)

/* swap -> "swap16" */
#define TEXT_OF(symbol) #symbol
#define TEXT_OF_VALUE(symbol) TEXT_OF(symbol)
#define NAME_AT_WIDTH(name) TEXT_OF_VALUE(AT_WIDTH(name))

#define TWO_REGISTERS (sizeof(value_type) > sizeof(uintptr_t))

static inline uintptr_t high_word(value_type value)
{
	return (uintptr_t)((uint64_t)value >> 32);
}

/* The words of a case that name a value: "value=0x%x%08x". */
#define VALUE_WORDS(value) high_word(value), (uintptr_t)(uint32_t)(value)

static inline value_type random_value(void)
{
	return (value_type)((uint64_t)assay_random() << 32 | assay_random());
}

/* Fails unless what a call returned, the high word first where it takes two registers, is what is expected. */
static inline void require_returned(uintptr_t first, value_type want)
{
	value_type got = TWO_REGISTERS ? (value_type)((uint64_t)first << 32 | assay_call_second()) : (value_type)first;

	if (got != want)
		assay_fail("returned 0x%llx, expected 0x%llx", (unsigned long long)got, (unsigned long long)want);
	assay_passed();
}

#endif
