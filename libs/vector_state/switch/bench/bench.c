// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bench [PROCESSES [ROUNDS]]: a switch's time on this machine: ours by each policy, Boost.Context's and ucontext's.
 *
 * One switch is half of a round trip between two contexts that do nothing else. All are interleaved: each process runs
 * ROUNDS rounds, in each of which every switch is timed once, in random order. Each process gives a ratio of medians for
 * each claim; what is shown is the median of these over the processes with the 95 % interval by order statistics
 * (the processes are independent, the rounds of one are not). An interval that contains the limit proves nothing, and is
 * reported so. Boost's library is linked statically, as ours is, so neither pays for a jump through a table.
 * Everything is measured in two states, because some processors take long to write control words that change: either both
 * contexts have raised the same floating-point exceptions so far, or the first context alone has had an inexact result.
 * Exit status: 0 every claim holds, 1 one does not, 2 something is wrong.
 */
#include "../context_inline.h"
#include "../host/stack.h"

#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>

/* As in boost/context/detail/fcontext.hpp. */
typedef void *fcontext_t;
typedef struct {
	fcontext_t fctx;
	void *data;
} transfer_t;
transfer_t jump_fcontext(fcontext_t to, void *data);
fcontext_t make_fcontext(void *stack_top, size_t bytes, void (*function)(transfer_t));

enum { FULL, USED, INLINE, BOOST, UCONTEXT, SWITCHES };
enum { ALIKE, DIFFERENT, STATES };
enum { PROCESSES_MAX = 101, ROUNDS_MAX = 1000, TRIPS = 4000 };

static const char *const names[SWITCHES] = { "full", "used", "inline", "boost_context", "ucontext" };

static struct context main_context, others[3];
static fcontext_t boost_other;
static ucontext_t ucontext_main, ucontext_other;

static void full_back(struct context *self, void *message)
{
	for (;;)
		message = context_switch(self, &main_context, message);
}

static void used_back(struct context *self, void *message)
{
	for (;;)
		message = context_switch_used(self, &main_context, message);
}

static void inline_back(struct context *self, void *message)
{
	for (;;)
		message = context_switch_inline(self, &main_context, message);
}

static void boost_back(transfer_t from)
{
	for (;;)
		from = jump_fcontext(from.fctx, from.data);
}

static void ucontext_back(void)
{
	for (;;)
		swapcontext(&ucontext_other, &ucontext_main);
}

static __attribute__((noinline)) void run_full(long trips)
{
	while (trips--)
		context_switch(&main_context, &others[FULL], NULL);
}

static __attribute__((noinline)) void run_used(long trips)
{
	while (trips--)
		context_switch_used(&main_context, &others[USED], NULL);
}

static __attribute__((noinline)) void run_inline(long trips)
{
	while (trips--)
		context_switch_inline(&main_context, &others[INLINE], NULL);
}

static __attribute__((noinline)) void run_boost(long trips)
{
	while (trips--)
		boost_other = jump_fcontext(boost_other, NULL).fctx;
}

static __attribute__((noinline)) void run_ucontext(long trips)
{
	while (trips--)
		swapcontext(&ucontext_main, &ucontext_other);
}

static void (*const runs[SWITCHES])(long) = { run_full, run_used, run_inline, run_boost, run_ucontext };

static void *stack(size_t bytes)
{
	void *low = context_stack_map(&bytes);

	if (!low) {
		fprintf(stderr, "bench: no memory for a stack\n");
		exit(2);
	}
	return low;
}

static void make_all(void)
{
	const size_t bytes = 65536;

	context_create(&others[FULL], stack(bytes), bytes, full_back);
	context_create(&others[USED], stack(bytes), bytes, used_back);
	context_create_inline(&others[INLINE], stack(bytes), bytes, inline_back);
	boost_other = make_fcontext((char *)stack(bytes) + bytes, bytes, boost_back);
	getcontext(&ucontext_other);
	ucontext_other.uc_stack.ss_sp = stack(bytes);
	ucontext_other.uc_stack.ss_size = bytes;
	makecontext(&ucontext_other, ucontext_back, 0);
}

static long long now_ns(void) /* in whole numbers, which raise no exception */
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* ucontext makes a system call each time, so it gets fewer trips. */
static double time_one(int which, int state)
{
	long trips = which == UCONTEXT ? TRIPS / 10 : TRIPS;
	volatile double one = 1, quotient;
	long long began, ended;

	/* The policies leave the main context in different states; each starts from that of a fresh thread. */
	main_context = (struct context)CONTEXT_THREAD;
	feclearexcept(FE_ALL_EXCEPT);
	if (state == DIFFERENT)
		quotient = one / 3; /* feraiseexcept would note it in x87's status, where glibc may choose */
	runs[which](trips / 10);
	began = now_ns();
	runs[which](trips);
	ended = now_ns();
	(void)quotient;
	return (double)(ended - began) / (2.0 * (double)trips);
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static double median(double *values, int count)
{
	qsort(values, (size_t)count, sizeof(values[0]), compare);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void measure(int rounds, double medians[STATES * SWITCHES])
{
	enum { ALL = STATES * SWITCHES };
	static double samples[ALL][ROUNDS_MAX];
	int order[ALL];

	for (int i = 0; i < ALL; i++)
		order[i] = i;
	for (int round = 0; round < rounds; round++) {
		for (int i = ALL - 1; i > 0; i--) {
			int j = rand() % (i + 1), kept = order[i];

			order[i] = order[j];
			order[j] = kept;
		}
		for (int i = 0; i < ALL; i++)
			samples[order[i]][round] = time_one(order[i] % SWITCHES, order[i] / SWITCHES);
	}
	for (int i = 0; i < ALL; i++)
		medians[i] = median(samples[i], rounds);
}

static void measure_in_a_process(int seed, int rounds, double medians[STATES * SWITCHES])
{
	int ends[2], status;
	pid_t child;

	if (pipe(ends) != 0 || (child = fork()) < 0) {
		perror("bench");
		exit(2);
	}
	if (child == 0) {
		srand((unsigned int)seed + 1);
		make_all();
		measure(rounds, medians);
		_exit(write(ends[1], medians, sizeof(double[STATES * SWITCHES])) == sizeof(double[STATES * SWITCHES]) ? 0 : 2);
	}
	close(ends[1]);
	if (read(ends[0], medians, sizeof(double[STATES * SWITCHES])) != sizeof(double[STATES * SWITCHES]) ||
	    waitpid(child, &status, 0) != child || status != 0) {
		fprintf(stderr, "bench: a measuring process failed\n");
		exit(2);
	}
	close(ends[0]);
}

/* The largest rank with a probability of at most 2.5 % below it, each of the n values being below the median by a coin. */
static int low_rank(int count)
{
	double probability = 1, below = 0;
	int rank = 0;

	for (int i = 0; i < count; i++)
		probability /= 2;
	for (;;) {
		below += probability;
		if (below > 0.025)
			return rank;
		probability *= (double)(count - rank) / (double)(rank + 1);
		rank++;
	}
}

/* Prints the median of the values with its interval; gives the interval's ends. */
static void interval(double *values, int count, double *low, double *middle, double *high)
{
	int rank = low_rank(count);

	*middle = median(values, count);
	*low = values[rank > 0 ? rank - 1 : 0];
	*high = values[rank > 0 ? count - rank : count - 1];
}

static double table[PROCESSES_MAX][STATES * SWITCHES];

static int judge(const char *what, int state, int count, int above, int below, double limit, int at_most)
{
	double ratios[PROCESSES_MAX], low, middle, high;
	int holds, fails;

	for (int i = 0; i < count; i++)
		ratios[i] = table[i][state * SWITCHES + above] / table[i][state * SWITCHES + below];
	interval(ratios, count, &low, &middle, &high);
	holds = at_most ? high <= limit : low >= limit;
	fails = at_most ? low > limit : high < limit;
	printf("%-28s %8.3f [%.3f, %.3f]   %s %g: %s\n", what, middle, low, high, at_most ? "at most" : "at least", limit,
	       holds ? "holds" :
	       fails ? "DOES NOT HOLD" :
		       "not shown, the interval reaches over it");
	return !holds;
}

static int report(int state, int processes)
{
	int failed = 0;

	printf("%s\n", state == ALIKE ? "exceptions raised so far alike" : "exceptions raised so far different");
	for (int which = 0; which < SWITCHES; which++) {
		double values[PROCESSES_MAX], low, middle, high;

		for (int i = 0; i < processes; i++)
			values[i] = table[i][state * SWITCHES + which];
		interval(values, processes, &low, &middle, &high);
		printf("%-28s %8.2f [%.2f, %.2f]\n", names[which], middle, low, high);
	}
	printf("ratios of one interleaved run\n");
	failed |= judge("full / boost_context", state, processes, FULL, BOOST, 1.1, 1);
	failed |= judge("inline / boost_context", state, processes, INLINE, BOOST, 1.0, 1);
	failed |= judge("ucontext / full", state, processes, UCONTEXT, FULL, 20, 0);
	return failed;
}

int main(int argc, char **argv)
{
	int processes = argc > 1 ? atoi(argv[1]) : 21, rounds = argc > 2 ? atoi(argv[2]) : 60, failed = 0;

	if (processes < 7 || processes > PROCESSES_MAX || rounds < 3 || rounds > ROUNDS_MAX) {
		fprintf(stderr, "usage: bench [PROCESSES [ROUNDS]], 7 to %d and 3 to %d\n", PROCESSES_MAX, ROUNDS_MAX);
		return 2;
	}
	for (int i = 0; i < processes; i++)
		measure_in_a_process(i, rounds, table[i]);
	printf("time of one switch, ns, measured: median of %d processes and 95 %% interval\n", processes);
	for (int state = 0; state < STATES; state++)
		failed |= report(state, processes);
	return failed;
}
