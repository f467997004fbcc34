/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A plain load and a store that reverses, one element at a time.
 *
 * assay-requires: movbe
 */
#include "assembly.h"

FUNCTION(swap_buffer)
	test	%rsi, %rsi
	jz	2f
1:	BY_WIDTH(movzwl, movl, movq)	(%rdi), BY_WIDTH(%eax, %eax, %rax)
	movbe	BY_WIDTH(%ax, %eax, %rax), (%rdi)
	add	$BITS / 8, %rdi
	dec	%rsi
	jnz	1b
2:	ret
END(swap_buffer)
