/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Byte order under the kernel's names. */
#ifndef ASSAY_COMPAT_ASM_BYTEORDER_H
#define ASSAY_COMPAT_ASM_BYTEORDER_H

#include <linux/types.h>

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#ifndef __BIG_ENDIAN
#define __BIG_ENDIAN 4321
#endif
#define ASSAY_COMPAT_TO_BIG(bits, value) (value)
#define ASSAY_COMPAT_TO_LITTLE(bits, value) __builtin_bswap##bits(value)
#else
#ifndef __LITTLE_ENDIAN
#define __LITTLE_ENDIAN 1234
#endif
#define ASSAY_COMPAT_TO_BIG(bits, value) __builtin_bswap##bits(value)
#define ASSAY_COMPAT_TO_LITTLE(bits, value) (value)
#endif

#ifndef __ASSEMBLER__

#define swab16(value) __builtin_bswap16(value)
#define swab32(value) __builtin_bswap32(value)
#define swab64(value) __builtin_bswap64(value)
#define htons(value) ((__be16)ASSAY_COMPAT_TO_BIG(16, (__u16)(value)))
#define htonl(value) ((__be32)ASSAY_COMPAT_TO_BIG(32, (__u32)(value)))
#define ntohs(value) htons(value)
#define ntohl(value) htonl(value)
#define cpu_to_be16(value) htons(value)
#define cpu_to_be32(value) htonl(value)
#define cpu_to_le32(value) ((__le32)ASSAY_COMPAT_TO_LITTLE(32, (__u32)(value)))
#define le32_to_cpu(value) cpu_to_le32(value)

#endif

#endif
