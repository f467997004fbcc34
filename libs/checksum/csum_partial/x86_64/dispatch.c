/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum: the variant that suits the CPU and the length.
 *
 * assay-about: adc, AVX2, AVX-512 or VNNI form by CPU and length
 * assay-needs: adc avx2 avx_vnni avx512 avx512_carry_save avx512_vnni_words
 *
 * By length. A wide accumulator costs a horizontal reduction at the end: some ten clocks of latency for 512
 * bits, which a short buffer does not earn back. A short buffer is also often a header that scalar stores have
 * just written, and a wide load that covers several stores in flight cannot be forwarded and waits for all of
 * them. So below 64 bytes the sum is scalar, here and inline. Then comes the form with the shortest start and
 * end, three operations a vector; and from the length where it overtakes, the form with the most bytes/clock.
 *
 * The crossings were measured on Golden Cove (Emerald Rapids), all variants interleaved, independent calls:
 *	avx512 -> avx512_vnni_words	between 256 and 320 bytes
 *	avx512 -> avx512_carry_save	between 1472 and 4096 bytes
 *	avx2 -> avx_vnni		between 250 and 400 bytes
 * From 64 to 190 bytes latency and throughput rank the forms differently: at 64 bytes the adc chain has a latency of
 * 21 clocks and the vector form of 31, but independent calls take 15 clocks each by the chain and 9 by the vector
 * form. Calls rarely depend on each other, so throughput decides.
 *
 * By CPU: cpu_level.h asks once, at the first call that is not short; the pointers then stay as they are.
 * Several threads may resolve at once: they store the same values, by atomic stores, which cost what plain ones do. A
 * kernel would make them static calls, and must own the vector registers (kernel_fpu_begin) for 64 bytes and more.
 */
#include "adc.h"
#include "cpu_level.h"

#define SHORT_BYTES 64

typedef uint32_t csum_function(const void *buf, int len, uint32_t sum);

csum_function csum_partial_adc, csum_partial_avx2, csum_partial_avx_vnni, csum_partial_avx512, csum_partial_avx512_carry_save,
	csum_partial_avx512_vnni_words;

static csum_function resolve;

/* Until the first call large_from is 0 and so every length reaches `large`. */
static csum_function *medium = resolve, *large = resolve;
static int large_from;

/* While another thread resolves, any mixture of old and new is right: each form, and resolve, is for every length. */
static inline csum_function *form_for(int len)
{
	csum_function *const *form = len >= __atomic_load_n(&large_from, __ATOMIC_RELAXED) ? &large : &medium;

	return __atomic_load_n(form, __ATOMIC_RELAXED);
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

	__atomic_store_n(&medium, choices[level].medium, __ATOMIC_RELAXED);
	__atomic_store_n(&large, choices[level].large, __ATOMIC_RELAXED);
	__atomic_store_n(&large_from, choices[level].large_from, __ATOMIC_RELAXED);
	return form_for(len)(buf, len, sum);
}

/*
 * The path without a taken branch is that of long buffers: such a branch is two of the nine clocks that 64 bytes
 * take. 40 bytes, an IPv6 header or IPv4 and TCP, have a path of their own.
 */
uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	if (__builtin_expect(len == 40, 0))
		return csum_narrow(adc_40_bytes(sum, buf));
	if (__builtin_expect(len < SHORT_BYTES, 0))
		return csum_narrow(adc_short(sum, buf, (unsigned int)len));
	return form_for(len)(buf, len, sum);
}
