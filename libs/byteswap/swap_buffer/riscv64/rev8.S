/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One element at a time with rev8 of Zbb. The base ISA does not promise that a misaligned access works in user mode,
 * but Linux does.
 *
 * assay-requires: zbb
 */
#include "assembly.h"

FUNCTION(swap_buffer)
	.option	arch, +zbb
	beqz	a1, 2f
1:	BY_WIDTH(lhu, lwu, ld)	t0, 0(a0)
	rev8	t0, t0
#if BITS < 64
	srli	t0, t0, 64 - BITS
#endif
	BY_WIDTH(sh, sw, sd)	t0, 0(a0)
	addi	a0, a0, BITS / 8
	addi	a1, a1, -1
	bnez	a1, 1b
2:	ret
END(swap_buffer)
