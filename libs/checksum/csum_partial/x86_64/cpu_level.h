/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which x86-64 variants this CPU and its operating system allow; for the dispatchers.
 *
 * Through cpuid, and xgetbv too: the operating system has to save the registers that a variant uses, so the
 * CPU's own feature bit is not enough.
 */
#ifndef CHECKSUM_CPU_LEVEL_H
#define CHECKSUM_CPU_LEVEL_H

#include <cpuid.h>
#include <stdint.h>

/* XCR0: which register states the operating system saves (Intel SDM vol. 1, 13.3). */
static inline uint32_t saved_states(void)
{
	uint32_t low, high;

	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low;
}

#define XCR0_AVX 0x06 /* xmm, upper halves of ymm */
#define XCR0_AVX512 0xe6 /* those, mask registers, upper halves of zmm0-15, zmm16-31 */

enum level { LEVEL_BASE, LEVEL_AVX2, LEVEL_AVX_VNNI, LEVEL_AVX512, LEVEL_AVX512_VNNI };

/* Feature bits: Intel SDM vol. 2A, CPUID, leaves 1, 7.0 and 7.1; <cpuid.h> names them. */
static inline enum level cpu_level(void)
{
	const uint32_t avx512_bits = bit_AVX512F | bit_AVX512DQ | bit_AVX512BW | bit_AVX512VL;
	uint32_t eax, ebx, ecx, edx, states, leaf1_eax = 0;

	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE))
		return LEVEL_BASE;
	states = saved_states();
	if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) || (states & XCR0_AVX) != XCR0_AVX)
		return LEVEL_BASE;
	if (!(ebx & bit_AVX2) || !(ebx & bit_BMI2))
		return LEVEL_BASE;
	if ((states & XCR0_AVX512) == XCR0_AVX512 && (ebx & avx512_bits) == avx512_bits)
		return ecx & bit_AVX512VNNI ? LEVEL_AVX512_VNNI : LEVEL_AVX512;
	if (eax >= 1)
		__cpuid_count(7, 1, leaf1_eax, ebx, ecx, edx);
	return leaf1_eax & bit_AVXVNNI ? LEVEL_AVX_VNNI : LEVEL_AVX2;
}

#endif
