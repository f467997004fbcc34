// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// Programs that make recording difficult: threads, forks, exec, signals, closing of file descriptors. One program for each
// macro; 64-bit POWER, NO_DESCRIPTORS also x86-64.

#include "threads.h"

static volatile unsigned cell[64];

__attribute__((noinline)) void region(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		cell[i % 64] = i;
}

#if defined(THREADS) || defined(FIRST_IN_OTHER_THREAD) || defined(EXIT_ELSEWHERE)
static char stack[1 << 16] __attribute__((aligned(64)));
static volatile unsigned done;

static void thread(void)
{
#ifdef EXIT_ELSEWHERE
	for (;;) {
		region(1000);
		done = 1;
	}
#endif
#ifdef THREADS
	for (unsigned i = 0; i < 99; i++)
		region(20);
#endif
	region(20);
	done = 1;
	system_call(CALL_EXIT, 0, 0, 0);
	__builtin_unreachable();
}

int run(void)
{
#ifdef THREADS
	region(5);
#endif
	start_thread(stack + sizeof(stack) - 512);
	while (!done)
		cell[63]++;
#ifndef EXIT_ELSEWHERE
	region(5);
#endif
	return 0;
}
#endif

#ifdef FORK
int run(void)
{
	region(3);
	long child = system_call(CALL_FORK, 0, 0, 0);

	region(4);
	if (child == 0)
		system_call(CALL_EXIT_GROUP, 0, 0, 0);
	int status;
	register long r6 __asm__("r6") = 0;
	__asm__ volatile("" : "+r"(r6));
	system_call(CALL_WAIT4, child, (long)&status, 0);
	region(5);
	return 0;
}
#endif

#ifdef EXEC
int run(void)
{
	static char absent[] = "/absent/program", present[] = "/bin/true", *arguments[] = { 0, 0 };

	region(3);
	arguments[0] = absent;
	system_call(CALL_EXECVE, (long)absent, (long)arguments, 0);
	region(4);
	arguments[0] = present;
	system_call(CALL_EXECVE, (long)present, (long)arguments, 0);
	return 1;
}
#endif

#if defined(EXEC_BEFORE) || defined(EXEC_FAILS)
int run(void)
{
	static char present[] = "/bin/true", folder[] = "/tmp", *arguments[] = { 0, 0 };

	(void)present, (void)folder;
#ifdef EXEC_FAILS // access() calls a folder executable
	region(3);
	arguments[0] = folder;
#else
	arguments[0] = present;
#endif
	system_call(CALL_EXECVE, (long)arguments[0], (long)arguments, 0);
	region(4);
	return 0;
}
#endif

#ifdef EXEC_ELSEWHERE // the thread that becomes another program is not the recorded one
static char stack[1 << 16] __attribute__((aligned(64)));
static volatile unsigned done;

static void thread(void)
{
	for (;;) {
		region(1000);
		done++;
	}
}

int run(void)
{
	static char present[] = "/bin/true", *arguments[] = { present, 0 };

	start_thread(stack + sizeof(stack) - 512);
	while (done < 100)
		cell[63]++;
	system_call(CALL_EXECVE, (long)present, (long)arguments, 0);
	return 1;
}
#endif

#ifdef KILLED
int run(void)
{
	region(3);
	system_call(CALL_KILL, system_call(CALL_GETPID, 0, 0, 0), 9, 0);
	return 1;
}
#endif

#ifdef CRASH
int run(void)
{
	region(3);
	return *(volatile int *)16;
}
#endif

#if defined(CLOSES_ALL) || defined(NO_DESCRIPTORS)
enum { RLIMIT_NOFILE = 7 };

static long limit_descriptors(unsigned long limit)
{
	unsigned long limits[2] = { limit, 1100 };

	return system_call(CALL_SETRLIMIT, RLIMIT_NOFILE, (long)limits, 0);
}
#endif

#ifdef CLOSES_ALL
int run(void)
{
	if (limit_descriptors(1100))
		return 1;
	for (int i = 3; i < 1100; i++)
		system_call(CALL_CLOSE, i, 0, 0);
	for (int i = 3; i < 1100; i++)
		system_call(CALL_DUP2, 0, i, 0);
	region(3);
	return 0;
}
#endif

#ifdef CLOSES_RANGE
int run(void)
{
	if (system_call(CALL_CLOSE_RANGE, 3, -1, 0))
		return 1;
	region(3);
	return 0;
}
#endif

#ifdef GIVES_UP_RIGHTS // as far as it has them
int run(void)
{
	static char elsewhere[] = "/proc";

	system_call(CALL_CHROOT, (long)elsewhere, 0, 0);
	system_call(CALL_SETUID, 65534, 0, 0);
	region(3);
	return 0;
}
#endif

#ifdef NO_DESCRIPTORS // more than the program has open are not to be had
int run(void)
{
	if (limit_descriptors(0))
		return 1;
	for (unsigned i = 0; i < 5; i++) {
		region(3);
		cell[63]++;
	}
	return 0;
}
#endif

#ifdef LONG
int run(void)
{
	for (unsigned i = 0; i < 3000; i++)
		region(100);
	return 0;
}
#endif

#if defined(HANDLER) || defined(ALTERNATE_STACK)
// struct kernel_sigaction of 64-bit POWER: handler, flags, restorer, mask.
static unsigned long action[4];
static volatile unsigned handled;

__attribute__((noinline)) void handler(int signal)
{
	handled += (unsigned)signal;
}

enum { SIGUSR1 = 10 };

__attribute__((noinline)) void region_with_signal(void)
{
	region(3);
	system_call(CALL_KILL, system_call(CALL_GETPID, 0, 0, 0), SIGUSR1, 0);
	region(4);
}

int run(void)
{
	enum { CALL_RT_SIGACTION = 173 };
	register long r6 __asm__("r6") = 8;

#ifdef ALTERNATE_STACK // it lies further up the stack than the region's frame
	enum { CALL_SIGALTSTACK = 185, SA_ONSTACK = 0x08000000 };
	char stack[16384];
	struct {
		char *start;
		int flags;
		size_t bytes;
	} told = { stack, 0, sizeof(stack) };

	action[1] = SA_ONSTACK;
	if (system_call(CALL_SIGALTSTACK, (long)&told, 0, 0))
		return 2;
#endif
	action[0] = (unsigned long)handler;
	__asm__ volatile("" : "+r"(r6));
	{
		register long r0 __asm__("r0") = CALL_RT_SIGACTION, r3 __asm__("r3") = SIGUSR1, r4 __asm__("r4") = (long)action,
				 r5 __asm__("r5") = 0;

		__asm__ volatile("sc"
				 : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5), "+r"(r6)::"memory", "cr0", "r7", "r8", "r9", "r10",
				   "r11", "r12", "ctr");
	}
#ifdef ALTERNATE_STACK
	region_with_signal();
#else
	region(3);
	system_call(CALL_KILL, system_call(CALL_GETPID, 0, 0, 0), SIGUSR1, 0);
	region(4);
#endif
	return handled == SIGUSR1 ? 0 : 1;
}
#endif
