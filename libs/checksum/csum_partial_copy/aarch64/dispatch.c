/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copy and checksum in one pass for AArch64: the variant that suits the length.
 *
 * assay-about: scalar or NEON form by length
 * assay-needs: neon
 *
 * Advanced SIMD is part of what Linux demands of every AArch64 user environment, so there is no choice by
 * processor. Below 64 bytes the copy is scalar and inline.
 */
#include "checksum.h"
#include "ones_complement.h"

#define VECTOR_BYTES_MIN 64

uint32_t csum_partial_copy_neon(const void *src, void *dst, int len);

uint32_t csum_partial_copy(const void *src, void *dst, int len)
{
	if (len < VECTOR_BYTES_MIN)
		return csum_narrow(csum_copy_tail(src, dst, (unsigned int)len) + 0xffffffff);
	return csum_partial_copy_neon(src, dst, len);
}
