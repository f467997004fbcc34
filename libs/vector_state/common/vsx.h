/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vs0 to vs31 in struct vector_state_fpu, 64-bit POWER: the VSX forms of common/vmx.h.
 *
 * POWER7 and POWER8 have lxvd2x and stxvd2x, which keep the order of the two doublewords whatever the byte order is. In
 * big-endian order the layout is the same. In little-endian order it is not, so the kernel exchanges the halves before each
 * store and back after it, and after each load: two more instructions for a store, one more for a load. stvx stores in the
 * right order, but only v0 to v31.
 */
#ifndef VECTOR_STATE_VSX_H
#define VECTOR_STATE_VSX_H

#include "common/vmx.h"

#define FPSCR_OFFSET 512

	.macro	store_rotated number, base, index
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	xxswapd	\number, \number
	stxvd2x	\number, \base, \index
	xxswapd	\number, \number
#else
	stxvd2x	\number, \base, \index
#endif
	.endm

	.macro	load_rotated number, base, index
	lxvd2x	\number, \base, \index
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	xxswapd	\number, \number
#endif
	.endm

/* Stores FPSCR through vs0, which is loaded again. r3 is the area; changes nothing else. */
	.macro	store_fpscr
	mffs	0
	stfd	0, FPSCR_OFFSET(3)
	load_rotated 0, 0, 3
	.endm

	.macro	load_fpscr
	lfd	0, FPSCR_OFFSET(3)
	mtfsf	255, 0, 1, 0
	.endm

/* Stores by way of v0 to v3: vs\first and three more from \base on, offsets 16, 32 and 48 in r4 to r6. */
	.macro	copies first, base
	.irp	vector, 0, 1, 2, 3
	xxlor	32 + \vector, \first + \vector, \first + \vector
	.endr
	row	stvx, 0, \base
	.endm

/* The same for all_save, which has v0 to v3 to spend: on big-endian machines without copies. */
	.macro	all_row first, base
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	copies	\first, \base
#else
	row	stxvd2x, \first, \base
#endif
	.endm

#endif
