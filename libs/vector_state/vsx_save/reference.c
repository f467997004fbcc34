/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One statement for each register, by halves: the FPR by stfd, then the other half, exchanged into its place and back. */
#include "vector_state.h"
#include "common/numbers.h"

void vsx_save(struct vector_state_fpu *area)
{
#define HALF(number, half) (&area->fpr[number][half])
#define STORE(number) \
	__asm__ volatile("stfd " #number ", 0(%0)\n\t" \
			 "xxswapd " #number ", " #number "\n\t" \
			 "stfd " #number ", 0(%1)\n\t" \
			 "xxswapd " #number ", " #number \
			 : \
			 : "b"(HALF(number, VECTOR_STATE_FPR_OFFSET)), "b"(HALF(number, !VECTOR_STATE_FPR_OFFSET)) \
			 : "memory");
	uint64_t whole[2] __attribute__((aligned(16)));

	EACH_OF_32(STORE)
	__asm__ volatile("stxvd2x 0, 0, %0\n\tmffs 0\n\tstfd 0, 0(%1)\n\tlxvd2x 0, 0, %0"
			 :
			 : "b"(whole), "b"(&area->fpscr)
			 : "memory");
}
