/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One statement for each register and flag.
 *
 * assay-requires: lasx
 */
#include "vector_state.h"
#include "common/numbers.h"

void lasx_restore(const struct vector_state_lasx *area)
{
#define LOAD(number) __asm__ volatile("xvld $xr" #number ", %0, 0" : : "r"(area->registers[number]) : "memory");
#define FLAG(number) __asm__ volatile("movgr2cf $fcc" #number ", %0" : : "r"(area->fcc >> 8 * (number) & 1));
	__asm__ volatile("movgr2fcsr $fcsr0, %0" : : "r"((uint64_t)area->fcsr));
	FLAG(0) FLAG(1) FLAG(2) FLAG(3) FLAG(4) FLAG(5) FLAG(6) FLAG(7) EACH_OF_32(LOAD)
}
