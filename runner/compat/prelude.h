/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Included before every out-of-tree source: the kernel configuration under which it is built. Together with
 * the headers beside this file it lets unmodified kernel assembly and C build without a kernel. Nothing here
 * is kernel text; each header has only what the sources that were tried need, and a source that needs more
 * fails to compile and says which name it wants.
 *
 * Tried: Linux 6.1 arch/powerpc/lib/checksum_{32,64}.S, arch/arm64/lib/csum.c, arch/x86/lib/csum-partial_64.c,
 * csum-copy_64.S and csum-wrappers_64.c, lib/checksum.c.
 */
#ifndef ASSAY_COMPAT_PRELUDE_H
#define ASSAY_COMPAT_PRELUDE_H

#ifdef __LP64__
#define CONFIG_64BIT 1
#define BITS_PER_LONG 64
#else
#define CONFIG_32BIT 1
#define BITS_PER_LONG 32
#endif

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define CONFIG_CPU_BIG_ENDIAN 1
#else
#define CONFIG_CPU_LITTLE_ENDIAN 1
#endif

#if defined(__powerpc64__)
#define CONFIG_PPC64 1
#define CONFIG_PPC_BOOK3S_64 1
#define CONFIG_PPC64_ELF_ABI_V2 1
#ifdef __ASSEMBLER__
/* The kernel's makefile passes it to the assembler; an object without this counts as ELFv1. */
.abiversion 2
#endif
#elif defined(__powerpc__)
#define CONFIG_PPC32 1
#elif defined(__x86_64__)
#define CONFIG_X86_64 1
#elif defined(__aarch64__)
#define CONFIG_ARM64 1
#elif defined(__riscv)
#define CONFIG_RISCV 1
#elif defined(__loongarch__)
#define CONFIG_LOONGARCH 1
#endif

#ifdef __ALTIVEC__
#define CONFIG_ALTIVEC 1
#endif
#ifdef __VSX__
#define CONFIG_VSX 1
#endif

#endif
