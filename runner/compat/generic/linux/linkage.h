/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How kernel assembly opens and closes a function; in C, only the name of a linkage. */
#ifndef ASSAY_COMPAT_LINUX_LINKAGE_H
#define ASSAY_COMPAT_LINUX_LINKAGE_H

#ifdef __ASSEMBLER__

#ifndef ASM_NL
#define ASM_NL ;
#endif
#define ALIGN .balign 16
#define ENTRY(name)                                                                                        \
	.globl name ASM_NL                                                                                 \
	ALIGN ASM_NL                                                                                       \
	name:
#define END(name) .size name, . - name
#define ENDPROC(name)                                                                                      \
	.type name, %function ASM_NL                                                                       \
	END(name)

#define SYM_FUNC_START(name)                                                                               \
	.type name, %function ASM_NL                                                                       \
	ENTRY(name)
#define SYM_FUNC_START_WEAK(name)                                                                          \
	.weak name ASM_NL                                                                                  \
	.type name, %function ASM_NL                                                                       \
	ALIGN ASM_NL                                                                                       \
	name:
#define SYM_FUNC_START_LOCAL(name)                                                                         \
	.type name, %function ASM_NL                                                                       \
	ALIGN ASM_NL                                                                                       \
	name:
#define SYM_FUNC_END(name) .size name, . - name
#define SYM_FUNC_ALIAS(alias, name)                                                                        \
	.globl alias ASM_NL                                                                                \
	.set alias, name
#define SYM_FUNC_ALIAS_WEAK(alias, name)                                                                   \
	.weak alias ASM_NL                                                                                 \
	.set alias, name
#define SYM_TYPED_FUNC_START(name) SYM_FUNC_START(name)
#define SYM_INNER_LABEL(name, linkage) name:
#define SYM_L_GLOBAL(name) .globl name
#define SYM_L_LOCAL(name)

#ifdef __x86_64__
#define RET ret
#endif

#else

#define asmlinkage
#define notrace

#endif

#endif
