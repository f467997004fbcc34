/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rotate by 8: two bytes are in place; insert the other two from the word rotated by 24. Of 64 bits, each word is reversed like this
 * and becomes the other one: the 32-bit ABI passes the value in r3 (high word) and r4 (low word), and returns it so.
 */
#include "assembly.h"

FUNCTION(swap)
#if BITS == 32
	rlwinm	%r4, %r3, 8, 0, 31
	rlwimi	%r4, %r3, 24, 0, 7
	rlwimi	%r4, %r3, 24, 16, 23
	mr	%r3, %r4
#else
	rlwinm	%r5, %r4, 24, 0, 31
	rlwinm	%r6, %r3, 24, 0, 31
	rlwimi	%r5, %r4, 8, 8, 15
	rlwimi	%r6, %r3, 8, 8, 15
	rlwimi	%r5, %r4, 8, 24, 31
	rlwimi	%r6, %r3, 8, 24, 31
	mr	%r3, %r5
	mr	%r4, %r6
#endif
	blr
END(swap)
