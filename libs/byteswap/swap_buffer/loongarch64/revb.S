/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One element at a time.
 */
#include "assembly.h"
#include "element.h"

FUNCTION(swap_buffer)
	beqz	$a1, 2f
1:	SWAP_ELEMENT
	bnez	$a1, 1b
2:	jr	$ra
END(swap_buffer)
