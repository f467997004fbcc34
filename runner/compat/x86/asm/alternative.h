/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Alternatives, resolved when the file is assembled for the processor that the variant claims. */
#ifndef ASSAY_COMPAT_ASM_ALTERNATIVE_H
#define ASSAY_COMPAT_ASM_ALTERNATIVE_H

#include <asm/cpufeatures.h>

#ifdef __ASSEMBLER__

	.macro	ALTERNATIVE old, new, feature
	.if	\feature
	\new
	.else
	\old
	.endif
	.endm

	.macro	ALTERNATIVE_2 old, first, first_feature, second, second_feature
	.if	\second_feature
	\second
	.elseif	\first_feature
	\first
	.else
	\old
	.endif
	.endm

#endif

#endif
