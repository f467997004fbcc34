/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum for AArch64: the variant that suits the length.
 *
 * assay-about: scalar or NEON by length
 * assay-needs: neon
 *
 * There is no choice by processor: Linux requires Advanced SIMD for every AArch64 user
 * environment. (A kernel chooses by context instead, may_use_simd.) Below 64 bytes the sum is scalar and
 * inline: a reduction across lanes and a move to a general register take as long as eight words.
 */
#include "checksum.h"
#include "ones_complement.h"

#define VECTOR_BYTES_MIN 64

uint32_t csum_partial_neon(const void *buf, int len, uint32_t sum);

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	if (len < VECTOR_BYTES_MIN)
		return csum_narrow(csum_tail(buf, (unsigned int)len) + sum);
	return csum_partial_neon(buf, len, sum);
}
