// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// LoongArch vectors. At the first LSX and the first LASX instruction of a thread, QEMU leaves the block and reenters it;
// tests/holes.rs checks that each instruction is counted once all the same.

#define AT(name) .globl name; name:

	.text
	.globl	_start
_start:
	la.local	$s0, buffer
	addi.d	$t0, $s0, 0
AT(first_lsx)	vld	$vr0, $t0, 32		// 16 bytes from 32
	addi.d	$t1, $s0, 64
AT(first_lasx)	xvld	$xr1, $t1, 0		// 32 bytes from 64
AT(xvst_at)	xvst	$xr1, $t1, 32		// 32 bytes from 96
AT(vst_at)	vst	$vr0, $t1, 0		// 16 bytes from 64
	b	next
AT(next)	vadd.b	$vr0, $vr0, $vr0
	li.w	$t2, 5
AT(again)	addi.w	$t2, $t2, -1
	xvadd.b	$xr0, $xr0, $xr0
	bnez	$t2, again
1:	ll.w	$t3, $s0, 0
	addi.w	$t3, $t3, 1
AT(sc_at)	sc.w	$t3, $s0, 0		// writes 4 bytes from 0
	beqz	$t3, 1b
AT(amadd_at)	amadd.w	$t3, $t2, $s0		// reads and writes 4 bytes from 0
	li.w	$a0, 0
	li.w	$a7, 94
AT(last)	syscall	0

	.bss
	.globl	buffer
	.balign	4096
buffer:	.space	4096
