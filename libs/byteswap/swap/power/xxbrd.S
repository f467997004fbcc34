/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Through a vector register: ISA 3.0 can reverse each doubleword of one, and move to and from it directly. Three
 * instructions, but each crossing between the register files takes cycles. A kernel cannot use it without owning the
 * vector unit; a user program can.
 *
 * assay-requires: power9
 */
#include "assembly.h"

FUNCTION(swap)
	mtvsrd	%vs34, %r3
	xxbrd	%vs34, %vs34
	mfvsrd	%r3, %vs34
	blr
END(swap)
