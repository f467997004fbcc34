/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One statement for each register and flag.
 *
 * assay-requires: lasx
 */
#include "vector_state.h"
#include "common/numbers.h"

void lasx_save(struct vector_state_lasx *area)
{
	uint64_t flags = 0, flag;

#define STORE(number) __asm__ volatile("xvst $xr" #number ", %0, 0" : : "r"(area->registers[number]) : "memory");
#define FLAG(number) \
	__asm__ volatile("movcf2gr %0, $fcc" #number : "=r"(flag)); \
	flags |= flag << 8 * (number);
	EACH_OF_32(STORE)
	FLAG(0) FLAG(1) FLAG(2) FLAG(3) FLAG(4) FLAG(5) FLAG(6) FLAG(7) area->fcc = flags;
	__asm__ volatile("movfcsr2gr %0, $fcsr0" : "=r"(flag));
	area->fcsr = (uint32_t)flag;
}
