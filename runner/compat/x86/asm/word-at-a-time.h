/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A load that may reach into a page that is not there, and then reads zeros from it. */
#ifndef ASSAY_COMPAT_ASM_WORD_AT_A_TIME_H
#define ASSAY_COMPAT_ASM_WORD_AT_A_TIME_H

#include <linux/types.h>

/*
 * Eight bytes from any address. If the next page faults, the exception table leads to code that loads the aligned word
 * with the first byte and shifts it down: little-endian, so the missing bytes read as zeros.
 */
static inline unsigned long load_unaligned_zeropad(const void *address)
{
	unsigned long word, aligned;

	__asm__ volatile("1:	movq	(%[address]), %[word]\n"
			 "2:\n"
			 "	.pushsection .text.assay_compat_fixup, \"ax\"\n"
			 "3:	movq	%[address], %[aligned]\n"
			 "	andq	$-8, %[aligned]\n"
			 "	movl	%k[address], %%ecx\n"
			 "	andl	$7, %%ecx\n"
			 "	shll	$3, %%ecx\n"
			 "	movq	(%[aligned]), %[word]\n"
			 "	shrq	%%cl, %[word]\n"
			 "	jmp	2b\n"
			 "	.popsection\n"
			 "	.pushsection __ex_table, \"a\"\n"
			 "	.balign	8\n"
			 "	.quad	1b, 3b\n"
			 "	.popsection\n"
			 : [word] "=&r"(word), [aligned] "=&r"(aligned)
			 : [address] "r"(address)
			 : "rcx", "memory");
	return word;
}

#endif
