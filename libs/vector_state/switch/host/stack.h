/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stacks with a guard page below, for programs with mmap: a context that overruns its stack faults there. */
#ifndef CONTEXT_STACK_H
#define CONTEXT_STACK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#if !defined(MAP_ANONYMOUS) || !defined(MAP_STACK)
#error "-std=c99 and the like hide mmap's flags: compile with -D_DEFAULT_SOURCE or -std=gnu99"
#endif

/* A stack of at least `bytes`, which is rounded up to whole pages, at least one; NULL if there is no such memory. */
static inline void *context_stack_map(size_t *bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *low;

	if (*bytes > SIZE_MAX - 2 * page)
		return NULL;
	*bytes = *bytes ? (*bytes + page - 1) & ~(page - 1) : page;
	low = (char *)mmap(NULL, *bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (low == MAP_FAILED)
		return NULL;
	if (mprotect(low, page, PROT_NONE) != 0) {
		munmap(low, *bytes + page);
		return NULL;
	}
	return low + page;
}

/* Frees a stack from context_stack_map; `bytes` is the size that it returned. */
static inline void context_stack_unmap(void *stack, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	munmap((char *)stack - page, bytes + page);
}

#endif
