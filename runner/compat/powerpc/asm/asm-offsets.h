/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Offsets that the kernel's build computes from its structures: those of the register areas. */
#ifndef ASSAY_COMPAT_ASM_OFFSETS_H
#define ASSAY_COMPAT_ASM_OFFSETS_H

#define VRSTATE_VSCR 512
#ifdef CONFIG_VSX
#define FPSTATE_FPSCR 512
#else
#define FPSTATE_FPSCR 256
#endif

#endif
