/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * In two steps: the bytes of each halfword, then the order of the halfwords. Shows what revb.d saves.
 */
#include "assembly.h"

FUNCTION(swap)
	revb.4h	$a0, $a0
	revh.d	$a0, $a0
	jr	$ra
END(swap)
