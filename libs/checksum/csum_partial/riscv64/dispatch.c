/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum for RISC-V: the variant that suits the processor and the length.
 *
 * assay-about: scalar or RVV by processor and length
 * assay-needs: apart4 rvv
 *
 * A user program cannot ask the processor. csum_partial_init takes AT_HWCAP from the auxiliary vector
 * (getauxval) once, before the first call from several threads; its bit for the letter V means the ratified
 * vector extension with the kernel's support. Until then everything is scalar, with aligned loads, since
 * unaligned ones may be emulated.
 *
 * Below 64 bytes the sum is scalar: the vector form pays for its setting-up and an ordered reduction.
 * Reasoned, not measured.
 */
#include "checksum.h"

#define VECTOR_BYTES_MIN 64

/* Linux, arch/riscv/include/uapi/asm/hwcap.h: one bit for each single-letter extension. */
#define HWCAP_V (1UL << ('V' - 'A'))

typedef uint32_t csum_function(const void *buf, int len, uint32_t sum);

csum_function csum_partial_apart4, csum_partial_rvv;

void csum_partial_init(unsigned long hwcap, unsigned long hwcap2);

static csum_function *long_form = csum_partial_apart4;

void csum_partial_init(unsigned long hwcap, unsigned long hwcap2)
{
	(void)hwcap2;
	long_form = hwcap & HWCAP_V ? csum_partial_rvv : csum_partial_apart4;
}

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	return (len < VECTOR_BYTES_MIN ? csum_partial_apart4 : long_form)(buf, len, sum);
}
