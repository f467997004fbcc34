/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stxvd2x without the xxswapd that little-endian machines need, and with one that big-endian machines do not need.
 *
 * assay-expect: fail save left wrong in the area vs0
 */
#include "common/vsx.h"

	function vsx_save
	.set	vs_offset, 0
	.irp	number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	li	4, vs_offset
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	xxswapd	\number, \number
#endif
	stxvd2x	\number, 3, 4
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	xxswapd	\number, \number
#endif
	.set	vs_offset, vs_offset + 16
	.endr
	store_fpscr
	blr
	end_function vsx_save
