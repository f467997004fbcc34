/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * In registers with 32-bit rotates and inserts.
 *
 * 16 and 32 bits are what the kernel's BPF JIT emits: of a halfword one byte by rotate and mask, the other inserted beside it; of a word
 * rotated by 8 two bytes are in place, and the other two are inserted from the word rotated by 24. The rotate with mask 0..31
 * clears the upper half.
 *
 * 64 bits are the sequence of the 2017 thread, which was never taken into the kernel: each word is rotated by 24 so that two
 * of its bytes are in place, and the other two are inserted from the word rotated by 8. Nine instructions in two chains.
 *
 * assay-requires: power7
 */
#include "assembly.h"

FUNCTION(swap)
#if BITS == 16
	rlwinm	%r4, %r3, 8, 16, 23
	rlwimi	%r4, %r3, 24, 24, 31
	mr	%r3, %r4
#elif BITS == 32
	rlwinm	%r4, %r3, 8, 0, 31
	rlwimi	%r4, %r3, 24, 0, 7
	rlwimi	%r4, %r3, 24, 16, 23
	mr	%r3, %r4
#else
	rldicl	%r7, %r3, 32, 32	/* the high word */
	rlwinm	%r8, %r3, 24, 0, 31
	rlwimi	%r8, %r3, 8, 8, 15
	rlwinm	%r9, %r7, 24, 0, 31
	rlwimi	%r8, %r3, 8, 24, 31
	rlwimi	%r9, %r7, 8, 8, 15
	rlwimi	%r9, %r7, 8, 24, 31
	rldicr	%r8, %r8, 32, 31
	or	%r3, %r8, %r9
#endif
	blr
END(swap)
