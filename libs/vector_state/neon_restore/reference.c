/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One statement for each register. */
#include "vector_state.h"
#include "common/numbers.h"

void neon_restore(const struct vector_state_neon *area)
{
#define LOAD(number) __asm__ volatile("ldr q" #number ", [%0]" : : "r"(area->vregs[number]) : "memory");
	__asm__ volatile("msr fpsr, %0" : : "r"((uint64_t)area->fpsr));
	__asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)area->fpcr));
	EACH_OF_32(LOAD)
}
