// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// Ways into and out of a function, `region`: one program for each macro.

#include "start.h"

static volatile unsigned cell[64];

__attribute__((noinline)) static void other(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		cell[i % 64] = i;
}

// ---- Called from several places, in a loop, by pointer

#ifdef CALLS
__attribute__((noinline)) void region(unsigned n)
{
	other(n);
	cell[0] += n;
}

int run(void)
{
	void (*volatile pointer)(unsigned) = region;

	other(5);
	region(3);
	other(5);
	region(4);
	pointer(5);
	for (unsigned i = 0; i < 1000; i++)
		region(100);
	other(5);
	return 0;
}
#endif

// ---- Entered with a stack pointer that points to nothing; x86-64

#ifdef STACKLESS
__asm__(".globl region\nregion:\n ud2");

int run(void)
{
	__asm__ volatile("movl $16, %esp\n jmp region");
	__builtin_unreachable();
}
#endif

// ---- A region inside another, in a loop, alone, and in tail position

#ifdef NESTED
__attribute__((noinline)) void inner(unsigned n)
{
	other(n);
	cell[0] += n;
}

__attribute__((noinline)) void region(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		inner(3);
		cell[1] += 2;
	}
	inner(3);
}

int run(void)
{
	for (unsigned i = 0; i < 5; i++)
		region(40);
	inner(3);
	return 0;
}
#endif

// ---- Recursion, into itself and through a caller that is also outside

#ifdef RECURSION
void region(unsigned n);

__attribute__((noinline)) void through(unsigned n)
{
	region(n);
	cell[1]++;
}

__attribute__((noinline)) void region(unsigned n)
{
	cell[0]++;
	if (n > 0)
		through(n - 1);
	cell[2]++;
}

int run(void)
{
	through(6);
	through(6);
	return cell[0] == 14 ? 0 : 1;
}
#endif

// ---- A call in tail position: the callee returns for the region

#ifdef TAIL
__attribute__((noinline)) unsigned target(unsigned n)
{
	other(n);
	return cell[3] + n;
}

__attribute__((noinline)) unsigned region(unsigned n)
{
	cell[3] = n;
	__attribute__((musttail)) return target(n + 1);
}

int run(void)
{
	region(10);
	region(20);
	return 0;
}
#endif

// ---- A jump out, past the caller

#ifdef LONGJMP
static void *buffer[5];

__attribute__((noinline)) void region(unsigned n)
{
	other(n);
	if (n > 3)
		__builtin_longjmp(buffer, 1);
	cell[5]++;
}

__attribute__((noinline)) static void middle(unsigned n)
{
	region(n);
	cell[6]++;
}

__attribute__((noinline)) static void guarded(unsigned n)
{
	volatile unsigned keep = n;

	if (__builtin_setjmp(buffer) == 0)
		middle(keep);
	other(1000); // must not be recorded
}

int run(void)
{
	guarded(2);
	guarded(7);
	guarded(8);
	return 0;
}
#endif

// ---- The program ends inside

#ifdef EXIT
__attribute__((noinline)) void region(unsigned n)
{
	other(n);
	system_call(CALL_EXIT_GROUP, 0, 0, 0);
}

int run(void)
{
	other(3);
	region(4);
	return 1;
}
#endif

// ---- Never reached

#ifdef NEVER
__attribute__((noinline)) void region(unsigned n)
{
	other(n);
}

int run(void)
{
	if (cell[0])
		region(1);
	return 0;
}
#endif

// ---- Code that is rewritten

#ifdef REWRITTEN
static uint32_t code[1024] __attribute__((aligned(4096)));

__attribute__((noinline)) void region(unsigned value)
{
	void (*call)(void) = (void (*)(void))code;

	code[0] = 0x38600000 | value; // li 3, value
	code[1] = 0x4e800020; // blr
	__asm__ volatile("dcbst 0, %0\n sync\n icbi 0, %0\n isync" ::"r"(code) : "memory");
	call();
}

int run(void)
{
	enum { CALL_MPROTECT = 125, READ_WRITE_EXECUTE = 7 };

	system_call(CALL_MPROTECT, (long)code, sizeof(code), READ_WRITE_EXECUTE);
	for (unsigned i = 0; i < 5; i++)
		region(i);
	return 0;
}
#endif
