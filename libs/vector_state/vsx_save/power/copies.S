/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For little-endian POWER7 and POWER8: stvx stores in the order of the layout, but only v0 to v31, so each register is first
 * copied to one of v0 to v3: one more instruction a store, while exchanging the halves and exchanging them back are two. v0 to
 * v3 are saved in the last four places of the area and loaded back; vs28 to vs31 are then stored in the usual way. (On a
 * big-endian machine there is nothing to exchange, and rows.S is better.)
 *
 * assay-about: copied to v0 to v3 and stored by stvx
 * assay-requires: power7
 */
#include "common/vsx.h"

	function vsx_save
	li	4, 16
	li	5, 32
	li	6, 48
	addi	0, 3, 448
	row	stvx, 0, 0
	addi	7, 3, 64
	addi	8, 3, 128
	addi	9, 3, 192
	copies	0, 3
	mffs	0
	addi	10, 3, 256
	addi	11, 3, 320
	addi	12, 3, 384
	copies	4, 7
	copies	8, 8
	copies	12, 9
	copies	16, 10
	copies	20, 11
	copies	24, 12
	stfd	0, FPSCR_OFFSET(3)
	row	lvx, 0, 0
	load_rotated 0, 0, 3
	row	store_rotated, 28, 0
	blr
	end_function vsx_save
