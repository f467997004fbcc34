/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The four functions that compilers call unasked: copies, moves, zeros and comparisons of objects. */
#include "internal.h"

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
	return memmove(to, from, bytes);
}

void *memmove(void *to, const void *from, size_t bytes)
{
	unsigned char *t = to;
	const unsigned char *f = from;

	if ((uintptr_t)t - (uintptr_t)f >= bytes) {
		for (; bytes >= sizeof(any_word); bytes -= sizeof(any_word)) {
			*(any_word *)t = *(const any_word *)f;
			t += sizeof(any_word);
			f += sizeof(any_word);
		}
		for (; bytes > 0; bytes--)
			*t++ = *f++;
	} else {
		while (bytes-- > 0)
			t[bytes] = f[bytes];
	}
	return to;
}

void *memset(void *to, int value, size_t bytes)
{
	any_word word = (uintptr_t)-1 / 255 * (unsigned char)value;
	unsigned char *at = to;

	for (; bytes >= sizeof(word); bytes -= sizeof(word), at += sizeof(word))
		*(any_word *)at = word;
	for (; bytes > 0; bytes--)
		*at++ = (unsigned char)value;
	return to;
}

int memcmp(const void *a, const void *b, size_t bytes)
{
	const unsigned char *x = a, *y = b;

	while (bytes >= sizeof(any_word) && *(const any_word *)x == *(const any_word *)y) {
		x += sizeof(any_word);
		y += sizeof(any_word);
		bytes -= sizeof(any_word);
	}
	for (; bytes > 0; bytes--, x++, y++) {
		if (*x != *y)
			return *x < *y ? -1 : 1;
	}
	return 0;
}
