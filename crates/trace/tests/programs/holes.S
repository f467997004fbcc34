// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// One instruction of each kind whose memory accesses QEMU reports wrongly or not at all, at a label of its own, which
// tests/holes.rs looks up. r30 holds `buffer`; each comment says which bytes of it are accessed. For all PowerPCs;
// load-multiple and string instructions exist in big-endian mode only.

#define AT(name) .globl name; name:

// LLVM's assembler does not know these two.
#define X_FORM(rt, ra, rb, xo) .long 31 << 26 | (rt) << 21 | (ra) << 16 | (rb) << 11 | (xo) << 1
#define LSWX(rt, ra, rb) X_FORM(rt, ra, rb, 533)
#define STSWX(rt, ra, rb) X_FORM(rt, ra, rb, 661)

#ifdef __powerpc64__
	.abiversion 2
#endif
	.text
	.globl _start
_start:
#ifdef __powerpc64__
	lis	30, buffer@highest
	ori	30, 30, buffer@higher
	rldicr	30, 30, 32, 31
	oris	30, 30, buffer@high
	ori	30, 30, buffer@l
#else
	lis	30, buffer@ha
	addi	30, 30, buffer@l
#endif
	li	3, 64
	li	4, 300

#ifdef __BIG_ENDIAN__
	addi	9, 30, 8	// the base is set in this block, so QEMU need not have stored it in its CPU state yet
AT(lmw_at)	lmw	24, -4(9)	// 32 bytes from 4, into r30 too
	addi	30, 9, -8
AT(stmw_at)	stmw	29, 16(9)	// 12 bytes from 24
	addi	9, 30, 101
AT(lswi_at)	lswi	20, 9, 7	// 7 bytes from 101
AT(stswi_at)	stswi	20, 9, 0	// 0 stands for 32: 32 bytes from 101
	li	10, 5
	mtxer	10
AT(lswx_at)	LSWX(20, 30, 3)	// 5 bytes from 64
AT(stswx_at)	STSWX(20, 30, 4)	// 5 bytes from 300
	li	10, 0
	mtxer	10
AT(lswx_none)	LSWX(20, 30, 3)	// nothing
	addi	9, 30, 8
	lis	10, 0
	b	1f
	.balign	16
1:	addi	9, 9, 8
AT(stmw_last)	stmw	31, 0(9)	// 4 bytes from 16; the branch after it ends the block
	b	2f
2:
#endif
AT(dcbz_at)	dcbz	30, 4		// the whole line with byte 300
	addi	9, 30, 512
AT(dcbz_zero)	dcbz	0, 9		// the whole line with byte 512
AT(dcbst_at)	dcbst	30, 3		// names byte 64
AT(icbi_at)	icbi	30, 3		// names byte 64
	addi	9, 30, 64
1:	lwarx	10, 0, 9
	addi	10, 10, 1
AT(stwcx_at)	stwcx.	10, 0, 9	// writes 4 bytes from 64
	bne-	1b
	lwarx	10, 0, 9
	addi	9, 30, 68
AT(stwcx_fails)	stwcx.	10, 0, 9	// another address than reserved: writes nothing
#ifdef __powerpc64__
	addi	9, 30, 128
	ldarx	10, 0, 9
AT(stdcx_at)	stdcx.	10, 0, 9	// writes 8 bytes from 128
#ifdef VECTORS
AT(lxvd2x_at)	lxvd2x	10, 30, 3	// 16 bytes from 64
AT(stxvw4x_at)	stxvw4x	10, 30, 3	// 16 bytes from 64
AT(lvx_at)	lvx	10, 30, 3	// 16 bytes from 64
AT(stvx_at)	stvx	10, 30, 3	// 16 bytes from 64
AT(lxv_at)	lxv	10, 32(30)	// 16 bytes from 32
	li	10, 11
	sldi	10, 10, 56
	addi	9, 30, 64
AT(lxvl_at)	lxvl	10, 9, 10	// 11 bytes from 64
AT(stxvl_at)	stxvl	10, 9, 10	// 11 bytes from 64
	li	10, 0
AT(lxvl_none)	lxvl	10, 9, 10	// nothing
#ifdef POWER10
AT(lxvp_at)	lxvp	10, 32(30)	// 32 bytes from 32
AT(stxvp_at)	stxvp	10, 32(30)	// 32 bytes from 32
AT(plxv_at)	plxv	10, 48(30), 0	// 16 bytes from 48
#endif
#endif
#endif
	li	3, 0
	li	0, 234
	sc

	.bss
	.globl	buffer
	.balign	4096
buffer:	.space	8192
