/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * struct ebpf_platform for a hosted POSIX program: memory from malloc, code from mmap, never writable and executable at
 * the same time. Also the auxiliary vector, in which Linux says what the CPU can do.
 */
#define _DEFAULT_SOURCE
#include "coherent.h"
#include "host.h"

#include <stdlib.h>
#include <sys/mman.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif

static void *allocate(void *context, size_t bytes)
{
	(void)context;
	return malloc(bytes); /* aligned for max_align_t, which is 16 on the 64-bit hosts that have a back end */
}

static void release(void *context, void *memory, size_t bytes)
{
	(void)context;
	(void)bytes;
	free(memory);
}

static void *map_code(void *context, size_t bytes)
{
	void *code = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)context;
	return code == MAP_FAILED ? NULL : code;
}

static bool protect_code(void *context, void *code, size_t bytes)
{
	(void)context;
	ebpf_make_coherent(code, bytes);
	return mprotect(code, bytes, PROT_READ | PROT_EXEC) == 0;
}

static void unmap_code(void *context, void *code, size_t bytes)
{
	(void)context;
	munmap(code, bytes);
}

const struct ebpf_platform ebpf_host_platform = {
	.allocate = allocate,
	.release = release,
	.map_code = map_code,
	.protect_code = protect_code,
	.unmap_code = unmap_code,
};

uint64_t ebpf_host_auxiliary(uint64_t type)
{
#ifdef __linux__
	return getauxval(type);
#else
	(void)type;
	return 0;
#endif
}
