/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the test programs without a libc share: processes, memory, files, counting. Entry, system calls and printing are the
 * test runner's (../../../runner).
 */
#ifndef VDSO_BARE_H
#define VDSO_BARE_H

#include <standalone.h>

#include "vdso_page.h"

#if defined(__x86_64__)
enum {
	SYS_READ = 0,
	SYS_CLOSE = 3,
	SYS_CLONE = 56,
	SYS_WAIT4 = 61,
	SYS_KILL = 62,
	SYS_NANOSLEEP = 35,
	SYS_OPENAT = 257,
	SYS_MEMFD_CREATE = 319,
	SYS_FTRUNCATE = 77,
	SYS_SCHED_SETAFFINITY = 203,
	SYS_SCHED_GETAFFINITY = 204,
	SYS_GETPRIORITY = 140,
	SYS_SETPRIORITY = 141,
	SYS_SCHED_SETSCHEDULER = 144
};
#elif defined(__powerpc__)
enum {
	SYS_READ = 3,
	SYS_CLOSE = 6,
	SYS_CLONE = 120,
	SYS_WAIT4 = 114,
	SYS_KILL = 37,
	SYS_NANOSLEEP = 162,
	SYS_OPENAT = 286,
	SYS_MEMFD_CREATE = 360,
	SYS_FTRUNCATE = 93,
	SYS_SCHED_SETAFFINITY = 222,
	SYS_SCHED_GETAFFINITY = 223,
	SYS_SCHED_SETSCHEDULER = 156
};
#else
enum {
	SYS_READ = 63,
	SYS_CLOSE = 57,
	SYS_CLONE = 220,
	SYS_WAIT4 = 260,
	SYS_KILL = 129,
	SYS_NANOSLEEP = 101,
	SYS_OPENAT = 56,
	SYS_MEMFD_CREATE = 279,
	SYS_FTRUNCATE = 46,
	SYS_SCHED_SETAFFINITY = 122,
	SYS_SCHED_GETAFFINITY = 123,
	SYS_SCHED_SETSCHEDULER = 119
};
#endif

enum { PROT_NONE = 0, PROT_READ = 1, PROT_WRITE = 2, PROT_EXEC = 4 };
enum { MAP_SHARED = 1, MAP_PRIVATE = 2, MAP_FIXED = 0x10, MAP_ANONYMOUS = 0x20 };
enum { SIGKILL = 9, SIGSEGV = 11, SIGBUS = 7, SIGCHLD = 17 };
enum { ERROR_FAULT = 14, ERROR_INVALID = 22, ERROR_NO_CALL = 38 };

/* The program; returns the exit status. */
int bare_main(int argc, char **argv);

/* The value of a text that is a decimal number and nothing else; `otherwise` for any other text. */
uint64_t bare_number(const char *text, uint64_t otherwise);

/* A system call of six words or fewer; errors are negative. */
#define bare_call(number, ...) bare_call_words((number), (const uintptr_t[6]){ __VA_ARGS__ })
long bare_call_words(long number, const uintptr_t words[6]);

/* Ends the program with status 2 if it fails. */
void *bare_map(void *at, size_t bytes, int protection, int flags, long descriptor);

/* A child of this process: 0 in it, its number here. */
long bare_fork(void);
/* Waits for it: its exit status, or 128 and its signal. */
int bare_wait(long child);

/* Binds this process to one of its processors, `number` modulo their count; returns the count, 0 if it is not known. */
unsigned int bare_bind(unsigned int number);
/* Gets priority over every process that is not real-time, but not its children; false if that is not allowed. */
_Bool bare_go_first(void);
/* Sleeps at least that long; a timer wakes late. */
void bare_sleep(uint64_t ns);

/* The monotonic clock by system call, in nanoseconds: for limits of time. */
uint64_t bare_nanoseconds(void);

/*
 * Picoseconds of up to 2^32 ticks of a counter of 1 MHz or more, to 0.1 %. The frequency is measured: what should be 4 MHz may be
 * 3999990 Hz, which are not 3 MHz.
 */
static inline uint64_t bare_picoseconds(uint64_t ticks, uint64_t frequency_hz)
{
	return ticks * 1000000000 / (frequency_hz / 1000);
}

/* Counts of what was tested; the last line that a program prints is made of them. */
extern unsigned long bare_passed, bare_failed, bare_skipped;
void bare_expect(_Bool condition, const char *format, ...) __attribute__((format(printf, 2, 3)));
void bare_skip(const char *format, ...) __attribute__((format(printf, 1, 2)));
int bare_counts(void);

/* As the kernel has them on every architecture: the time of 64 bits, also on 32-bit powerpc. */
struct bare_time {
	int64_t sec, nsec;
};
long bare_clock_gettime(int32_t clock, struct bare_time *time);
long bare_clock_getres(int32_t clock, struct bare_time *time);

#endif
