/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum for LoongArch: the variant that suits the processor and the length.
 *
 * assay-about: scalar, LSX or LASX by processor and length
 * assay-needs: apart4 high_words lsx lasx
 *
 * cpucfg tells any program what the processor has, but not whether the kernel saves the vector registers, and a
 * vector instruction that the kernel has not enabled traps. So csum_partial_init takes AT_HWCAP from the auxiliary vector
 * (getauxval) once, before the first call from several threads; a kernel passes its elf_hwcap. Until then,
 * and where loads have to be aligned (no UAL: some 2K cores), everything goes to the form that aligns first.
 *
 * By length. The LASX form ends with some fifteen clocks of lane crossing and moves, in which the scalar form
 * does the first hundred bytes; LSX saves one lane crossing. So: scalar below 64 bytes, LSX below 128, then
 * LASX. Reasoned from published latencies, not measured.
 */
#include "checksum.h"

#define LSX_BYTES_MIN 64
#define LASX_BYTES_MIN 128

/* Linux, arch/loongarch/include/uapi/asm/hwcap.h */
#define HWCAP_UAL (1UL << 2)
#define HWCAP_LSX (1UL << 4)
#define HWCAP_LASX (1UL << 5)

typedef uint32_t csum_function(const void *buf, int len, uint32_t sum);

csum_function csum_partial_apart4, csum_partial_high_words, csum_partial_lsx, csum_partial_lasx;

void csum_partial_init(unsigned long hwcap, unsigned long hwcap2);

static csum_function *short_form = csum_partial_apart4;
static csum_function *medium_form = csum_partial_apart4;
static csum_function *long_form = csum_partial_apart4;

void csum_partial_init(unsigned long hwcap, unsigned long hwcap2)
{
	(void)hwcap2;
	short_form = hwcap & HWCAP_UAL ? csum_partial_high_words : csum_partial_apart4;
	medium_form = hwcap & HWCAP_UAL && hwcap & HWCAP_LSX ? csum_partial_lsx : short_form;
	long_form = hwcap & HWCAP_UAL && hwcap & HWCAP_LASX ? csum_partial_lasx : medium_form;
}

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	if (len < LSX_BYTES_MIN)
		return short_form(buf, len, sum);
	return (len < LASX_BYTES_MIN ? medium_form : long_form)(buf, len, sum);
}
