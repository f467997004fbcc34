/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declarations of the checksum functions, and the small ones that are inline everywhere. */
#ifndef ASSAY_COMPAT_ASM_CHECKSUM_H
#define ASSAY_COMPAT_ASM_CHECKSUM_H

#include <linux/bitops.h>
#include <linux/kernel.h>

__wsum csum_partial(const void *buff, int len, __wsum sum);
__wsum csum_partial_copy_generic(const void *src, void *dst, int len);
__sum16 ip_fast_csum(const void *iph, unsigned int ihl);
__sum16 csum_ipv6_magic(const struct in6_addr *saddr, const struct in6_addr *daddr, __u32 len, __u8 proto, __wsum sum);

static inline __sum16 csum_fold(__wsum sum)
{
	return (__sum16)(~(sum + ror32(sum, 16)) >> 16);
}

static inline unsigned int add32_with_carry(unsigned int a, unsigned int b)
{
	a += b;
	return a + (a < b);
}

#endif
