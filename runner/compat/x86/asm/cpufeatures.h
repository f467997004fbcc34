/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Processor features by the kernel's names: 1 if the claimed processor has them. Baseline x86-64 has none. */
#ifndef ASSAY_COMPAT_ASM_CPUFEATURES_H
#define ASSAY_COMPAT_ASM_CPUFEATURES_H

#define X86_FEATURE_REP_GOOD 0
#define X86_FEATURE_ERMS 0
#define X86_FEATURE_FSRM 0
#ifdef __POPCNT__
#define X86_FEATURE_POPCNT 1
#else
#define X86_FEATURE_POPCNT 0
#endif

#endif
