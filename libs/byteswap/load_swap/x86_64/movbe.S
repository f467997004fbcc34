/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A load that reverses. The 16-bit form leaves the rest of the register as it was, so it is cleared.
 *
 * assay-requires: movbe
 */
#include "assembly.h"

FUNCTION(load_swap)
	movbe	(%rdi), BY_WIDTH(%ax, %eax, %rax)
#if BITS == 16
	movzwl	%ax, %eax
#endif
	ret
END(load_swap)
