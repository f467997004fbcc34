/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * v0 to v31 first, with the fewest address instructions. Then they are free, and vs0 to vs31 are copied to v0 to v3 for stvx:
 * on a little-endian machine that is one more instruction a register, while exchanging the halves and exchanging them back are
 * two; in big-endian order stxvd2x needs none. FPSCR and VSCR are read long before they are stored.
 *
 * assay-about: four offsets, eight bases; v0 to v3 carry vs0 to vs31
 * assay-requires: power7
 */
#include "common/vsx.h"

	function all_save
	addi	3, 3, 640
	rows_begin stvx, 0
	rows_go_on stvx, 0
	mfvscr	4
	subi	7, 3, 640
	subi	8, 3, 576
	subi	9, 3, 512
	all_row	0, 7
	mffs	0
	subi	10, 3, 448
	subi	11, 3, 384
	subi	12, 3, 320
	all_row	4, 8
	subi	0, 3, 256
	subi	7, 3, 192
	all_row	8, 9
	all_row	12, 10
	all_row	16, 11
	all_row	20, 12
	all_row	24, 0
	all_row	28, 7
	stfd	0, FPSCR_OFFSET - 640(3)
	li	8, -640
	li	9, VSCR_OFFSET
	li	10, 64
	load_rotated 0, 3, 8
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	row	lvx, 0, 3
#endif
	stvx	4, 3, 9
	lvx	4, 3, 10
	blr
	end_function all_save
