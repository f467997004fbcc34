/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How an assembly variant begins and ends: .type, .size and, on 64-bit POWER, the ABI's version. */
#ifndef VECTOR_STATE_FUNCTION_H
#define VECTOR_STATE_FUNCTION_H

#ifdef __powerpc64__
	.abiversion 2
#endif
	.section .note.GNU-stack, "", %progbits
	.text

	.macro function name
	.globl	\name
	.type	\name, %function
	.balign	32
\name:
	.endm

	.macro end_function name
	.size	\name, . - \name
	.endm

#endif
