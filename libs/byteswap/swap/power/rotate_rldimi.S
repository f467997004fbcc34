/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * As rotate_insert, one instruction shorter: rldimi shifts the new high word and joins it with the low one, where the
 * 2017 sequence needs rldicr and or. The result is built in the register that holds it, and the two chains are as long
 * as before.
 *
 * assay-requires: power7
 */
#include "assembly.h"

FUNCTION(swap)
	rldicl	%r7, %r3, 32, 32	/* the high word */
	rlwinm	%r8, %r3, 24, 0, 31
	rlwinm	%r9, %r7, 24, 0, 31
	rlwimi	%r8, %r3, 8, 8, 15
	rlwimi	%r9, %r7, 8, 8, 15
	rlwimi	%r8, %r3, 8, 24, 31
	rlwimi	%r9, %r7, 8, 24, 31
	rldimi	%r9, %r8, 32, 0
	mr	%r3, %r9
	blr
END(swap)
