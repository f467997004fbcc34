// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// Exclusive accesses of AArch64 and RISC-V, and AArch64's dc zva, each at a label; see holes.rs.

#define AT(name) .globl name; name:

	.text
	.globl	_start
_start:
#ifdef __aarch64__
	adrp	x9, buffer
	add	x9, x9, :lo12:buffer
	add	x10, x9, 1100
1:
AT(load_at)	ldxr	x1, [x9]		// 8 bytes from 0
AT(store_at)	stxr	w2, x1, [x9]		// 8 bytes from 0
	cbnz	w2, 1b
	clrex
AT(store_fails)	stxr	w2, x1, [x9]		// nothing
2:	ldaxp	x1, x3, [x9]
AT(pair_at)	stlxp	w2, x1, x3, [x9]	// 16 bytes from 0
	cbnz	w2, 2b
AT(byte_at)	ldxrb	w1, [x10]
	stxrb	w2, w1, [x10]
#ifdef LSE
	.arch	armv8.1-a
AT(swap_at)	cas	x1, x3, [x9]		// reads 8 bytes from 0, and may write
	.arch	armv8.5-a+memtag
AT(tagged_zero)	dc	gzva, x10		// as dc zva
#endif
AT(zero_at)	dc	zva, x10		// the whole block with byte 1100
	add	x10, x9, 2048
	b	3f				// dc zva as the last but one of a block
3:	dc	zva, x10
AT(zero_last)	b	4f
4:	mov	x0, 0
	mov	x8, 94
	svc	0
#else
	la	s1, buffer
1:
AT(load_at)	lr.d	t0, (s1)		// 8 bytes from 0
AT(store_at)	sc.d	t1, t0, (s1)		// 8 bytes from 0
	bnez	t1, 1b
AT(store_fails)	sc.d	t1, t0, (s1)		// nothing
AT(swap_at)	amoswap.d t1, t0, (s1)		// reads and writes 8 bytes from 0
	li	a0, 0
	li	a7, 94
	ecall
#endif

	.bss
	.globl	buffer
	.balign	4096
buffer:	.space	4096
