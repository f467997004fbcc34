/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * revb.2h reverses the two low halfwords and sign-extends the word, revb.2w reverses both words, so the upper bits have to
 * be cleared afterwards. A BPF JIT that sign-extended 32 bits here gave wrong 64-bit comparisons until 2023. For 64 bits,
 * revb.d alone is enough.
 */
#include "assembly.h"

FUNCTION(swap)
	BY_WIDTH(revb.2h, revb.2w, revb.d)	$a0, $a0
#if BITS < 64
	bstrpick.d $a0, $a0, BITS - 1, 0
#endif
	jr	$ra
END(swap)
