/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copy and checksum in one pass with the RISC-V vector extension 1.0, for any vector length.
 *
 * assay-about: fused copy of four registers with vwaddu.wv
 * assay-requires: rvv
 *
 * As ../../csum_partial/riscv64/rvv.c, with a vse8 of what was loaded. The sum starts from 0xffffffff, see checksum.h.
 */
#include <riscv_vector.h>

#include "ones_complement.h"

uint32_t csum_partial_copy(const void *source, void *destination, int length)
{
	size_t len = (unsigned int)length, words = len / 4;
	const uint8_t *src = source;
	uint8_t *dst = destination;
	vuint64m8_t lanes = __riscv_vmv_v_x_u64m8(0, __riscv_vsetvlmax_e64m8());
	vuint64m1_t total;
	size_t elements;

	for (; words; words -= elements, src += 4 * elements, dst += 4 * elements) {
		vuint8m4_t bytes;

		elements = __riscv_vsetvl_e32m4(words);
		bytes = __riscv_vle8_v_u8m4(src, 4 * elements);
		__riscv_vse8_v_u8m4(dst, bytes, 4 * elements);
		lanes = __riscv_vwaddu_wv_u64m8_tu(lanes, lanes, __riscv_vreinterpret_v_u8m4_u32m4(bytes), elements);
	}
	total = __riscv_vredsum_vs_u64m8_u64m1(lanes, __riscv_vmv_s_x_u64m1(0xffffffff, 1), __riscv_vsetvlmax_e64m8());
	return csum_narrow(__riscv_vmv_x_s_u64m1_u64(total) + csum_copy_tail(src, dst, len & 3));
}
