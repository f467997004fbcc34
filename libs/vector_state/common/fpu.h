/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* f0 to f31 in struct vector_state_fpu: lfd and stfd have displacements, so only the place of FPSCR is open to choice. */
#ifndef VECTOR_STATE_FPU_H
#define VECTOR_STATE_FPU_H

#include "common/function.h"

#ifdef __powerpc64__
#define FPR_STEP     16
#define FPSCR_OFFSET 512
/* All 64 bits of it: those of decimal rounding are in the upper word. */
#define MTFSF(number) mtfsf 255, number, 1, 0
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define FPR_AT 0
#else
#define FPR_AT 8
#endif
#else
#define FPR_STEP      8
#define FPSCR_OFFSET  256
#define FPR_AT        0
#define MTFSF(number) mtfsf 255, number
#endif

/* f1 to f31; f0 is special. `operation` is stfd or lfd. */
	.macro	each_fpr_but_first operation
	.set	vs_offset, FPR_STEP + FPR_AT
	.irp	number, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	\operation \number, vs_offset(3)
	.set	vs_offset, vs_offset + FPR_STEP
	.endr
	.endm

#endif
