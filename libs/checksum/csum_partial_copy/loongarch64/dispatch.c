/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copy and checksum in one pass for LoongArch: the variant that suits the processor and the length.
 *
 * assay-about: scalar, LSX or LASX form by processor and length
 * assay-needs: lsx lasx
 *
 * csum_partial_copy_init takes AT_HWCAP and AT_HWCAP2 from the auxiliary vector (getauxval) once, before the
 * first call from several threads, as csum_partial_init does and for the same reasons. Until then, and below
 * 64 bytes, the copy is scalar and inline. All forms use unaligned accesses (UAL); where the core has none, the
 * kernel emulates the scalar form's, rightly and slowly, but no vectors', so the scalar form has all lengths.
 */
#include "checksum.h"
#include "ones_complement.h"

#define VECTOR_BYTES_MIN 64

/* Linux, arch/loongarch/include/uapi/asm/hwcap.h */
#define HWCAP_UAL (1UL << 2)
#define HWCAP_LSX (1UL << 4)
#define HWCAP_LASX (1UL << 5)

typedef uint32_t copy_function(const void *src, void *dst, int len);

copy_function csum_partial_copy_lsx, csum_partial_copy_lasx;

void csum_partial_copy_init(unsigned long hwcap, unsigned long hwcap2);

static uint32_t copy_words(const void *src, void *dst, int len)
{
	return csum_narrow(csum_copy_tail(src, dst, (unsigned int)len) + 0xffffffff);
}

static copy_function *long_form = copy_words;

void csum_partial_copy_init(unsigned long hwcap, unsigned long hwcap2)
{
	(void)hwcap2;
	long_form = copy_words;
	if (hwcap & HWCAP_UAL && hwcap & (HWCAP_LSX | HWCAP_LASX))
		long_form = hwcap & HWCAP_LASX ? csum_partial_copy_lasx : csum_partial_copy_lsx;
}

uint32_t csum_partial_copy(const void *src, void *dst, int len)
{
	return (len < VECTOR_BYTES_MIN ? copy_words : long_form)(src, dst, len);
}
