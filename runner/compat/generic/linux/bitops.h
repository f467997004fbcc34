/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rotations. */
#ifndef ASSAY_COMPAT_LINUX_BITOPS_H
#define ASSAY_COMPAT_LINUX_BITOPS_H

#include <linux/types.h>

static inline __u32 rol32(__u32 word, unsigned int bits)
{
	return word << (bits & 31) | word >> (-bits & 31);
}

static inline __u32 ror32(__u32 word, unsigned int bits)
{
	return word >> (bits & 31) | word << (-bits & 31);
}

static inline __u64 ror64(__u64 word, unsigned int bits)
{
	return word >> (bits & 63) | word << (-bits & 63);
}

#endif
