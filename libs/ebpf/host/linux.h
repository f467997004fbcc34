/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What host/linux.c gives to a program without a libc. */
#ifndef EBPF_HOST_LINUX_H
#define EBPF_HOST_LINUX_H

#include "host.h"

/* The program. Returns the exit status. */
int linux_main(int argc, char **argv);

size_t linux_strlen(const char *text);
bool linux_same(const char *a, const char *b);
void linux_write(int descriptor, const char *text);
/* Bytes read, 0 at the end, negative errno. */
long linux_read(int descriptor, void *buffer, size_t bytes);
/* Cleared pages, or NULL. */
void *linux_map(size_t bytes);
void linux_unmap(void *memory, size_t bytes);

/* Makes code that was just written visible to instruction fetch; x86-64 needs nothing. */
static inline void linux_clear_cache(void *code, size_t bytes)
{
#if defined(__powerpc64__)
	uintptr_t line, end = (uintptr_t)code + bytes;

	/* 32 bytes divides every POWER cache line (Power ISA book II, section 3.3.2.1). */
	for (line = (uintptr_t)code & ~(uintptr_t)31; line < end; line += 32)
		__asm__ volatile("dcbst 0, %0; sync; icbi 0, %0" : : "r"(line) : "memory");
	__asm__ volatile("sync; isync" : : : "memory");
#elif defined(__loongarch__)
	(void)code;
	(void)bytes;
	__asm__ volatile("ibar 0" : : : "memory");
#else
	(void)code;
	(void)bytes;
#endif
}

#endif
