/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes code that was just written visible to instruction fetch, for host/posix.c and host/linux.c. Not by compilers'
 * __builtin___clear_cache: on POWER, GCC makes nothing of it, and what clang calls for it in libgcc only returns.
 */
#ifndef EBPF_HOST_COHERENT_H
#define EBPF_HOST_COHERENT_H

#include <stddef.h>
#include <stdint.h>

static inline void ebpf_make_coherent(void *code, size_t bytes)
{
#if defined(__powerpc64__)
	/* 32 bytes divides every POWER cache line. The sequence is that of the Power ISA, book II, section 1.8. */
	uintptr_t line, start = (uintptr_t)code & ~(uintptr_t)31, end = (uintptr_t)code + bytes;

	for (line = start; line < end; line += 32)
		__asm__ volatile("dcbst 0, %0" : : "r"(line) : "memory");
	__asm__ volatile("sync" : : : "memory");
	for (line = start; line < end; line += 32)
		__asm__ volatile("icbi 0, %0" : : "r"(line) : "memory");
	__asm__ volatile("sync; isync" : : : "memory");
#elif defined(__loongarch__)
	(void)code;
	(void)bytes;
	__asm__ volatile("ibar 0" : : : "memory");
#else /* x86-64 needs nothing, and what has no back end has no code */
	(void)code;
	(void)bytes;
#endif
}

#endif
