// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* regcheck without a libc, for our own switches on machines whose libc is not packaged. Entry and system calls are the
 * test runner's (../../../runner). */
#include "internal.h"

#include <standalone.h>

void regcheck_write(const char *text)
{
	size_t bytes = 0;

	while (text[bytes])
		bytes++;
	assay_syscall(ASSAY_SYS_WRITE, 1, (uintptr_t)text, bytes, 0, 0, 0);
}

/* What compilers expect of a libc. This file is compiled with -fno-builtin, or these would be calls of themselves. */
void *memcpy(void *to, const void *from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
	return to;
}

void *memset(void *to, int value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		((unsigned char *)to)[i] = (unsigned char)value;
	return to;
}

/* The initial stack: argc, then argv with its NULL. */
void assay_main(uintptr_t *stack)
{
	int status = regcheck_main((int)stack[0], (char **)(stack + 1));

	assay_syscall(ASSAY_SYS_EXIT_GROUP, (uintptr_t)status, 0, 0, 0, 0, 0);
	__builtin_trap();
}
