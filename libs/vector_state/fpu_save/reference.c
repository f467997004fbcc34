/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One statement for each register; the control register through the first, which is loaded again. */
#include "vector_state.h"
#include "common/numbers.h"

#ifdef __loongarch__
void fpu_save(struct vector_state_fpu *area)
{
	uint64_t flags = 0, flag;

#define STORE(number) __asm__ volatile("fst.d $f" #number ", %0, 0" : : "r"(&area->registers[number]) : "memory");
#define FLAG(number) \
	__asm__ volatile("movcf2gr %0, $fcc" #number : "=r"(flag)); \
	flags |= flag << 8 * (number);
	EACH_OF_32(STORE)
	/* clang-format off */
	FLAG(0) FLAG(1) FLAG(2) FLAG(3) FLAG(4) FLAG(5) FLAG(6) FLAG(7)
	area->fcc = flags;
	/* clang-format on */
	__asm__ volatile("movfcsr2gr %0, $fcsr0" : "=r"(flag));
	area->fcsr = (uint32_t)flag;
}
#else
void fpu_save(struct vector_state_fpu *area)
{
#define STORE(number) \
	__asm__ volatile("stfd " #number ", 0(%0)" : : "b"(&area->fpr[number][VECTOR_STATE_FPR_OFFSET]) : "memory");
	EACH_OF_32(STORE)
	__asm__ volatile("mffs 0\n\tstfd 0, 0(%0)\n\tlfd 0, 0(%1)"
			 :
			 : "b"(&area->fpscr), "b"(&area->fpr[0][VECTOR_STATE_FPR_OFFSET])
			 : "memory");
}
#endif
