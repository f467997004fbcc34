/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The 64-bit ELFv2 ABI of POWER, as far as a checked call has to know it. It is the ABI of powerpc64le and,
 * in Assay, of powerpc64 too: big-endian kernels and some distributions use it, Debian's big-endian libc
 * uses the older ELFv1, whose function pointers point to descriptors and whose objects cannot be mixed in.
 *
 * The TOC. POWER before POWER10 cannot address memory relative to the program counter, so r2 points 32 KiB
 * into a table of contents, through which a function reaches its data. Functions of one program share it.
 * A function that uses it has two entry points: the global one, called through a pointer with its own
 * address in r12, computes r2 from r12; the local one, a few instructions further, trusts the r2 that it is
 * given. A caller that may leave the module saves r2 at 24(r1) and restores it after the call. Inside one
 * program r2 has to come back unchanged, so it is checked. (POWER10 code compiled with PC-relative
 * addressing may use r2 as a temporary; such variants are compiled with -mno-pcrel.)
 *
 * Registers. Arguments go in r3 to r10, results come in r3 and r4. A narrower value is extended to 64 bits
 * by its type, by the caller for arguments and by the callee for results. The callee preserves r1 (stack),
 * r14 to r31, f14 to f31, v20 to v31, and the condition register fields CR2, CR3 and CR4. f14 to f31 are the
 * upper halves of vs14 to vs31, whose lower halves are free; v20 to v31 are vs52 to vs63 and preserved whole.
 * r13 is the thread pointer (the kernel's per-CPU area) and VRSAVE is not to be touched. FPSCR's rounding modes,
 * binary and decimal, and exception enables and VSCR's non-Java bit, which makes denormal numbers zero, belong to the caller;
 * their status bits are free. LR, CTR, XER with its carry, CR0, CR1, CR5-CR7 and the rest are free.
 *
 * The frame. r1 is a multiple of 16 and 0(r1) holds the back chain. The first 32 bytes of the caller's frame
 * are lent to the callee: it may save CR at 8(r1) and LR at 16(r1) there before it makes its own frame; 24(r1)
 * is the TOC slot, which belongs to the caller and must be unchanged, and if the LR word was written, it must hold the
 * return address. The parameter save area after them exists only for variadic and unprototyped calls, so
 * a callee that writes there is wrong, and the guard finds it. Below r1 there are 288 bytes of red
 * zone that signal handlers leave alone (in the kernel interrupts do too).
 *
 * Manual: 64-Bit ELF V2 ABI Specification 1.5, sections 2.2.2 (stack frame) and 2.2.1.1 (registers).
 */
#define RECORD_FUNCTION	 0
#define RECORD_ARGUMENT(n) (8 + 8 * (n))
#define RECORD_RESULT	 72
#define RECORD_STACK	 88
#define RECORD_RETURNED	 96
#define RECORD_OWN	 104
#define RECORD_ROUNDING	 120
#define RECORD_BEFORE	 128
#define SAVED_BYTES	 (12 * 16 + 40 * 8 + 16 + 16)
#define RECORD_AFTER	 (RECORD_BEFORE + SAVED_BYTES)

#define CR_SAVED	 0x00fff000	/* fields 2 to 4 */
#define FRAME_BYTES	 (SAVED_BYTES + 64)
#define FRAME_SAVED	 48

/* Loads or stores all saved registers but r2, CR and VRSAVE, from the address in r11 on; changes r12. */
	.macro	each_saved vector, general, float
	.set	offset, 0
	.irp	number, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	li	%r12, offset
	\vector	%v\number, %r11, %r12
	.set	offset, offset + 16
	.endr
	.set	offset, offset + 8		/* r2 */
	.irp	number, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	\general %r\number, offset(%r11)
	.set	offset, offset + 8
	.endr
	.irp	number, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	\float	%f\number, offset(%r11)
	.set	offset, offset + 8
	.endr
	.endm

#define SAVED_R2	 (12 * 16)
#define SAVED_CR	 (12 * 16 + 38 * 8)
#define SAVED_VRSAVE	 (12 * 16 + 39 * 8)
#define SAVED_VSCR	 (12 * 16 + 40 * 8)
#define SAVED_FPSCR	 (SAVED_VSCR + 16)

#define FPSCR_CONTROL	 0xff		/* VE OE UE ZE XE NI RN; besides DRN, the last three bits of the upper word */

/* Stores r2 and the masked CR, VRSAVE, VSCR and FPSCR from the address in r11 on; changes r0, r12, f0, v0, v1, v19
 * and CR0. */
	.macro	store_control
	std	%r2, SAVED_R2(%r11)
	mfcr	%r0
	lis	%r12, CR_SAVED@h
	ori	%r12, %r12, CR_SAVED@l
	and	%r0, %r0, %r12
	std	%r0, SAVED_CR(%r11)
	mfspr	%r0, 256
	std	%r0, SAVED_VRSAVE(%r11)
	/* VSCR comes in the last word of zeros; NJ is its bit of 0x10000, and a shift by -16 is one by 16. */
	mfvscr	%v0
	vspltisw %v1, 1
	vspltisw %v19, -16
	vslw	%v1, %v1, %v19
	vand	%v0, %v0, %v1
	li	%r12, SAVED_VSCR
	stvx	%v0, %r11, %r12
	mffs	%f0
	stfd	%f0, SAVED_FPSCR(%r11)
	ld	%r0, SAVED_FPSCR(%r11)
	andi.	%r12, %r0, FPSCR_CONTROL
	clrldi	%r0, %r0, 29
	clrrdi	%r0, %r0, 32
	or	%r0, %r0, %r12
	std	%r0, SAVED_FPSCR(%r11)
	.endm

/*
 * Makes CR2-4, VRSAVE, VSCR and FPSCR what no variant can know, by the record in r3, with r11 at its `before`: the two records
 * have opposite patterns. FPSCR's decimal rounding mode stays 0, because QEMU 7.2 returns from a signal with that. Changes r0, f0, v0, v19 and CR0.
 */
	.macro	poison_control
	ld	%r0, SAVED_CR(%r11)
	mtcrf	0x38, %r0
	ld	%r0, SAVED_VRSAVE(%r11)
	clrldi	%r0, %r0, 32			/* it has 32 bits; QEMU keeps 64, but not through a signal */
	mtspr	256, %r0
	lfd	%f0, RECORD_ROUNDING(%r3)	/* not a number, but FPSCR's lowest bits */
	mtfsf	0x01, %f0
	vspltisw %v0, 1
	vspltisw %v19, -16
	vslw	%v0, %v0, %v19
	ld	%r0, RECORD_ROUNDING(%r3)
	cmpdi	%r0, 1
	beq	1f
	vxor	%v0, %v0, %v0
1:	mtvscr	%v0
	.endm

/* Loads VRSAVE, VSCR and FPSCR as store_control has stored them, from the address in r11 on; changes r0, r12, f0 and v0. */
	.macro	load_control
	ld	%r0, SAVED_VRSAVE(%r11)
	mtspr	256, %r0
	li	%r12, SAVED_VSCR
	lvx	%v0, %r11, %r12
	mtvscr	%v0
	lfd	%f0, SAVED_FPSCR(%r11)
	mtfsf	0x03, %f0
	mtfsf	0x01, %f0, 0, 1
	.endm

	.abiversion 2
	.text
	.globl	assay_call_registers
	.type	assay_call_registers, @function
assay_call_registers:
0:	addis	%r2, %r12, (.TOC. - 0b)@ha
	addi	%r2, %r2, (.TOC. - 0b)@l
	.localentry assay_call_registers, . - 0b
	mflr	%r0
	std	%r0, 16(%r1)
	mfcr	%r0
	std	%r0, 8(%r1)
	stdu	%r1, -FRAME_BYTES(%r1)
	addi	%r11, %r1, FRAME_SAVED
	each_saved stvx, std, stfd
	store_control

	addis	%r11, %r2, current_record@toc@ha
	std	%r3, current_record@toc@l(%r11)
	std	%r1, RECORD_OWN(%r3)
	addi	%r11, %r3, RECORD_BEFORE
	poison_control
	store_control
	each_saved lvx, ld, lfd

	ld	%r1, RECORD_STACK(%r3)
	li	%r0, 0
	std	%r0, 0(%r1)
	mr	%r11, %r3
	ld	%r12, RECORD_FUNCTION(%r11)
	mtctr	%r12
	ld	%r3, RECORD_ARGUMENT(0)(%r11)
	ld	%r4, RECORD_ARGUMENT(1)(%r11)
	ld	%r5, RECORD_ARGUMENT(2)(%r11)
	ld	%r6, RECORD_ARGUMENT(3)(%r11)
	ld	%r7, RECORD_ARGUMENT(4)(%r11)
	ld	%r8, RECORD_ARGUMENT(5)(%r11)
	ld	%r9, RECORD_ARGUMENT(6)(%r11)
	ld	%r10, RECORD_ARGUMENT(7)(%r11)
	bctrl
	.globl	assay_call_returned
assay_call_returned:

	/* The callee may have changed r2: finds the record relative to the program counter, but reports the r2 that came back. */
	mr	%r9, %r2
	bcl	20, 31, 1f
1:	mflr	%r10
	addis	%r2, %r10, (.TOC. - 1b)@ha
	addi	%r2, %r2, (.TOC. - 1b)@l
	addis	%r10, %r2, current_record@toc@ha
	ld	%r10, current_record@toc@l(%r10)
	std	%r3, RECORD_RESULT(%r10)
	std	%r4, RECORD_RESULT + 8(%r10)
	std	%r1, RECORD_RETURNED(%r10)
	addi	%r11, %r10, RECORD_AFTER
	store_control
	std	%r9, SAVED_R2(%r11)
	each_saved stvx, std, stfd
	ld	%r1, RECORD_OWN(%r10)
	addi	%r11, %r1, FRAME_SAVED
	each_saved lvx, ld, lfd
	load_control
	addi	%r1, %r1, FRAME_BYTES
	ld	%r0, 8(%r1)
	mtcrf	0x38, %r0
	ld	%r0, 16(%r1)
	mtlr	%r0
	blr
	.size	assay_call_registers, . - assay_call_registers

	.bss
	.balign	8
current_record:
	.zero	8

	.section .note.GNU-stack, "", @progbits
