/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernel code with feature sections, for runner/compat/powerpc/asm/feature-fixups.h: a csum_partial that is right
 * only if each section has been kept or left out as the claimed processor wants it. The files beside this one
 * include it, each with its own claim; WANTED is what the kept sections have to add up to.
 */
#include <asm/ppc_asm.h>

/* Bits by which the first byte of a pair is shifted; the second by the other of 0 and 8. */
#ifdef __BIG_ENDIAN__
#define WEIGHT_OF_FIRST 8
#else
#define WEIGHT_OF_FIRST 0
#endif

_GLOBAL(csum_partial)
	li	r12,0
BEGIN_FTR_SECTION
	addi	r12,r12,1
END_FTR_SECTION_IFSET(CPU_FTR_ARCH_206)
BEGIN_FTR_SECTION
	addi	r12,r12,2
END_FTR_SECTION_IFCLR(CPU_FTR_ARCH_206)
BEGIN_FTR_SECTION
	addi	r12,r12,4
FTR_SECTION_ELSE
	addi	r12,r12,8
ALT_FTR_SECTION_END_IFSET(CPU_FTR_ARCH_207S)
BEGIN_FTR_SECTION
	addi	r12,r12,16
END_FTR_SECTION(CPU_FTR_ARCH_207S | CPU_FTR_ARCH_300, CPU_FTR_ARCH_207S)
BEGIN_FTR_SECTION_NESTED(50)
	addi	r12,r12,32
BEGIN_FTR_SECTION_NESTED(51)
	addi	r12,r12,64
FTR_SECTION_ELSE_NESTED(51)
	addi	r12,r12,128
ALT_FTR_SECTION_END_NESTED_IFSET(CPU_FTR_ARCH_300, 51)
FTR_SECTION_ELSE_NESTED(50)
	addi	r12,r12,256
ALT_FTR_SECTION_END_NESTED_IFCLR(CPU_FTR_ARCH_31, 50)

	/* The sum, byte by byte; one is added to it if a section was resolved wrongly. */
	clrldi	r5,r5,32
	cmpwi	r4,0
	ble	2f
	mtctr	r4
	li	r7,0
	addi	r3,r3,-1
1:	lbzu	r6,1(r3)
	li	r8,WEIGHT_OF_FIRST
	xor	r8,r8,r7
	sld	r6,r6,r8
	add	r5,r5,r6
	xori	r7,r7,8
	bdnz	1b
2:	cmpwi	r12,WANTED
	beq	3f
	addi	r5,r5,1
3:	rldicl	r6,r5,32,32
	clrldi	r5,r5,32
	add	r5,r5,r6
	rldicl	r6,r5,32,32
	add	r3,r5,r6
	clrldi	r3,r3,32
	blr
