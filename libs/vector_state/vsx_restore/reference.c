/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* FPSCR through the first register; then one statement for each. */
#include "vector_state.h"
#include "common/numbers.h"

#if VECTOR_STATE_FPR_OFFSET == 0
#define EXCHANGE(number) ""
#else
#define EXCHANGE(number) "\n\txxswapd " #number ", " #number
#endif

void vsx_restore(const struct vector_state_fpu *area)
{
#define LOAD(number) __asm__ volatile("lxvd2x " #number ", 0, %0" EXCHANGE(number) : : "b"(area->fpr[number]) : "memory");
	__asm__ volatile("lfd 0, 0(%0)\n\tmtfsf 255, 0, 1, 0" : : "b"(&area->fpscr) : "memory");
	EACH_OF_32(LOAD)
}
