/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernel code with an exception table, for EX_TABLE in runner/compat and the runner's fault handler: a
 * csum_partial_copy for 64-bit POWER, byte by byte, that returns 0 after a fault. STORE_MAY_FAULT says whether
 * the store has its entry.
 */
#include <asm/ppc_asm.h>

#ifdef __BIG_ENDIAN__
#define WEIGHT_OF_FIRST 8
#else
#define WEIGHT_OF_FIRST 0
#endif

_GLOBAL(csum_partial_copy)
	li	r9,-1
	clrldi	r9,r9,32
	cmpwi	r5,0
	ble	3f
	mtctr	r5
	li	r7,WEIGHT_OF_FIRST
	addi	r3,r3,-1
	addi	r4,r4,-1
1:	lbzu	r6,1(r3)
2:	stbu	r6,1(r4)
	sld	r6,r6,r7
	add	r9,r9,r6
	xori	r7,r7,8
	bdnz	1b
3:	rldicl	r6,r9,32,32
	clrldi	r9,r9,32
	add	r9,r9,r6
	rldicl	r6,r9,32,32
	add	r3,r9,r6
	clrldi	r3,r3,32
	blr
4:	li	r3,0
	blr
	EX_TABLE(1b,4b)
#if STORE_MAY_FAULT
	EX_TABLE(2b,4b)
#endif
