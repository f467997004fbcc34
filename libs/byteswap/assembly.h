/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The frame of every assembly file here: where a function begins and ends, and what depends on BITS, the width that the file is
 * compiled for. FUNCTION and END take the name without the width.
 *
 * Registers are written as the architecture's ABI or assembler names them, on POWER %r3, %v2, %vs34.
 */
/* clang-format off */
#ifndef BYTESWAP_ASSEMBLY_H
#define BYTESWAP_ASSEMBLY_H

#include "width.h"

#if defined(__powerpc64__)
#define ABI .abiversion 2;
#else
#define ABI
#endif

#define FUNCTION(name) \
	ABI .text; \
	.globl AT_WIDTH(name); \
	.type AT_WIDTH(name), @function; \
	.balign 16; \
	AT_WIDTH(name):

#define END(name) \
	.size AT_WIDTH(name), . - AT_WIDTH(name); \
	.section .note.GNU-stack, "", @progbits

#endif
