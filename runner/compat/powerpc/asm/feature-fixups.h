/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Feature sections. In the kernel both forms of a piece of code are assembled, and at boot the one that does
 * not fit the processor is overwritten. Here the processor is known when the file is assembled: it is the one
 * that the variant claims (-mcpu). But a section names its feature only at its end, so its first instruction is a word
 * given by a symbol that is defined there: a nop, or a branch past the code that does not apply.
 * The code that runs is the kernel's plus that one instruction.
 *
 * Sections may nest; the label that the kernel's nested forms take names the section, as it does there.
 */
#ifndef ASSAY_COMPAT_FEATURE_FIXUPS_H
#define ASSAY_COMPAT_FEATURE_FIXUPS_H

#include <asm/cputable.h>

#ifdef __ASSEMBLER__

	.set	assay_section_count, 0

/* Sections are numbered as they open; \label's own variable keeps the number until it closes. */
	.macro	assay_section_begin label
	.set	assay_section_count, assay_section_count + 1
	.set	assay_section_of_\label, assay_section_count
	.set	assay_section_has_else_\label, 0
	.altmacro
	assay_section_begin_numbered %assay_section_count
	.noaltmacro
	.endm

	.macro	assay_section_begin_numbered number
.Lassay_section_\number:
	.long	assay_section_word_\number
	.endm

	.macro	assay_section_else label
	.set	assay_section_has_else_\label, 1
	.altmacro
	assay_section_else_numbered %assay_section_of_\label
	.noaltmacro
	.endm

	.macro	assay_section_else_numbered number
	b	.Lassay_section_end_\number
.Lassay_section_else_\number:
	.endm

	.macro	assay_section_end label, mask, value
	.altmacro
	assay_section_end_numbered %assay_section_of_\label, %assay_section_has_else_\label, %(((ASSAY_CPU_FEATURES & (\mask)) == (\value)) & 1)
	.noaltmacro
	.endm

	.macro	assay_section_end_numbered number, has_else, applies
.Lassay_section_end_\number:
	.if	\applies
	.set	assay_section_word_\number, 0x60000000
	.elseif	\has_else
	.set	assay_section_word_\number, 0x48000000 + (.Lassay_section_else_\number - .Lassay_section_\number)
	.else
	.set	assay_section_word_\number, 0x48000000 + (.Lassay_section_end_\number - .Lassay_section_\number)
	.endif
	.endm

#define BEGIN_FTR_SECTION_NESTED(label) assay_section_begin label;
#define BEGIN_FTR_SECTION assay_section_begin 97;
#define FTR_SECTION_ELSE_NESTED(label) assay_section_else label;
#define FTR_SECTION_ELSE assay_section_else 97;
#define END_FTR_SECTION_NESTED(mask, value, label) assay_section_end label, (mask), (value);
#define END_FTR_SECTION_NESTED_IFSET(mask, label) assay_section_end label, (mask), (mask);
#define END_FTR_SECTION_NESTED_IFCLR(mask, label) assay_section_end label, (mask), 0;
#define END_FTR_SECTION(mask, value) assay_section_end 97, (mask), (value);
#define END_FTR_SECTION_IFSET(mask) assay_section_end 97, (mask), (mask);
#define END_FTR_SECTION_IFCLR(mask) assay_section_end 97, (mask), 0;
#define ALT_FTR_SECTION_END_NESTED(mask, value, label) assay_section_end label, (mask), (value);
#define ALT_FTR_SECTION_END_NESTED_IFSET(mask, label) assay_section_end label, (mask), (mask);
#define ALT_FTR_SECTION_END_NESTED_IFCLR(mask, label) assay_section_end label, (mask), 0;
#define ALT_FTR_SECTION_END(mask, value) assay_section_end 97, (mask), (value);
#define ALT_FTR_SECTION_END_IFSET(mask) assay_section_end 97, (mask), (mask);
#define ALT_FTR_SECTION_END_IFCLR(mask) assay_section_end 97, (mask), 0;

#endif

#endif
