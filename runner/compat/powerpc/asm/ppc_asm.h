/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What kernel assembly for POWER expects of its assembler language: register names, function entry, the
 * exception table, the stack frame for non-volatile registers.
 */
#ifndef ASSAY_COMPAT_PPC_ASM_H
#define ASSAY_COMPAT_PPC_ASM_H

#include <asm/asm-compat.h>
#include <asm/feature-fixups.h>
#include <linux/export.h>

#ifdef __ASSEMBLER__

#define r0 0
#define r1 1
#define r2 2
#define r3 3
#define r4 4
#define r5 5
#define r6 6
#define r7 7
#define r8 8
#define r9 9
#define r10 10
#define r11 11
#define r12 12
#define r13 13
#define r14 14
#define r15 15
#define r16 16
#define r17 17
#define r18 18
#define r19 19
#define r20 20
#define r21 21
#define r22 22
#define r23 23
#define r24 24
#define r25 25
#define r26 26
#define r27 27
#define r28 28
#define r29 29
#define r30 30
#define r31 31
#define R0 0
#define R1 1
#define R2 2
#define R3 3
#define R4 4
#define R5 5
#define R6 6
#define R7 7
#define R8 8
#define R9 9
#define R10 10
#define R11 11
#define R12 12
#define R13 13
#define R14 14
#define R15 15
#define R16 16
#define R17 17
#define R18 18
#define R19 19
#define R20 20
#define R21 21
#define R22 22
#define R23 23
#define R24 24
#define R25 25
#define R26 26
#define R27 27
#define R28 28
#define R29 29
#define R30 30
#define R31 31
#define fr0 0
#define fr1 1
#define fr2 2
#define fr3 3
#define fr4 4
#define fr5 5
#define fr6 6
#define fr7 7
#define fr8 8
#define fr9 9
#define fr10 10
#define fr11 11
#define fr12 12
#define fr13 13
#define fr14 14
#define fr15 15
#define fr16 16
#define fr17 17
#define fr18 18
#define fr19 19
#define fr20 20
#define fr21 21
#define fr22 22
#define fr23 23
#define fr24 24
#define fr25 25
#define fr26 26
#define fr27 27
#define fr28 28
#define fr29 29
#define fr30 30
#define fr31 31
#define v0 0
#define v1 1
#define v2 2
#define v3 3
#define v4 4
#define v5 5
#define v6 6
#define v7 7
#define v8 8
#define v9 9
#define v10 10
#define v11 11
#define v12 12
#define v13 13
#define v14 14
#define v15 15
#define v16 16
#define v17 17
#define v18 18
#define v19 19
#define v20 20
#define v21 21
#define v22 22
#define v23 23
#define v24 24
#define v25 25
#define v26 26
#define v27 27
#define v28 28
#define v29 29
#define v30 30
#define v31 31
#define vs0 0
#define vs1 1
#define vs2 2
#define vs3 3
#define vs4 4
#define vs5 5
#define vs6 6
#define vs7 7
#define vs8 8
#define vs9 9
#define vs10 10
#define vs11 11
#define vs12 12
#define vs13 13
#define vs14 14
#define vs15 15
#define vs16 16
#define vs17 17
#define vs18 18
#define vs19 19
#define vs20 20
#define vs21 21
#define vs22 22
#define vs23 23
#define vs24 24
#define vs25 25
#define vs26 26
#define vs27 27
#define vs28 28
#define vs29 29
#define vs30 30
#define vs31 31
#define vs32 32
#define vs33 33
#define vs34 34
#define vs35 35
#define vs36 36
#define vs37 37
#define vs38 38
#define vs39 39
#define vs40 40
#define vs41 41
#define vs42 42
#define vs43 43
#define vs44 44
#define vs45 45
#define vs46 46
#define vs47 47
#define vs48 48
#define vs49 49
#define vs50 50
#define vs51 51
#define vs52 52
#define vs53 53
#define vs54 54
#define vs55 55
#define vs56 56
#define vs57 57
#define vs58 58
#define vs59 59
#define vs60 60
#define vs61 61
#define vs62 62
#define vs63 63
#define cr0 0
#define cr1 1
#define cr2 2
#define cr3 3
#define cr4 4
#define cr5 5
#define cr6 6
#define cr7 7

/* Names that a macro gets as arguments and turns into numbers. */
#define __REG_R0 0
#define __REG_R1 1
#define __REG_R2 2
#define __REG_R3 3
#define __REG_R4 4
#define __REG_R5 5
#define __REG_R6 6
#define __REG_R7 7
#define __REG_R8 8
#define __REG_R9 9
#define __REG_R10 10
#define __REG_R11 11
#define __REG_R12 12
#define __REG_R13 13
#define __REG_R14 14
#define __REG_R15 15
#define __REG_R16 16
#define __REG_R17 17
#define __REG_R18 18
#define __REG_R19 19
#define __REG_R20 20
#define __REG_R21 21
#define __REG_R22 22
#define __REG_R23 23
#define __REG_R24 24
#define __REG_R25 25
#define __REG_R26 26
#define __REG_R27 27
#define __REG_R28 28
#define __REG_R29 29
#define __REG_R30 30
#define __REG_R31 31

#define _GLOBAL(name)                                                                                      \
	.balign 4;                                                                                         \
	.type name, %function;                                                                             \
	.globl name;                                                                                       \
	name:
#define _GLOBAL_KASAN(name) _GLOBAL(name)
/* A function that uses the TOC has a second entry after the two instructions that compute r2 from r12. */
#ifdef __powerpc64__
#define _GLOBAL_TOC(name)                                                                                  \
	_GLOBAL(name)                                                                                      \
	addis 2, 12, (.TOC. - name)@ha;                                                                    \
	addi 2, 2, (.TOC. - name)@l;                                                                       \
	.localentry name, . - name
#else
#define _GLOBAL_TOC(name) _GLOBAL(name)
#endif
#define _GLOBAL_TOC_KASAN(name) _GLOBAL_TOC(name)
/* The symbol of a function's code, which is another one under the first ELF ABI, and a call of C, which may be PC-relative. */
#define DOTSYM(name) name
#define CFUNC(name) name
#define _ASM_NOKPROBE_SYMBOL(name)

/* Absolute addresses, where the kernel keeps differences: the runner is linked at a fixed place. */
#define EX_TABLE(from, to)                                                                                 \
	.pushsection __ex_table, "a";                                                                      \
	PPC_LONG_ALIGN;                                                                                    \
	PPC_LONG from, to;                                                                                 \
	.popsection

/* A frame with room for r14 to r31 behind the header and the eight parameter words of a variadic call. */
#ifdef __powerpc64__
#define STK_REG(number) (112 + ((number) - 14) * 8)
#define STACKFRAMESIZE 256
#endif

#define PPC_MTOCRF(mask, register) mtcrf mask, register

#include <asm/vector_state_macros.h>

#endif

#endif
