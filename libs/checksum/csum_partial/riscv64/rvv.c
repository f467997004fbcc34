/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum with the RISC-V vector extension 1.0, for any vector length.
 *
 * assay-about: vwaddu.wv, one operation for four registers
 * assay-requires: rvv
 *
 * vwaddu.wv adds 32-bit elements to 64-bit lanes: one instruction for as many bytes as four registers hold (LMUL 4 in, 8 for the
 * accumulator), whatever VLEN is. The program asks with vsetvli how many elements it gets in each round, so there is one loop and no
 * second one for the rest; "tail undisturbed" keeps the lanes beyond, and with them the sums of earlier rounds. One vredsum at the end.
 *
 * Elements are loaded as bytes, since a machine may refuse elements that are not aligned to their size. The last one to three
 * bytes are summed as scalars. No lane overflows before 2^32 rounds.
 */
#include <riscv_vector.h>

#include "ones_complement.h"

uint32_t csum_partial(const void *buf, int length, uint32_t sum)
{
	size_t len = (unsigned int)length, words = len / 4;
	const uint8_t *p = buf;
	vuint64m8_t lanes = __riscv_vmv_v_x_u64m8(0, __riscv_vsetvlmax_e64m8());
	vuint64m1_t total;
	size_t elements;

	for (; words; words -= elements, p += 4 * elements) {
		vuint8m4_t bytes;

		elements = __riscv_vsetvl_e32m4(words);
		bytes = __riscv_vle8_v_u8m4(p, 4 * elements);
		lanes = __riscv_vwaddu_wv_u64m8_tu(lanes, lanes, __riscv_vreinterpret_v_u8m4_u32m4(bytes), elements);
	}
	total = __riscv_vredsum_vs_u64m8_u64m1(lanes, __riscv_vmv_s_x_u64m1(sum, 1), __riscv_vsetvlmax_e64m8());
	return csum_narrow(__riscv_vmv_x_s_u64m1_u64(total) + csum_tail(p, len & 3));
}
