// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// Calls a function again and again while a timer interrupts it: each call makes one access, whatever QEMU writes into
// the program's memory to deliver the signals.

#include "start.h"

enum {
	CALL_RT_SIGACTION = 13,
	CALL_RT_SIGRETURN = 15,
	CALL_SETITIMER = 38,
	TIMER_REAL = 0,
	SIGALRM = 14,
	SA_RESTORER = 0x04000000,
	WANTED = 40
};

struct kernel_sigaction {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

static volatile unsigned handled;

static void handler(int signal)
{
	(void)signal;
	handled++;
}

void restorer(void);
__asm__("restorer: movl $15, %eax\n syscall");

__attribute__((noinline, naked)) void callee(void)
{
	__asm__("ret");
}

int run(void)
{
	struct kernel_sigaction action = { handler, SA_RESTORER, restorer, 0 };
	uint64_t times[4] = { 0, 200, 0, 200 }; /* interval and first: seconds, microseconds */
	register long r10 __asm__("r10") = 8;
	long result = CALL_RT_SIGACTION;

	__asm__ volatile("syscall" : "+a"(result) : "D"(SIGALRM), "S"(&action), "d"(0), "r"(r10) : "memory", "rcx", "r11");
	system_call(CALL_SETITIMER, TIMER_REAL, (long)times, 0);
	while (handled < WANTED)
		__asm__ volatile(".globl calls\ncalls: call callee" ::: "memory");
	return result ? 1 : 0;
}
