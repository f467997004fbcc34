/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copy and checksum in one pass for POWER: the variant that suits the processor and the length.
 *
 * assay-about: scalar or VSX form by processor and length
 * assay-needs: vsx
 *
 * csum_partial_copy_init takes AT_HWCAP and AT_HWCAP2 from the auxiliary vector (getauxval) once, before the
 * first call from several threads, as csum_partial_init does and for the same reasons. Until then, and below
 * 128 bytes, the copy is scalar and inline. POWER7 stays scalar: its unaligned vector loads and stores may be
 * microcoded, and source and destination need not be aligned alike.
 */
#include "checksum.h"
#include "ones_complement.h"

#define VECTOR_BYTES_MIN 128

/* Linux, arch/powerpc/include/uapi/asm/cputable.h */
#define HWCAP_VSX 0x00000080UL
#define HWCAP2_ARCH_2_07 0x80000000UL /* POWER8 */

typedef uint32_t copy_function(const void *src, void *dst, int len);

copy_function csum_partial_copy_vsx;

void csum_partial_copy_init(unsigned long hwcap, unsigned long hwcap2);

static uint32_t copy_words(const void *src, void *dst, int len)
{
	return csum_narrow(csum_copy_tail(src, dst, (unsigned int)len) + 0xffffffff);
}

static copy_function *long_form = copy_words;

void csum_partial_copy_init(unsigned long hwcap, unsigned long hwcap2)
{
	long_form = hwcap & HWCAP_VSX && hwcap2 & HWCAP2_ARCH_2_07 ? csum_partial_copy_vsx : copy_words;
}

uint32_t csum_partial_copy(const void *src, void *dst, int len)
{
	return (len < VECTOR_BYTES_MIN ? copy_words : long_form)(src, dst, len);
}
