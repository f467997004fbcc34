/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copy and checksum in one pass for RISC-V: the variant that suits the processor and the length.
 *
 * assay-about: scalar or RVV form by processor and length
 * assay-needs: rvv
 *
 * csum_partial_copy_init takes AT_HWCAP and AT_HWCAP2 from the auxiliary vector (getauxval) once, before the
 * first call from several threads, as csum_partial_init does and for the same reasons. Until then, and below
 * 64 bytes, the copy is scalar and inline. The scalar form loads bytes where the compiler does not know
 * unaligned words to be fast.
 */
#include "checksum.h"
#include "ones_complement.h"

#define VECTOR_BYTES_MIN 64

/* Linux, arch/riscv/include/uapi/asm/hwcap.h: one bit for each single-letter extension. */
#define HWCAP_V (1UL << ('V' - 'A'))

typedef uint32_t copy_function(const void *src, void *dst, int len);

copy_function csum_partial_copy_rvv;

void csum_partial_copy_init(unsigned long hwcap, unsigned long hwcap2);

static uint32_t copy_words(const void *src, void *dst, int len)
{
	return csum_narrow(csum_copy_tail(src, dst, (unsigned int)len) + 0xffffffff);
}

static copy_function *long_form = copy_words;

void csum_partial_copy_init(unsigned long hwcap, unsigned long hwcap2)
{
	(void)hwcap2;
	long_form = hwcap & HWCAP_V ? csum_partial_copy_rvv : copy_words;
}

uint32_t csum_partial_copy(const void *src, void *dst, int len)
{
	return (len < VECTOR_BYTES_MIN ? copy_words : long_form)(src, dst, len);
}
