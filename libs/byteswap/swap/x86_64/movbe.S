/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Through memory: a plain store into the red zone and a load that reverses.
 *
 * assay-requires: movbe
 */
#include "assembly.h"

FUNCTION(swap)
	mov	BY_WIDTH(, %edi, %rdi), -BITS / 8(%rsp)
	movbe	-BITS / 8(%rsp), BY_WIDTH(, %eax, %rax)
	ret
END(swap)
