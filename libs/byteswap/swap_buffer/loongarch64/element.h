/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One element at $a0; advances to the next and counts $a1 down. The store takes the low bits only, so nothing is cleared.
 */
/* clang-format off */
#define SWAP_ELEMENT \
	BY_WIDTH(ld.hu, ld.wu, ld.d) $t0, $a0, 0; \
	BY_WIDTH(revb.2h, revb.2w, revb.d) $t0, $t0; \
	BY_WIDTH(st.h, st.w, st.d) $t0, $a0, 0; \
	addi.d $a0, $a0, BITS / 8; \
	addi.d $a1, $a1, -1
