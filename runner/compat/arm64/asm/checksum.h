/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* On arm64 csum.c defines do_csum, so it must not be static. */
#ifndef ASSAY_COMPAT_ASM_CHECKSUM_H
#define ASSAY_COMPAT_ASM_CHECKSUM_H

#include <linux/bitops.h>
#include <linux/kernel.h>

#define do_csum do_csum
unsigned int do_csum(const unsigned char *buff, int len);

__sum16 csum_ipv6_magic(const struct in6_addr *saddr, const struct in6_addr *daddr, __u32 len, __u8 proto, __wsum sum);

static inline __sum16 csum_fold(__wsum sum)
{
	return (__sum16)(~(sum + ror32(sum, 16)) >> 16);
}

#endif
