/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Canaries: bytes around an object that a call has to leave alone. */
#include "internal.h"

enum { CANARY = 0xc5 };

void assay_canary_fill(unsigned char *from, const unsigned char *to)
{
	memset(from, CANARY, (size_t)(to - from));
}

void assay_canary_check(const unsigned char *from, const unsigned char *to, const char *what)
{
	const uintptr_t word = (uintptr_t)-1 / 255 * CANARY;
	const unsigned char *at = from;

	while (to - at >= (long)sizeof(word) && *(const any_word *)at == word)
		at += sizeof(word);
	for (; at < to; at++) {
		if (*at != CANARY)
			assay_fail("wrote %s: byte %ld of %ld guard bytes there is 0x%02x", what, (long)(at - from),
				   (long)(to - from), *at);
	}
}
