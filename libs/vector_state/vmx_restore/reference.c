/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One statement for each register; VSCR first, because it goes through v0. The registers are not declared as clobbered,
 * because the compiler would save and restore them around the statements.
 *
 * assay-requires: altivec
 */
#include "vector_state.h"
#include "common/numbers.h"

void vmx_restore(const struct vector_state_vmx *area)
{
#define LOAD(number) __asm__ volatile("lvx " #number ", 0, %0" : : "b"(area->vr[number]) : "memory");
	__asm__ volatile("lvx 0, 0, %0\n\tmtvscr 0" : : "b"(area->vscr) : "memory");
	EACH_OF_32(LOAD)
}
