/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Bytes of a first-level cache line: what dcbz clears. The 32-bit cores here have 32 (MPC8xx: 16). */
#ifndef ASSAY_COMPAT_ASM_CACHE_H
#define ASSAY_COMPAT_ASM_CACHE_H

#ifdef __powerpc64__
#define L1_CACHE_SHIFT 7
#define MAX_COPY_PREFETCH 1
#else
#define L1_CACHE_SHIFT 5
#define MAX_COPY_PREFETCH 4
#endif
#define L1_CACHE_BYTES (1 << L1_CACHE_SHIFT)

#endif
