/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The instruction for it, since the 486. In 32 bits it clears the upper half, as all 32-bit results do. For 16 bits, the 32-bit
 * word is reversed and the result shifted down: no partial register is written, which some cores have to merge.
 */
#include "assembly.h"

FUNCTION(swap)
	mov	BY_WIDTH(%edi, %edi, %rdi), BY_WIDTH(%eax, %eax, %rax)
	bswap	BY_WIDTH(%eax, %eax, %rax)
#if BITS == 16
	shr	$16, %eax
#endif
	ret
END(swap)
