/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * long vdso_call_powerpc(void *function, word a, word b, word c, struct outcome *outcome): a call by a program that has not
 * made a frame for the callee. The words in which a callee would save its link register and CR are checked, so that a vDSO that
 * uses the caller's frame is found; so are r30 and r2. All of CR after the call is returned, and r4, which has the lower half of a
 * result of 64 bits on 32-bit machines.
 */
#ifdef __powerpc64__
#define STORE		std
#define STORE_FRAME	stdu
#define LOAD		ld
#define COMPARE		cmpd
#define W		8
#define FRAME		256
#else
#define STORE		stw
#define STORE_FRAME	stwu
#define LOAD		lwz
#define COMPARE		cmpw
#define W		4
#define FRAME		128
#endif
/* Our own words, above all that the ABI gives to a callee. */
#define OWN(n)		(FRAME - (n) * W)

	.text
	.globl	vdso_call_powerpc
	.type	vdso_call_powerpc, @function
vdso_call_powerpc:
	mflr	%r0
	STORE_FRAME %r1, -FRAME(%r1)
	STORE	%r0, OWN(1)(%r1)
	STORE	%r7, OWN(2)(%r1)
	STORE	%r30, OWN(3)(%r1)
	STORE	%r2, OWN(4)(%r1)
	/* The words after the back chain are treated as another function's data. */
	lis	%r8, 0x5ade
	ori	%r8, %r8, 0x7e57
	STORE	%r8, W(%r1)
#ifdef __powerpc64__
	STORE	%r8, 2 * W(%r1)
	STORE	%r8, 3 * W(%r1)
#endif
	lis	%r30, 0x1234
	ori	%r30, %r30, 0x5678
	mr	%r12, %r3
	mtctr	%r12
	mr	%r3, %r4
	mr	%r4, %r5
	mr	%r5, %r6
	/* Summary overflow starts set; a success has to clear it. */
	crset	3
	bctrl
	mfcr	%r6
	LOAD	%r7, OWN(2)(%r1)
	stw	%r6, 0(%r7)
	STORE	%r4, 8(%r7)
	li	%r9, 0
	lis	%r8, 0x5ade
	ori	%r8, %r8, 0x7e57
	LOAD	%r10, W(%r1)
	COMPARE	%r10, %r8
	beq	1f
	ori	%r9, %r9, 1
1:
#ifdef __powerpc64__
	LOAD	%r10, 2 * W(%r1)
	COMPARE	%r10, %r8
	beq	2f
	ori	%r9, %r9, 1
2:	LOAD	%r10, 3 * W(%r1)
	COMPARE	%r10, %r8
	beq	3f
	ori	%r9, %r9, 1
3:
#endif
	lis	%r8, 0x1234
	ori	%r8, %r8, 0x5678
	COMPARE	%r30, %r8
	beq	4f
	ori	%r9, %r9, 2
4:	LOAD	%r10, OWN(4)(%r1)
	COMPARE	%r2, %r10
	beq	5f
	ori	%r9, %r9, 4
5:	stw	%r9, 4(%r7)
	LOAD	%r30, OWN(3)(%r1)
	LOAD	%r2, OWN(4)(%r1)
	LOAD	%r0, OWN(1)(%r1)
	mtlr	%r0
	addi	%r1, %r1, FRAME
	blr
	.size	vdso_call_powerpc, . - vdso_call_powerpc
	.section .note.GNU-stack, "", @progbits
