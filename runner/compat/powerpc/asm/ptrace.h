/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Kernel assembly includes it; what is used of it is in ppc_asm.h, reg.h and asm-offsets.h. */
#ifndef ASSAY_COMPAT_PTRACE_H
#define ASSAY_COMPAT_PTRACE_H
#endif
