/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Clear first, then rotate the 16-bit register: the 16-bit rotate leaves the rest of the register alone, and the rest
 * is already zero.
 */
#include "assembly.h"

FUNCTION(swap)
	movzwl	%di, %eax
	rolw	$8, %ax
	ret
END(swap)
