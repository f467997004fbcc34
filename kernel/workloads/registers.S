/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The crossings of regcheck and guest_switch: loads every floating-point and vector register from memory, enters the
 * kernel, and stores what the registers hold afterwards.
 *
 *     long registers_cross(const void *fill, void *found, long number, long a, long b, long spins);
 *
 * NUMBER is a system call with arguments A and B, or negative for none. SPINS is how often it is made; without a system
 * call, the iterations of a loop in which the timer may preempt the process. Returns what the last call returned.
 * registers.h has the layout of FILL and FOUND. Linux preserves all of these registers across a system call on every
 * architecture here.
 */
#if defined(__powerpc64__)
/* vs0 to vs63 in the order of memory, then VSCR (16 bytes), FPSCR (8), VRSAVE (8). */
	.abiversion 2
	.machine "power8"
	.text
	.globl	registers_cross
	.type	registers_cross, @function
registers_cross:
	mflr	%r0
	std	%r0, 16(%r1)
	std	%r14, -8(%r1)
	std	%r15, -16(%r1)
	std	%r16, -24(%r1)
	std	%r17, -32(%r1)
	std	%r18, -40(%r1)
	std	%r19, -48(%r1)
	stdu	%r1, -96(%r1)
	mr	%r14, %r4
	mr	%r15, %r5
	mr	%r16, %r6
	mr	%r17, %r7
	mr	%r18, %r8
	addi	%r9, %r3, 1024
	lvx	%v0, 0, %r9
	mtvscr	%v0
	lfd	%f0, 16(%r9)
	mtfsf	255, %f0, 1, 0		/* all 64 bits; without L it is the lower half */
	ld	%r10, 24(%r9)
	mtspr	256, %r10
	.set	n, 0
	.rept	64
	lxvd2x	n, 0, %r3
	addi	%r3, %r3, 16
	.set	n, n + 1
	.endr
1:	cmpdi	%r15, 0
	blt	2f
	mr	%r0, %r15
	mr	%r3, %r16
	mr	%r4, %r17
	li	%r5, 0
	li	%r6, 0
	li	%r7, 0
	sc
	bns	2f
	neg	%r3, %r3
2:	addi	%r18, %r18, -1
	cmpdi	%r18, 0
	bgt	1b
	.set	n, 0
	.rept	64
	stxvd2x	n, 0, %r14
	addi	%r14, %r14, 16
	.set	n, n + 1
	.endr
	mfvscr	%v0
	stvx	%v0, 0, %r14
	mffs	%f0
	stfd	%f0, 16(%r14)
	mfspr	%r10, 256
	std	%r10, 24(%r14)
	addi	%r1, %r1, 96
	ld	%r0, 16(%r1)
	mtlr	%r0
	ld	%r14, -8(%r1)
	ld	%r15, -16(%r1)
	ld	%r16, -24(%r1)
	ld	%r17, -32(%r1)
	ld	%r18, -40(%r1)
	ld	%r19, -48(%r1)
	blr
	.size	registers_cross, . - registers_cross
#elif defined(__powerpc__)
/* v0 to v31, f0 to f31, then VSCR (16 bytes), FPSCR (8, of which the second word counts), VRSAVE (4). */
	.machine "7450"
	.text
	.globl	registers_cross
	.type	registers_cross, @function
registers_cross:
	stwu	%r1, -48(%r1)
	mflr	%r0
	stw	%r0, 52(%r1)
	stw	%r14, 8(%r1)
	stw	%r15, 12(%r1)
	stw	%r16, 16(%r1)
	stw	%r17, 20(%r1)
	stw	%r18, 24(%r1)
	mr	%r14, %r4
	mr	%r15, %r5
	mr	%r16, %r6
	mr	%r17, %r7
	mr	%r18, %r8
	addi	%r9, %r3, 768
	lvx	%v0, 0, %r9
	mtvscr	%v0
	lfd	%f0, 16(%r9)
	mtfsf	255, %f0
	lwz	%r10, 24(%r9)
	mtspr	256, %r10
	.set	n, 0
	.rept	32
	lfd	n, 512 + 8 * n(%r3)
	.set	n, n + 1
	.endr
	.set	n, 0
	.rept	32
	lvx	n, 0, %r3
	addi	%r3, %r3, 16
	.set	n, n + 1
	.endr
1:	cmpwi	%r15, 0
	blt	2f
	mr	%r0, %r15
	mr	%r3, %r16
	mr	%r4, %r17
	li	%r5, 0
	li	%r6, 0
	li	%r7, 0
	sc
	bns	2f
	neg	%r3, %r3
2:	addi	%r18, %r18, -1
	cmpwi	%r18, 0
	bgt	1b
	.set	n, 0
	.rept	32
	stfd	n, 512 + 8 * n(%r14)
	.set	n, n + 1
	.endr
	.set	n, 0
	.rept	32
	stvx	n, 0, %r14
	addi	%r14, %r14, 16
	.set	n, n + 1
	.endr
	addi	%r14, %r14, 256
	mfvscr	%v0
	stvx	%v0, 0, %r14
	mffs	%f0
	stfd	%f0, 16(%r14)
	mfspr	%r10, 256
	stw	%r10, 24(%r14)
	lwz	%r0, 52(%r1)
	mtlr	%r0
	lwz	%r14, 8(%r1)
	lwz	%r15, 12(%r1)
	lwz	%r16, 16(%r1)
	lwz	%r17, 20(%r1)
	lwz	%r18, 24(%r1)
	addi	%r1, %r1, 48
	blr
	.size	registers_cross, . - registers_cross
#elif defined(__loongarch__)
/* xr0 to xr31. */
	.text
	.globl	registers_cross
	.type	registers_cross, @function
registers_cross:
	addi.d	$sp, $sp, -96
	st.d	$ra, $sp, 0
	st.d	$s0, $sp, 8
	st.d	$s1, $sp, 16
	st.d	$s2, $sp, 24
	st.d	$s3, $sp, 32
	st.d	$s4, $sp, 40
	move	$s0, $a1
	move	$s1, $a2
	move	$s2, $a3
	move	$s3, $a4
	move	$s4, $a5
	/* xvld xrN, a0, 32 * N, as words: the assembler accepts the instructions only with LASX. */
	.set	n, 0
	.rept	32
	.word	0x2c800000 | (32 * n) << 10 | 4 << 5 | n
	.set	n, n + 1
	.endr
1:	bltz	$s1, 2f
	move	$a7, $s1
	move	$a0, $s2
	move	$a1, $s3
	move	$a2, $zero
	move	$a3, $zero
	move	$a4, $zero
	syscall	0
2:	addi.d	$s4, $s4, -1
	bgtz	$s4, 1b
	/* xvst xrN, s0, 32 * N */
	.set	n, 0
	.rept	32
	.word	0x2cc00000 | (32 * n) << 10 | 23 << 5 | n
	.set	n, n + 1
	.endr
	ld.d	$ra, $sp, 0
	ld.d	$s0, $sp, 8
	ld.d	$s1, $sp, 16
	ld.d	$s2, $sp, 24
	ld.d	$s3, $sp, 32
	ld.d	$s4, $sp, 40
	addi.d	$sp, $sp, 96
	jr	$ra
	.size	registers_cross, . - registers_cross
#endif
	.section .note.GNU-stack, "", @progbits
