/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processor features by the kernel's names. The numbers are ours; what is set follows from the claimed
 * processor, which the compiler knows by -mcpu.
 */
#ifndef ASSAY_COMPAT_CPUTABLE_H
#define ASSAY_COMPAT_CPUTABLE_H

#define CPU_FTR_ALTIVEC 0x0001
#define CPU_FTR_VSX 0x0002
#define CPU_FTR_ARCH_206 0x0004
#define CPU_FTR_ARCH_207S 0x0008
#define CPU_FTR_ARCH_300 0x0010
#define CPU_FTR_ARCH_31 0x0020
#define CPU_FTR_POPCNTB 0x0040
#define CPU_FTR_POPCNTD 0x0080
#define CPU_FTR_VMX_COPY 0x0100
#define CPU_FTR_UNALIGNED_LD_STD 0x0200
#define CPU_FTR_CP_USE_DCBTZ 0x0400
#define CPU_FTR_STCX_CHECKS_ADDRESS 0x0800
#define CPU_FTR_REAL_LE 0x1000
#define CPU_FTR_CFAR 0x2000

#ifdef __ALTIVEC__
#define ASSAY_CPU_ALTIVEC CPU_FTR_ALTIVEC
#else
#define ASSAY_CPU_ALTIVEC 0
#endif
#ifdef __VSX__
#define ASSAY_CPU_VSX CPU_FTR_VSX
#else
#define ASSAY_CPU_VSX 0
#endif
/* POWER7 is the oldest 64-bit processor here. */
#ifdef __powerpc64__
#define ASSAY_CPU_BASE \
	(CPU_FTR_ARCH_206 | CPU_FTR_POPCNTB | CPU_FTR_POPCNTD | CPU_FTR_VMX_COPY | CPU_FTR_UNALIGNED_LD_STD | \
	 CPU_FTR_STCX_CHECKS_ADDRESS | CPU_FTR_REAL_LE | CPU_FTR_CFAR)
#else
#define ASSAY_CPU_BASE 0
#endif
#ifdef _ARCH_PWR8
#define ASSAY_CPU_207S CPU_FTR_ARCH_207S
#else
#define ASSAY_CPU_207S 0
#endif
#ifdef _ARCH_PWR9
#define ASSAY_CPU_300 CPU_FTR_ARCH_300
#else
#define ASSAY_CPU_300 0
#endif
#ifdef _ARCH_PWR10
#define ASSAY_CPU_31 CPU_FTR_ARCH_31
#else
#define ASSAY_CPU_31 0
#endif

#define ASSAY_CPU_FEATURES (ASSAY_CPU_BASE | ASSAY_CPU_ALTIVEC | ASSAY_CPU_VSX | ASSAY_CPU_207S | ASSAY_CPU_300 | ASSAY_CPU_31)

#endif
