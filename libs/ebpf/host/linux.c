/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * struct ebpf_platform for Linux without a libc, and the few libc functions that the programs here need, so that the
 * plugin and the fuzzer run under QEMU for machines whose libc is not packaged. The rest is the test
 * runner's (../../runner): entry, system calls, memcpy and its like, and the checked call, through which all compiled code
 * is entered here (checked.c). assay_main is what _start calls, with the initial stack pointer.
 */
#include "linux.h"

#include "checked.h"
#include "coherent.h"

#include <standalone.h>

#ifdef __x86_64__
#define SYS_READ 0
#define SYS_MUNMAP 11
#elif defined(__powerpc64__)
#define SYS_READ 3
#define SYS_MUNMAP 91
#else /* the numbers that newer architectures share */
#define SYS_READ 63
#define SYS_MUNMAP 215
#endif

#define PROT_READ_WRITE 3
#define PROT_READ_EXEC 5
#define MAP_PRIVATE_ANONYMOUS 0x22

size_t linux_strlen(const char *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	return n;
}

bool linux_same(const char *a, const char *b)
{
	return linux_strlen(a) == linux_strlen(b) && memcmp(a, b, linux_strlen(a)) == 0;
}

void linux_write(int descriptor, const char *text)
{
	size_t left = linux_strlen(text);

	while (left) {
		long count = assay_syscall(ASSAY_SYS_WRITE, (uintptr_t)descriptor, (uintptr_t)text, left, 0, 0, 0);

		if (count <= 0)
			return;
		text += count;
		left -= (size_t)count;
	}
}

long linux_read(int descriptor, void *buffer, size_t bytes)
{
	return assay_syscall(SYS_READ, (uintptr_t)descriptor, (uintptr_t)buffer, bytes, 0, 0, 0);
}

/* Whole pages for each allocation: these programs make few. */

static void *map(size_t bytes)
{
	long address = assay_syscall(ASSAY_SYS_MMAP, 0, bytes, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, (uintptr_t)-1, 0);

	return address < 0 && address > -4096 ? NULL : (void *)address;
}

static void unmap(void *memory, size_t bytes)
{
	assay_syscall(SYS_MUNMAP, (uintptr_t)memory, bytes, 0, 0, 0, 0);
}

static void *allocate(void *context, size_t bytes)
{
	(void)context;
	return map(bytes);
}

static void release(void *context, void *memory, size_t bytes)
{
	(void)context;
	unmap(memory, bytes);
}

static bool protect_code(void *context, void *code, size_t bytes)
{
	(void)context;
	ebpf_make_coherent(code, bytes);
	return assay_syscall(ASSAY_SYS_MPROTECT, (uintptr_t)code, bytes, PROT_READ_EXEC, 0, 0, 0) == 0;
}

const struct ebpf_platform ebpf_host_platform = {
	.allocate = allocate,
	.release = release,
	.map_code = allocate,
	.protect_code = protect_code,
	.unmap_code = release,
	.enter_code = checked_enter,
};

void *linux_map(size_t bytes)
{
	return map(bytes);
}

void linux_unmap(void *memory, size_t bytes)
{
	unmap(memory, bytes);
}

uint64_t ebpf_host_auxiliary(uint64_t type)
{
	return assay_auxiliary(type);
}

/* The initial stack: argc, argv with its NULL, the environment, the auxiliary vector. */
void assay_main(uintptr_t *stack)
{
	assay_auxiliary_read(stack);
	assay_exit(linux_main((int)stack[0], (char **)(stack + 1)));
}
