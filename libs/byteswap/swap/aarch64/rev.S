/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * On the 32-bit register, which clears the upper half. rev32 on the 64-bit one would swap that half too: a bug in an
 * eBPF JIT in 2024. rev16 swaps both halfwords of the word, so the upper one is cleared.
 */
#include "assembly.h"

FUNCTION(swap)
#if BITS == 16
	rev16	w0, w0
	uxth	w0, w0
#else
	rev	BY_WIDTH(, w0, x0), BY_WIDTH(, w0, x0)
#endif
	ret
END(swap)
