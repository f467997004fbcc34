/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reverse, then store.
 */
#include "assembly.h"

FUNCTION(store_swap)
	BY_WIDTH(rev16, rev, rev)	BY_WIDTH(w1, w1, x1), BY_WIDTH(w1, w1, x1)
	BY_WIDTH(strh, str, str)	BY_WIDTH(w1, w1, x1), [x0]
	ret
END(store_swap)
