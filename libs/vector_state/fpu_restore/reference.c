/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The control register first, because on POWER it goes through the first register; then one statement for each. */
#include "vector_state.h"
#include "common/numbers.h"

#ifdef __loongarch__
void fpu_restore(const struct vector_state_fpu *area)
{
#define LOAD(number) __asm__ volatile("fld.d $f" #number ", %0, 0" : : "r"(&area->registers[number]) : "memory");
#define FLAG(number) __asm__ volatile("movgr2cf $fcc" #number ", %0" : : "r"(area->fcc >> 8 * (number) & 1));
	__asm__ volatile("movgr2fcsr $fcsr0, %0" : : "r"((uint64_t)area->fcsr));
	FLAG(0) FLAG(1) FLAG(2) FLAG(3) FLAG(4) FLAG(5) FLAG(6) FLAG(7) EACH_OF_32(LOAD)
}
#else
#ifdef __powerpc64__
#define MTFSF "mtfsf 255, 0, 1, 0"
#else
#define MTFSF "mtfsf 255, 0"
#endif

void fpu_restore(const struct vector_state_fpu *area)
{
#define LOAD(number) __asm__ volatile("lfd " #number ", 0(%0)" : : "b"(&area->fpr[number][VECTOR_STATE_FPR_OFFSET]) : "memory");
	__asm__ volatile("lfd 0, 0(%0)\n\t" MTFSF : : "b"(&area->fpscr) : "memory");
	EACH_OF_32(LOAD)
}
#endif
