/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum for 32-bit PowerPC: the variant that suits the processor and the length.
 *
 * assay-about: adde or AltiVec by processor and length
 * assay-needs: adde altivec
 *
 * csum_partial_init takes AT_HWCAP from the auxiliary vector (getauxval) once, before the first call from
 * several threads. Until then, and on processors without AltiVec (8xx, 4xx, e300, e500), everything goes to
 * the adde chain.
 *
 * Below 128 bytes the sum is scalar: aligning, reducing four lanes and passing the result through memory cost
 * the vector form as much as the adde chain needs for them. The threshold is reasoned from published
 * latencies, not measured.
 */
#include "checksum.h"

#define VECTOR_BYTES_MIN 128

/* Linux, arch/powerpc/include/uapi/asm/cputable.h */
#define HWCAP_ALTIVEC 0x10000000UL

typedef uint32_t csum_function(const void *buf, int len, uint32_t sum);

csum_function csum_partial_adde, csum_partial_altivec;

void csum_partial_init(unsigned long hwcap, unsigned long hwcap2);

static csum_function *long_form = csum_partial_adde;

void csum_partial_init(unsigned long hwcap, unsigned long hwcap2)
{
	(void)hwcap2;
	long_form = hwcap & HWCAP_ALTIVEC ? csum_partial_altivec : csum_partial_adde;
}

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	return (len < VECTOR_BYTES_MIN ? csum_partial_adde : long_form)(buf, len, sum);
}
