/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A plain load and a reversed store for each element.
 *
 * assay-requires: power7
 */
#include "assembly.h"
#include "element.h"

FUNCTION(swap_buffer)
	cmpldi	%r4, 0
	beqlr
	mtctr	%r4
1:	SWAP_ELEMENT
	bdnz	1b
	blr
END(swap_buffer)
