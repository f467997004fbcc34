/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's names of integers; its checkers' marks vanish. */
#ifndef ASSAY_COMPAT_LINUX_TYPES_H
#define ASSAY_COMPAT_LINUX_TYPES_H

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8, __u8;
typedef uint16_t u16, __u16, __be16, __le16, __sum16;
typedef uint32_t u32, __u32, __be32, __le32, __wsum;
typedef uint64_t u64, __u64, __be64, __le64;
typedef int8_t s8, __s8;
typedef int16_t s16, __s16;
typedef int32_t s32, __s32;
typedef int64_t s64, __s64;
typedef unsigned long ulong;
typedef long ssize_t;

struct in6_addr {
	union {
		__u8 u6_addr8[16];
		__be16 u6_addr16[8];
		__be32 u6_addr32[4];
	} in6_u;
};
#define s6_addr in6_u.u6_addr8
#define s6_addr16 in6_u.u6_addr16
#define s6_addr32 in6_u.u6_addr32

#endif

#endif
