/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * LoongArch has no byte-reversed store: reverse, then store. The store takes the low bits only, so nothing is cleared.
 */
#include "assembly.h"

FUNCTION(store_swap)
	BY_WIDTH(revb.2h, revb.2w, revb.d)	$a1, $a1
	BY_WIDTH(st.h, st.w, st.d)	$a1, $a0, 0
	jr	$ra
END(store_swap)
