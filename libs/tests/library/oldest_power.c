/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Byte swaps of buffers on the oldest 64-bit processor that the archive is for, before and after the library has chosen by what
 * the kernel says of the CPU. No C library is there for this ABI: the entry is the runner's, and the rest is here.
 */
#include <byteswap.h>

#include <stdint.h>

enum { SYS_EXIT = 1, ENDS = 0 };

long assay_syscall(long number, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f);
unsigned long getauxval(unsigned long type);
void assay_main(uintptr_t *stack);

extern void (*const __init_array_start[])(void), (*const __init_array_end[])(void);

static const uintptr_t *auxiliary;

unsigned long getauxval(unsigned long type)
{
	for (const uintptr_t *entry = auxiliary; entry[0] != ENDS; entry += 2)
		if (entry[0] == type)
			return entry[1];
	return 0;
}

/* How many bytes are not where they should be. */
static long check(void (*swap_buffer)(void *buffer, size_t count), size_t bytes)
{
	unsigned char buffer[96];
	long wrong = 0;

	for (size_t i = 0; i < sizeof(buffer); i++)
		buffer[i] = (unsigned char)i;
	swap_buffer(buffer + 1, 80 / bytes);
	for (size_t i = 0; i < 80; i++)
		wrong += buffer[1 + i] != 1 + i - i % bytes + (bytes - 1 - i % bytes);
	return wrong + (buffer[0] != 0) + (buffer[81] != 81);
}

static long check_all(void)
{
	return check(swap_buffer16, 2) + check(swap_buffer32, 4) + check(swap_buffer64, 8);
}

void assay_main(uintptr_t *stack)
{
	const uintptr_t *words = stack + 1 + stack[0] + 1;
	long wrong = check_all();

	while (*words++)
		;
	auxiliary = words;
	for (void (*const *constructor)(void) = __init_array_start; constructor < __init_array_end; constructor++)
		(*constructor)();
	wrong += check_all();
	assay_syscall(SYS_EXIT, wrong != 0, 0, 0, 0, 0, 0);
}
