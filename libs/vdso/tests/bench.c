// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bench: nanoseconds a call, of the kernel's image, of ours and of the system call, interleaved: a slice of some milliseconds
 * of each in turn, in another order each round, so that a change of the machine's speed affects all alike. Each slice is a
 * record of its fastest batch; the program that reads the records makes medians and intervals.
 *
 * Also the lower bound: the counter read in order, as any clock has to, and the call of a function that returns at once.
 */
#include "vdsotest.h"
#include "vdso_read.h"

enum { KERNEL, OURS, SYSTEM_CALL, FLOOR, WHO_COUNT };
static const char *const names[WHO_COUNT] = { "kernel", "ours", "syscall", "floor" };

/* So many calls between two reads of the counter that the reads do not count; a system call takes some hundred ns. */
enum { BATCH = 2000, BATCH_SYSTEM_CALL = 100 };

static __attribute__((noinline)) long nothing(uintptr_t a, uintptr_t b)
{
	__asm__ volatile("" : : "r"(a), "r"(b) : "memory");
	return 0;
}

static __attribute__((noinline)) long read_counter(uintptr_t a, uintptr_t b)
{
	(void)a;
	*(uint64_t *)b = vdso_counter();
	return 0;
}

/* gettimeofday has its result first. */
static __attribute__((noinline)) long read_counter_first(uintptr_t a, uintptr_t b)
{
	(void)b;
	*(uint64_t *)a = vdso_counter();
	return 0;
}

static void run_function(void *function, uintptr_t a, uintptr_t b, unsigned int count)
{
#if defined(__powerpc__)
	for (unsigned int i = 0; i < count; i++)
		machine_call(function, a, b, 0);
#else
	long (*volatile call)(uintptr_t, uintptr_t) = (long (*)(uintptr_t, uintptr_t))function;

	for (unsigned int i = 0; i < count; i++)
		call(a, b);
#endif
}

struct subject {
	const char *call, *clock;
	void *functions[WHO_COUNT];
	long number;
	uintptr_t a, b;
};

/*
 * Picoseconds a call in one slice: the mean of the batches within one part in 64 of its fastest, because what interrupts a batch
 * only adds to it. Timed by the counter, which the discipline knows the rate of.
 */
static uint64_t slice(const struct machine *machine, const struct subject *subject, int who, uint64_t milliseconds)
{
	uint64_t frequency = machine->discipline.writer.source.frequency_hz;
	uint64_t end = vdso_counter() + frequency / 1000 * milliseconds, best = UINT64_MAX, now, sum = 0, count = 0;
	unsigned int batch = who == SYSTEM_CALL ? BATCH_SYSTEM_CALL : BATCH;

	do {
		uint64_t start = vdso_counter();

		if (who == SYSTEM_CALL)
			for (unsigned int i = 0; i < batch; i++)
				bare_call(subject->number, subject->a, subject->b, 0);
		else
			run_function(subject->functions[who], subject->a, subject->b, batch);
		now = vdso_counter();
		if (now - start < best - best / 64) {
			best = now - start;
			sum = count = 0;
		}
		if (now - start <= best + best / 64) {
			sum += now - start;
			count++;
		}
	} while (now < end);
	return bare_picoseconds(sum, frequency) / batch / count;
}

static void bench(struct machine *machine, const struct subject *subject, uint64_t milliseconds, uint64_t rounds)
{
	for (uint64_t round = 0; round < rounds; round++) {
		unsigned int first = assay_random_below(WHO_COUNT);

		for (unsigned int i = 0; i < WHO_COUNT; i++) {
			unsigned int who = (first + (round & 1 ? WHO_COUNT - i : i)) % WHO_COUNT;
			uint64_t picoseconds;

			if (who != SYSTEM_CALL && !subject->functions[who])
				continue;
			vdso_discipline_update(&machine->discipline, 20000000);
			picoseconds = slice(machine, subject, (int)who, milliseconds);
			assay_print("bench\t%s\t%s\t%s\t%llu\n", subject->call, subject->clock, names[who],
				    (unsigned long long)picoseconds);
			bare_passed++;
		}
	}
}

void test_bench(struct machine *machine, uint64_t milliseconds, uint64_t rounds)
{
	static uint64_t buffer[8];
	struct vdso_image image;
	struct vdso_calls kernel = { .name = NULL };

	if (!machine->has_counter) {
		bare_skip("bench: this processor has no counter that can be trusted");
		return;
	}
	machine_kernel(&kernel, &image);
	for (unsigned int i = 0; i < 7; i++) {
		_Bool coarse = 1u << machine_clocks[i] & VDSO_COARSE_CLOCKS;
		struct subject gettime = {
			"clock_gettime",
			machine_clock_name(machine_clocks[i]),
			{ kernel.clock_gettime, machine->calls.clock_gettime, NULL,
			  coarse ? (void *)nothing : (void *)read_counter },
			VDSO_SYS_CLOCK_GETTIME,
			(uintptr_t)machine_clocks[i],
			(uintptr_t)buffer,
		};
		struct subject getres = {
			"clock_getres",
			machine_clock_name(machine_clocks[i]),
			{ kernel.clock_getres, machine->calls.clock_getres, NULL, (void *)nothing },
			VDSO_SYS_CLOCK_GETRES,
			(uintptr_t)machine_clocks[i],
			(uintptr_t)buffer,
		};

		bench(machine, &gettime, milliseconds, rounds);
		bench(machine, &getres, milliseconds, rounds);
	}
	bench(machine,
	      &(struct subject){ "gettimeofday",
				 "realtime",
				 { kernel.gettimeofday, machine->calls.gettimeofday, NULL, (void *)read_counter_first },
				 VDSO_SYS_GETTIMEOFDAY,
				 (uintptr_t)buffer,
				 0 },
	      milliseconds, rounds);
#ifdef VDSO_SYS_TIME
	bench(machine,
	      &(struct subject){ "time",
				 "realtime",
				 { kernel.time, machine->calls.time, NULL, (void *)nothing },
				 VDSO_SYS_TIME,
				 (uintptr_t)buffer,
				 0 },
	      milliseconds, rounds);
#endif
	bench(machine,
	      &(struct subject){ "getcpu",
				 "",
				 { kernel.getcpu, machine->calls.getcpu, NULL, (void *)nothing },
				 VDSO_SYS_GETCPU,
				 (uintptr_t)buffer,
				 (uintptr_t)(buffer + 1) },
	      milliseconds, rounds);
}
