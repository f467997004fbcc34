/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The exception table from assembly; _UA is the same for user accesses. */
#ifndef ASSAY_COMPAT_ASM_ASM_H
#define ASSAY_COMPAT_ASM_ASM_H

#ifdef __ASSEMBLER__

/* Absolute addresses, where the kernel keeps differences: the runner is linked at a fixed place. */
#define _ASM_EXTABLE(from, to)                                                                             \
	.pushsection __ex_table, "a";                                                                      \
	.balign 8;                                                                                         \
	.quad from, to;                                                                                    \
	.popsection
#define _ASM_EXTABLE_UA(from, to) _ASM_EXTABLE(from, to)

#endif

#endif
