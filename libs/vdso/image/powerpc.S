/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * PowerPC's exported calls, 32 and 64 bits. On 32 bits leaf.c exports the clocks; its rare cases come here.
 *
 * The convention is the system call's: CR0.SO clear and a result in r3, or CR0.SO set and a positive errno. C can neither set
 * nor clear CR0.SO, so each call is a C function that a trampoline calls. The trampoline also
 *
 *   - finds the clock page, relative to its own address, and passes it on;
 *   - makes a frame. The caller need not have one: old libraries branch here from leaf functions, and the link register's
 *     save word, which a callee may use, would be somebody else's data. So the link register is kept in this frame's own
 *     part, and the C function may use this frame's save word;
 *   - touches no callee-saved register. The C code keeps and uses some, but r30 must not even be saved and restored: Go's
 *     runtime keeps its g there and takes signals meanwhile (Linux 6.1 compiles with -ffixed-r30). The build puts another
 *     register in its place, and tests/run looks for r30 in each instruction of the image.
 *
 * Function symbols are addresses of code, on powerpc64, too: no descriptor, no TOC.
 */
#include "vdso_page.h"

#ifdef __powerpc64__
#define STORE		std
#define STORE_FRAME	stdu
#define LOAD		ld
#define FRAME		48	/* back chain, CR, LR, TOC as the ABI has it; then our own */
#define OWN		32
#else
#define STORE		stw
#define STORE_FRAME	stwu
#define LOAD		lwz
#define FRAME		16	/* back chain, LR; then our own */
#define OWN		8
#endif
#define SO		3	/* CR0's summary overflow, as a bit number */
#define SYS_SIGRETURN	119
#define SYS_RT_SIGRETURN 172
#define SYS_GETCPU	302

	.macro	export name
	.globl	\name
	.type	\name, @function
	.balign	16
\name:
	.cfi_startproc
	.endm

	.macro	end_export name
	.cfi_endproc
	.size	\name, . - \name
	.endm

	/* register = the clock page. Destroys LR. Predictors know that this form of branch to the next instruction is no call. */
	.macro	page_address register
	bcl	20, 31, 9999f
9999:	mflr	\register
	addis	\register, \register, vdso_page - 9999b@ha
	addi	\register, \register, vdso_page - 9999b@l
	.endm

	/* register = the page that has what all processes share: a namespace's page has offsets alone. Destroys CR0. */
	.macro	system_page register, scratch
	lwz	\scratch, VDSO_CLOCK_MODE(\register)
	xoris	\scratch, \scratch, VDSO_CLOCKMODE_TIMENS >> 16
	cmplwi	\scratch, VDSO_CLOCKMODE_TIMENS & 0xffff
	bne+	9998f
	addis	\register, \register, VDSO_PAGE_STEP >> 16
9998:
	.endm

	/* The C function with the page in `page`; its result is r3. */
	.macro	call_c function, page
	STORE_FRAME	%r1, -FRAME(%r1)
	.cfi_def_cfa_offset FRAME
	mflr	%r0
	STORE	%r0, OWN(%r1)
	.cfi_offset lr, OWN - FRAME
	page_address \page
	bl	\function
	LOAD	%r0, OWN(%r1)
	addi	%r1, %r1, FRAME
	.cfi_def_cfa_offset 0
	mtlr	%r0
	.cfi_restore lr
	.endm

	/* Negative results are errors. The comparison copies XER's summary overflow into CR0, so SO is cleared after it. */
	.macro	answer_or_error name, function, page
	export	\name
	call_c	\function, \page
	cmpwi	%r3, 0
	crclr	SO
	bgelr+
	neg	%r3, %r3
	crset	SO
	blr
	end_export \name
	.endm

#ifdef __powerpc64__
#define CLOCK(call)	__kernel_##call
#else
#define CLOCK(call)	vdso_rare_##call
	.hidden	CLOCK(clock_gettime), CLOCK(clock_getres), CLOCK(gettimeofday), CLOCK(clock_gettime64), CLOCK(time)
#endif

	.text
	.hidden	vdso_page
	answer_or_error CLOCK(clock_gettime), vdso_c_clock_gettime, %r5
	answer_or_error CLOCK(clock_getres), vdso_c_clock_getres, %r5
	answer_or_error CLOCK(gettimeofday), vdso_c_gettimeofday, %r5
#ifndef __powerpc64__
	answer_or_error CLOCK(clock_gettime64), vdso_c_clock_gettime64, %r5
#endif

	/* Any value is a time. The system call that it falls back on cannot fail for pointers that the C code has let pass. */
	export	CLOCK(time)
	call_c	vdso_c_time, %r4
	crclr	SO
	blr
	end_export CLOCK(time)

	/* int getcpu(unsigned int *cpu, unsigned int *node): SPRG3 as Linux fills it, where the page says so; the system call
	 * elsewhere, whose convention is ours. */
	export	__kernel_getcpu
#ifdef __powerpc64__
	mflr	%r12
	.cfi_register lr, %r12
	page_address %r5
	mtlr	%r12
	.cfi_restore lr
	lwz	%r5, VDSO_FLAGS(%r5)
	andi.	%r5, %r5, VDSO_FLAG_GETCPU
	beq	3f
	mfspr	%r5, 259
	cmpdi	%cr0, %r3, 0
	cmpdi	%cr1, %r4, 0
	clrlwi	%r6, %r5, 16
	rlwinm	%r7, %r5, 16, 16, 31
	beq	%cr0, 1f
	stw	%r6, 0(%r3)
1:	beq	%cr1, 2f
	stw	%r7, 0(%r4)
2:	li	%r3, 0
	crclr	SO
	blr
3:
#endif
	li	%r0, SYS_GETCPU
	sc
	blr
	end_export __kernel_getcpu

	/* unsigned long long get_tbfreq(void) */
	export	__kernel_get_tbfreq
	mflr	%r12
	.cfi_register lr, %r12
	page_address %r3
	mtlr	%r12
	.cfi_restore lr
	system_page %r3, %r5
#ifdef __powerpc64__
	ld	%r3, VDSO_TICKS_PER_SECOND(%r3)
#else
	lwz	%r4, VDSO_TICKS_PER_SECOND + 4(%r3)
	lwz	%r3, VDSO_TICKS_PER_SECOND(%r3)
#endif
	crclr	SO
	blr
	end_export __kernel_get_tbfreq

	/* void *get_syscall_map(unsigned int *count): a bit for each system call that there is. */
	export	__kernel_get_syscall_map
	mflr	%r12
	.cfi_register lr, %r12
	mr	%r4, %r3
	page_address %r3
	mtlr	%r12
	.cfi_restore lr
	system_page %r3, %r5
	addi	%r3, %r3, VDSO_SYSCALL_MAP
	crclr	SO
#ifdef __powerpc64__
	cmpdi	%cr1, %r4, 0
#else
	cmpwi	%cr1, %r4, 0
#endif
	beqlr	%cr1
	li	%r0, 32 * 32
	stw	%r0, 0(%r4)
	blr
	end_export __kernel_get_syscall_map

	/*
	 * void sync_dicache(char *start, char *end): what was written as data may be executed. By the smallest block of any
	 * processor of the kind (MPC8xx: 16 bytes; 64-bit ones: 64), because the page does not tell the size.
	 */
#ifdef __powerpc64__
#define BLOCK 64
#define BLOCK_SHIFT 6
#else
#define BLOCK 16
#define BLOCK_SHIFT 4
#endif
	export	__kernel_sync_dicache
#ifdef __powerpc64__
	clrrdi	%r5, %r3, BLOCK_SHIFT
	subf	%r6, %r5, %r4
	addi	%r6, %r6, BLOCK - 1
	srdi.	%r6, %r6, BLOCK_SHIFT
#else
	clrrwi	%r5, %r3, BLOCK_SHIFT
	subf	%r6, %r5, %r4
	addi	%r6, %r6, BLOCK - 1
	srwi.	%r6, %r6, BLOCK_SHIFT
#endif
	beq	3f
	mr	%r7, %r5
	mtctr	%r6
1:	dcbst	0, %r5
	addi	%r5, %r5, BLOCK
	bdnz	1b
	sync
	mtctr	%r6
2:	icbi	0, %r7
	addi	%r7, %r7, BLOCK
	bdnz	2b
	sync
	isync
3:	li	%r3, 0
	crclr	SO
	blr
	end_export __kernel_sync_dicache

	/* What a signal handler returns to. Unwinders look one instruction before the return address, hence the nop. */
	.macro	signal_return name, number
	nop
	.globl	\name
	.type	\name, @function
\name:
	.cfi_startproc
	.cfi_signal_frame
	li	%r0, \number
	sc
	.cfi_endproc
	.size	\name, . - \name
	.endm

#ifdef __powerpc64__
	signal_return __kernel_sigtramp_rt64, SYS_RT_SIGRETURN
#else
	signal_return __kernel_sigtramp32, SYS_SIGRETURN
	signal_return __kernel_sigtramp_rt32, SYS_RT_SIGRETURN
#endif
	.section .note.GNU-stack, "", @progbits
