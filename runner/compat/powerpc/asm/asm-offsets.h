/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Offsets that the kernel's build computes from its structures. Those of the register areas are right; those into the
 * structures of threads and processors depend on the kernel's configuration, and are made up so that functions that are
 * not checked can be assembled with those that are.
 */
#ifndef ASSAY_COMPAT_ASM_OFFSETS_H
#define ASSAY_COMPAT_ASM_OFFSETS_H

#define VRSTATE_VSCR 512
#ifdef CONFIG_VSX
#define FPSTATE_FPSCR 512
#else
#define FPSTATE_FPSCR 256
#endif

#define THREAD 1024
#define THREAD_VRSTATE 0
#define THREAD_VRSAVEAREA 544
#define THREAD_FPSTATE 560
#define THREAD_FPSAVEAREA 1088
#define THREAD_FPEXC_MODE 1096
#define THREAD_USED_VR 1100
#define THREAD_USED_VSR 1104
#define THREAD_LOAD_VEC 1108
#define THREAD_LOAD_FP 1109
#define PT_REGS 1112
#define PACACURRENT 0
#define PACASRR_VALID 8
#define _MSR 256

#endif
