/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ISA 3.1 has instructions for it. brh and brw reverse the bytes of each halfword or word of the register: those above the
 * lowest one have to be cleared.
 *
 * assay-requires: power10
 */
#include "assembly.h"

FUNCTION(swap)
	BY_WIDTH(brh, brw, brd)	%r3, %r3
#if BITS < 64
	rldicl	%r3, %r3, 0, 64 - BITS
#endif
	blr
END(swap)
