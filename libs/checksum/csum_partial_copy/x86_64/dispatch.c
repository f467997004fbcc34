/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copy and checksum in one pass: the variant that suits the CPU and the length.
 *
 * assay-about: scalar, AVX2, AVX-512 or VNNI form by CPU and length
 * assay-needs: avx2 avx512 avx512_vnni
 *
 * The reasons are those of the dispatcher of csum_partial. Below 64 bytes the copy is scalar, here and
 * inline: the headers that are copied so are read again at once, piecewise, and ordinary stores are forwarded
 * to such loads, masked vector stores are not.
 */
#include "../../csum_partial/x86_64/cpu_level.h"
#include "checksum.h"
#include "ones_complement.h"

#define SHORT_BYTES 64

typedef uint32_t copy_function(const void *src, void *dst, int len);

copy_function csum_partial_copy_avx2, csum_partial_copy_avx512, csum_partial_copy_avx512_vnni;

static copy_function resolve;

/* Until the first call large_from is 0 and so every length reaches `large`. */
static copy_function *medium = resolve, *large = resolve;
static int large_from;

/* While another thread resolves, any mixture of old and new is right: each form, and resolve, is for every length. */
static inline copy_function *form_for(int len)
{
	copy_function *const *form = len >= __atomic_load_n(&large_from, __ATOMIC_RELAXED) ? &large : &medium;

	return __atomic_load_n(form, __ATOMIC_RELAXED);
}

static uint32_t copy_words(const void *src, void *dst, int len)
{
	return csum_narrow(csum_copy_tail(src, dst, (unsigned int)len) + 0xffffffff);
}

static uint32_t resolve(const void *src, void *dst, int len)
{
	static const struct {
		copy_function *medium, *large;
		int large_from;
	} choices[] = {
		[LEVEL_BASE] = { copy_words, copy_words, 0 },
		[LEVEL_AVX2] = { csum_partial_copy_avx2, csum_partial_copy_avx2, 0 },
		[LEVEL_AVX_VNNI] = { csum_partial_copy_avx2, csum_partial_copy_avx2, 0 },
		[LEVEL_AVX512] = { csum_partial_copy_avx512, csum_partial_copy_avx512, 0 },
		[LEVEL_AVX512_VNNI] = { csum_partial_copy_avx512, csum_partial_copy_avx512_vnni, 512 },
	};
	enum level level = cpu_level();

	__atomic_store_n(&medium, choices[level].medium, __ATOMIC_RELAXED);
	__atomic_store_n(&large, choices[level].large, __ATOMIC_RELAXED);
	__atomic_store_n(&large_from, choices[level].large_from, __ATOMIC_RELAXED);
	return form_for(len)(src, dst, len);
}

uint32_t csum_partial_copy(const void *src, void *dst, int len)
{
	if (len < SHORT_BYTES)
		return copy_words(src, dst, len);
	return form_for(len)(src, dst, len);
}
