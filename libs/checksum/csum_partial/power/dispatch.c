/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum for POWER: the variant that suits the processor and the length.
 *
 * assay-about: adde, VMX, VSX, POWER9 or POWER10 form by processor and length
 * assay-needs: adde vmx vsx power9 power10
 *
 * A user program cannot ask a POWER processor; the kernel says in the auxiliary vector what the processor has.
 * csum_partial_init takes AT_HWCAP and AT_HWCAP2 from there (getauxval) once, before the first call from
 * several threads; a kernel passes cur_cpu_spec's features in the same form. Until it is called, everything
 * goes to the scalar adde chain, which is right on every processor.
 *
 * By length. The vector forms end with three dependent operations of seven clocks and a move to a general
 * register, some 35 clocks that an adde chain at two clocks for 8 bytes fills with 140 bytes. So below 128
 * bytes the sum is scalar: that also keeps headers, whose bytes have just been stored piecewise, away from
 * 16-byte loads that would wait for those stores (load-hit-store). The threshold is reasoned from published
 * latencies, not measured.
 */
#include "checksum.h"

#define VECTOR_BYTES_MIN 128

/* Linux, arch/powerpc/include/uapi/asm/cputable.h */
#define HWCAP_VSX 0x00000080UL
#define HWCAP2_ARCH_2_07 0x80000000UL /* POWER8 */
#define HWCAP2_ARCH_3_00 0x00800000UL /* POWER9 */
#define HWCAP2_ARCH_3_1 0x00040000UL /* POWER10 */

typedef uint32_t csum_function(const void *buf, int len, uint32_t sum);

csum_function csum_partial_adde, csum_partial_vmx, csum_partial_vsx, csum_partial_power9, csum_partial_power10;

void csum_partial_init(unsigned long hwcap, unsigned long hwcap2);

static csum_function *vector_form = csum_partial_adde;

void csum_partial_init(unsigned long hwcap, unsigned long hwcap2)
{
	/*
	 * The bit of the instruction set level says what the processor knows; the VSX bit says that the kernel lets us use
	 * the registers.
	 */
	if (hwcap & HWCAP_VSX) {
		if (hwcap2 & HWCAP2_ARCH_3_1)
			vector_form = csum_partial_power10;
		else if (hwcap2 & HWCAP2_ARCH_3_00)
			vector_form = csum_partial_power9;
		else if (hwcap2 & HWCAP2_ARCH_2_07)
			vector_form = csum_partial_vsx;
		else
			vector_form = csum_partial_vmx;
	} else {
		vector_form = csum_partial_adde;
	}
}

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	return (len < VECTOR_BYTES_MIN ? csum_partial_adde : vector_form)(buf, len, sum);
}
