/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum: the variant that suits the CPU and the length.
 * assay-needs: adc avx2 avx_vnni avx512 avx512_carry_save avx512_vnni_words
 *
 * By length. A wide accumulator costs a horizontal reduction at the end: some ten clocks of latency for 512 bits, which a short
 * buffer does not earn back. A short buffer is also often a header that scalar stores have just written, and a wide load that covers several
 * stores in flight cannot be forwarded and waits for all of them. So below 64 bytes the sum is scalar, here and inline. Then comes the
 * form with the shortest start and end, three operations a vector; and from the length where it overtakes, the form with the most
 * bytes/clock. The crossings were measured on Golden Cove (Emerald Rapids), all variants interleaved, independent calls:
 *	avx512 -> avx512_vnni_words	between 250 and 320 bytes
 *	avx512 -> avx512_carry_save	between 1472 and 4096 bytes
 *	avx2 -> avx_vnni		between 250 and 400 bytes
 *
 * By CPU, through cpuid and xgetbv: the operating system has to save the registers that a variant uses, so the CPU's own feature bit is
 * not enough. It happens at the first call that is not short; the pointers then stay as they are. Several threads may resolve at once: they
 * store the same values. A kernel would make them static calls, and must own the vector registers (kernel_fpu_begin) for 64 bytes and more.
 */
#include <cpuid.h>

#include "adc.h"

#define SHORT_BYTES 64

typedef uint32_t csum_function(const void *buf, int len, uint32_t sum);

csum_function csum_partial_adc, csum_partial_avx2, csum_partial_avx_vnni, csum_partial_avx512, csum_partial_avx512_carry_save,
	csum_partial_avx512_vnni_words;

static csum_function resolve;

/* Until the first call large_from is 0 and so every length reaches `large`. */
static csum_function *medium = resolve, *large = resolve;
static int large_from;

/* XCR0: which register states the operating system saves (Intel SDM vol. 1, 13.3). */
static uint32_t saved_states(void)
{
	uint32_t low, high;

	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low;
}

#define XCR0_AVX 0x06	 /* xmm, upper halves of ymm */
#define XCR0_AVX512 0xe6 /* those, mask registers, upper halves of zmm0-15, zmm16-31 */

enum level { LEVEL_BASE, LEVEL_AVX2, LEVEL_AVX_VNNI, LEVEL_AVX512, LEVEL_AVX512_VNNI };

/* Feature bits: Intel SDM vol. 2A, CPUID, leaves 1, 7.0 and 7.1; <cpuid.h> names them. */
static enum level cpu_level(void)
{
	const uint32_t avx512_bits = bit_AVX512F | bit_AVX512DQ | bit_AVX512BW | bit_AVX512VL;
	uint32_t eax, ebx, ecx, edx, states, leaf1_eax = 0;

	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE))
		return LEVEL_BASE;
	states = saved_states();
	if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) || (states & XCR0_AVX) != XCR0_AVX || !(ebx & bit_AVX2) || !(ebx & bit_BMI2))
		return LEVEL_BASE;
	if ((states & XCR0_AVX512) == XCR0_AVX512 && (ebx & avx512_bits) == avx512_bits)
		return ecx & bit_AVX512VNNI ? LEVEL_AVX512_VNNI : LEVEL_AVX512;
	if (eax >= 1)
		__cpuid_count(7, 1, leaf1_eax, ebx, ecx, edx);
	return leaf1_eax & bit_AVXVNNI ? LEVEL_AVX_VNNI : LEVEL_AVX2;
}

static uint32_t resolve(const void *buf, int len, uint32_t sum)
{
	static const struct {
		csum_function *medium, *large;
		int large_from;
	} choices[] = {
		[LEVEL_BASE] = { csum_partial_adc, csum_partial_adc, 0 },
		[LEVEL_AVX2] = { csum_partial_avx2, csum_partial_avx2, 0 },
		[LEVEL_AVX_VNNI] = { csum_partial_avx2, csum_partial_avx_vnni, 320 },
		[LEVEL_AVX512] = { csum_partial_avx512, csum_partial_avx512_carry_save, 2048 },
		[LEVEL_AVX512_VNNI] = { csum_partial_avx512, csum_partial_avx512_vnni_words, 256 },
	};
	enum level level = cpu_level();

	medium = choices[level].medium;
	large = choices[level].large;
	large_from = choices[level].large_from;
	return (len >= large_from ? large : medium)(buf, len, sum);
}

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	if (len < SHORT_BYTES)
		return csum_narrow(adc_short(sum, buf, (unsigned int)len));
	return (len >= large_from ? large : medium)(buf, len, sum);
}
