/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * LoongArch has no byte-reversed load: load, then reverse. An unsigned word load clears the upper word, and revb.2w keeps it
 * clear, so nothing has to be cleared as in the swap of a register. A halfword is loaded zero-extended, too, but revb.2h
 * sign-extends its result.
 */
#include "assembly.h"

FUNCTION(load_swap)
	BY_WIDTH(ld.hu, ld.wu, ld.d)	$a0, $a0, 0
	BY_WIDTH(revb.2h, revb.2w, revb.d)	$a0, $a0
#if BITS == 16
	bstrpick.d $a0, $a0, 15, 0
#endif
	jr	$ra
END(load_swap)
