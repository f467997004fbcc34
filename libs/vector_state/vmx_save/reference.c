/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One statement for each register. The compiler, which is told not to use vector registers, adds address computations and
 * nothing else.
 *
 * assay-requires: altivec
 */
#include "vector_state.h"
#include "common/numbers.h"

void vmx_save(struct vector_state_vmx *area)
{
#define STORE(number) __asm__ volatile("stvx " #number ", 0, %0" : : "b"(area->vr[number]) : "memory");
	EACH_OF_32(STORE)
	__asm__ volatile("mfvscr 0\n\tstvx 0, 0, %0\n\tlvx 0, 0, %1" : : "b"(area->vscr), "b"(area->vr[0]) : "memory");
}
