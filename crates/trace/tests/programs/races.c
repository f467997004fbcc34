// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// Programs whose threads race in the tracer, one program for each macro. Each ends while other threads run or have just
// ended.

#include "threads.h"

enum { THREADS_MAX = 4 };
static char stacks[THREADS_MAX][1 << 14] __attribute__((aligned(64)));
static volatile unsigned cell[64];
static volatile unsigned begun, done;

__attribute__((noinline)) void region(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		cell[i % 64] = i;
}

static void start_threads(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		start_thread(stacks[i] + sizeof(stacks[i]) - 512);
}

// The other thread is recorded; its recording begins while the main thread runs.
#ifdef ENTERED_ELSEWHERE
static void thread(void)
{
	for (;;) {
		region(20);
		done = 1;
	}
}

int run(void)
{
	start_threads(1);
	while (!done)
		cell[63]++;
	return 0;
}
#endif

// The program ends while the recorded thread enters, executes or leaves a system call.
#ifdef IN_SYSTEM_CALLS
static void thread(void)
{
	for (;;) {
		region(20);
		system_call(CALL_CLOSE, -1, 0, 0);
		done = 1;
	}
}

int run(void)
{
	start_threads(1);
	while (!done)
		cell[63]++;
	for (unsigned i = 0; i < 100; i++)
		cell[63]++;
	return 0;
}
#endif

// All threads end the program at the same time.
#ifdef ALL_EXIT
static void thread(void)
{
	__atomic_fetch_add(&begun, 1, __ATOMIC_SEQ_CST);
	while (!done)
		region(3);
	system_call(CALL_EXIT_GROUP, 0, 0, 0);
	__builtin_unreachable();
}

int run(void)
{
	start_threads(THREADS_MAX);
	while (begun != THREADS_MAX)
		region(20);
	done = 1;
	return 0;
}
#endif

// The recorded thread ends while another ends the program.
#ifdef THREAD_ENDS
static void thread(void)
{
	region(100);
	done = 1;
	system_call(CALL_EXIT, 0, 0, 0);
	__builtin_unreachable();
}

int run(void)
{
	start_threads(1);
	while (!done)
		cell[63]++;
	return 0;
}
#endif

// Threads one after the other: each is likely to get the thread-local storage of the one before it.
#ifdef ONE_AFTER_THE_OTHER
static void thread(void)
{
	region(20);
	done++;
	system_call(CALL_EXIT, 0, 0, 0);
	__builtin_unreachable();
}

int run(void)
{
	for (unsigned i = 0; i < 10; i++) {
		start_threads(1);
		while (done == i)
			;
		for (unsigned k = 0; k < 5000; k++) // its end takes some time
			cell[63]++;
	}
	return 0;
}
#endif

// A signal that another thread catches ends the program while the recorded thread is in a loop that never repeats itself
// for long, then in one that does.
#if defined(SIGNAL_ELSEWHERE) || defined(FAULT_ELSEWHERE)
static void thread(void)
{
	for (unsigned x = 1;; x = x * 1664525 + 1013904223) {
		region(x >> 28);
		if (x >> 20 == 5)
			region(100000);
		done++;
	}
}

int run(void)
{
#ifndef SIGNAL
	enum { SIGNAL = 15 }; // SIGTERM
#endif

	start_threads(1);
	while (done < 3000)
		cell[63]++;
#ifdef FAULT_ELSEWHERE
	return *(volatile int *)16;
#endif
	system_call(CALL_KILL, system_call(CALL_GETPID, 0, 0, 0), SIGNAL, 0);
	for (;;)
		;
}
#endif
