/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The processor's own instruction; the test compares with registers that were loaded and stored by moves.
 *
 * assay-requires: xsave
 */
#include "vector_state.h"

void x87_save(struct vector_state_x86 *area)
{
	__asm__ volatile("xsave64 %0" : "+m"(*area) : "a"(0x1), "d"(0) : "memory");
}
