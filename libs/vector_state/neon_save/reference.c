/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One statement for each register. */
#include "vector_state.h"
#include "common/numbers.h"

void neon_save(struct vector_state_neon *area)
{
	uint64_t control;

#define STORE(number) __asm__ volatile("str q" #number ", [%0]" : : "r"(area->vregs[number]) : "memory");
	EACH_OF_32(STORE)
	__asm__ volatile("mrs %0, fpsr" : "=r"(control));
	area->fpsr = (uint32_t)control;
	__asm__ volatile("mrs %0, fpcr" : "=r"(control));
	area->fpcr = (uint32_t)control;
}
