/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A plain load, reversed in the register with ISA 3.1: for comparison with the reversed load, which some cores crack.
 *
 * assay-requires: power10
 */
#include "assembly.h"

FUNCTION(load_swap)
	ld	%r3, 0(%r3)
	brd	%r3, %r3
	blr
END(load_swap)
