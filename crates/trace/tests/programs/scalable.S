// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// Loads and stores of AArch64's SVE and SME, each at a label; see holes.rs.

#define AT(name) .globl name; name:

	.text
	.arch	armv9-a+sve2+sme
	.globl	_start
_start:
	adrp	x9, buffer
	add	x9, x9, :lo12:buffer
	mov	x2, 0
	ptrue	p0.b
	index	z3.d, 0, 8
AT(contiguous)	ld1b	{ z0.b }, p0/z, [x9]
AT(stored)	st1d	{ z0.d }, p0, [x9, x2, lsl 3]
AT(four)	ld4w	{ z4.s - z7.s }, p0/z, [x9]
AT(gathered)	ld1d	{ z0.d }, p0/z, [x9, z3.d]
AT(scattered)	st1w	{ z0.d }, p0, [x9, z3.d]
AT(first_fault)	ldff1b	{ z0.b }, p0/z, [x9, x2]
AT(quadword)	ld1rqb	{ z0.b }, p0/z, [x9]
AT(register_at)	ldr	z0, [x9]			// reported
AT(predicate_at) str	p0, [x9]			// reported
AT(element_at)	ld1rd	{ z0.d }, p0/z, [x9, 8]		// reported: 8 bytes from 8
AT(prefetches)	prfb	pldl1keep, p0, [x9]		// nothing
	prfd	pldl1keep, p0, [x9, x2, lsl 3]
	prfw	pldl1keep, p0, [x9, z3.d, lsl 2]
	prfh	pldl1keep, p0, [z3.d]
	smstart
	mov	w12, 0
	ptrue	p0.b
AT(tile_loaded)	ld1b	{ za0h.b[w12, 0] }, p0/z, [x9]
AT(tile_stored)	st1q	{ za0h.q[w12, 0] }, p0, [x9]
	smstop
	mov	x0, 0
	mov	x8, 94
	svc	0

	.bss
	.globl	buffer
	.balign	4096
buffer:	.space	4096
