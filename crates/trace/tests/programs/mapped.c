// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// Maps files of code one after the other, as a program that loads and unloads libraries does, and calls each ten times.
// MAPPED lists path and address of each: { "PATH", 0xADDRESS }, ...

#include "start.h"

enum { CALL_OPEN = 2, CALL_MMAP = 9, CALL_MUNMAP = 11, READ_EXECUTE = 5, PRIVATE_FIXED = 0x12, BYTES = 4096 };

static const struct {
	const char *path;
	unsigned long address;
} mapped[] = { MAPPED };

static long map(unsigned long address, long file)
{
	register long flags __asm__("r10") = PRIVATE_FIXED, descriptor __asm__("r8") = file, offset __asm__("r9") = 0;
	long number = CALL_MMAP;

	__asm__ volatile("syscall"
			 : "+a"(number)
			 : "D"(address), "S"(BYTES), "d"(READ_EXECUTE), "r"(flags), "r"(descriptor), "r"(offset)
			 : "memory", "rcx", "r11");
	return number;
}

int run(void)
{
	int sum = 0;

	for (unsigned i = 0; i < sizeof(mapped) / sizeof(mapped[0]); i++) {
		int (*code)(int) = (int (*)(int))mapped[i].address;
		long file = system_call(CALL_OPEN, (long)mapped[i].path, 0, 0);

		if (map(mapped[i].address, file) != (long)mapped[i].address)
			return 1;
		for (int k = 0; k < 10; k++)
			sum += code(k);
		system_call(CALL_MUNMAP, (long)mapped[i].address, BYTES, 0);
		system_call(CALL_CLOSE, file, 0, 0);
	}
	return sum > 0 ? 0 : 1;
}
