// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See bare.h. */
#include "bare.h"
#include "vdso_read.h"

unsigned long bare_passed, bare_failed, bare_skipped;

long bare_call_words(long number, const uintptr_t words[6])
{
	return assay_syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

uint64_t bare_number(const char *text, uint64_t otherwise)
{
	uint64_t number = 0;

	if (!text || !*text)
		return otherwise;
	for (; *text >= '0' && *text <= '9' && number < UINT64_C(1) << 50; text++)
		number = number * 10 + (uint64_t)(*text - '0');
	return *text ? otherwise : number;
}

void *bare_map(void *at, size_t bytes, int protection, int flags, long descriptor)
{
	long result = bare_call(ASSAY_SYS_MMAP, (uintptr_t)at, bytes, (uintptr_t)protection, (uintptr_t)flags,
				(uintptr_t)descriptor, 0);

	if (result < 0 && result > -4096)
		assay_die("memory cannot be mapped (errno %ld)", -result);
	return (void *)result;
}

long bare_fork(void)
{
	long child = bare_call(SYS_CLONE, SIGCHLD);

	if (child < 0)
		assay_die("a process cannot be made (errno %ld)", -child);
	return child;
}

int bare_wait(long child)
{
	int status = 0;

	if (bare_call(SYS_WAIT4, (uintptr_t)child, (uintptr_t)&status) != child)
		assay_die("a process was lost");
	return status & 0x7f ? 128 + (status & 0x7f) : status >> 8 & 0xff;
}

long bare_clock_gettime(int32_t clock, struct bare_time *time)
{
#ifdef VDSO_SYS_CLOCK_GETTIME64
	return bare_call(VDSO_SYS_CLOCK_GETTIME64, (uintptr_t)clock, (uintptr_t)time);
#else
	return bare_call(VDSO_SYS_CLOCK_GETTIME, (uintptr_t)(intptr_t)clock, (uintptr_t)time);
#endif
}

long bare_clock_getres(int32_t clock, struct bare_time *time)
{
	long plain[2] = { 0, 0 };
	long result = bare_call(VDSO_SYS_CLOCK_GETRES, (uintptr_t)(intptr_t)clock, (uintptr_t)plain);

	*time = (struct bare_time){ plain[0], plain[1] };
	return result;
}

unsigned int bare_bind(unsigned int number)
{
	enum { WORDS = 16, BITS = 8 * sizeof(unsigned long) };
	unsigned long all[WORDS] = { 0 }, one[WORDS] = { 0 };
	unsigned int count = 0;

	if (bare_call(SYS_SCHED_GETAFFINITY, 0, sizeof(all), (uintptr_t)all) <= 0)
		return 0;
	for (unsigned int cpu = 0; cpu < WORDS * BITS; cpu++)
		count += all[cpu / BITS] >> cpu % BITS & 1;
	if (count == 0)
		return 0;
	number %= count;
	for (unsigned int cpu = 0; cpu < WORDS * BITS; cpu++) {
		if (!(all[cpu / BITS] >> cpu % BITS & 1) || number-- != 0)
			continue;
		one[cpu / BITS] = 1ul << cpu % BITS;
		break;
	}
	return bare_call(SYS_SCHED_SETAFFINITY, 0, sizeof(one), (uintptr_t)one) == 0 ? count : 0;
}

_Bool bare_go_first(void)
{
	enum { SCHED_FIFO = 1, SCHED_RESET_ON_FORK = 0x40000000 };
	int priority = 1;

	return bare_call(SYS_SCHED_SETSCHEDULER, 0, SCHED_FIFO | SCHED_RESET_ON_FORK, (uintptr_t)&priority) == 0;
}

void bare_sleep(uint64_t ns)
{
	long time[2] = { (long)(ns / VDSO_NSEC_PER_SEC), (long)(ns % VDSO_NSEC_PER_SEC) };

	bare_call(SYS_NANOSLEEP, (uintptr_t)time, 0);
}

uint64_t bare_nanoseconds(void)
{
	struct bare_time time = { 0, 0 };

	bare_clock_gettime(VDSO_CLOCK_MONOTONIC, &time);
	return (uint64_t)time.sec * VDSO_NSEC_PER_SEC + (uint64_t)time.nsec;
}

void bare_expect(_Bool condition, const char *format, ...)
{
	struct assay_text text = { .used = 0 };
	va_list list;

	if (condition) {
		bare_passed++;
		return;
	}
	/* One fault fails a thousand times; the first twenty messages are enough to find it. */
	if (++bare_failed > 20)
		return;
	assay_text_add(&text, "FAILED ");
	va_start(list, format);
	assay_text_add_list(&text, format, list);
	va_end(list);
	assay_text_add(&text, "\n");
	assay_text_write(1, &text);
}

void bare_skip(const char *format, ...)
{
	struct assay_text text = { .used = 0 };
	va_list list;

	bare_skipped++;
	assay_text_add(&text, "skipped: ");
	va_start(list, format);
	assay_text_add_list(&text, format, list);
	va_end(list);
	assay_text_add(&text, "\n");
	assay_text_write(1, &text);
}

int bare_counts(void)
{
	assay_print("%lu passed, %lu failed, %lu skipped\n", bare_passed, bare_failed, bare_skipped);
	return bare_failed == 0 && bare_passed > 0 ? EXIT_FINE : EXIT_FAILED;
}

void assay_main(uintptr_t *stack)
{
	assay_auxiliary_read(stack);
	assay_exit(bare_main((int)stack[0], (char **)(stack + 1)));
}
