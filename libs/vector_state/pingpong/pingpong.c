/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Context-switch ping-pong, as in the AltiVec thread of 2016: two processes or threads hand a token to and fro, and touch
 * floating-point or vector facilities in each round, so that the kernel has their registers to save and to restore. Or two
 * contexts of one thread, over the switch of ../switch, whose cost does not depend on what they touch.
 *
 *     pingpong list                              the facilities that this machine has, one a line
 *     pingpong count VIA WHO MASK ROUNDS         so many rounds; says `rounds N` if every token was right
 *     pingpong time VIA WHO MASK SECONDS         a line `second N ROUNDS NANOSECONDS` for each
 *
 * VIA: pipe, futex or switch. WHO: process or thread; with switch, context. MASK: facilities, as bits in the order of `list`.
 * Both sides stay on the first processor that they may use, so that each round is two switches and wakes no other processor.
 *
 * Freestanding (runner/freestanding.h), so that the same program runs on the machine and under QEMU. The facilities that are
 * touched compute the token (by an addition in one of their registers), so one that cannot be used makes the token wrong. The
 * addition is complete before the token is handed over, so a register that the switch loses does not: nothing of the token is
 * in it then. `./assay regcheck` and the kernel's workload `regcheck` ask for that.
 */
#include "context_switch.h"
#include "freestanding.h"
#include "thread.h"
#include "touch.h"

enum { MAP_PRIVATE_ANONYMOUS = 0x22, MAP_SHARED_ANONYMOUS = 0x21, FUTEX_WAIT = 0, FUTEX_WAKE = 1 };
enum { STATUS_WRONG = 1, STATUS_USAGE = 2 };

/* ------------------------------------------------------------------ words in, and what goes wrong */

static _Noreturn void die(const char *what, long error)
{
	say(ERRORS, "pingpong: ");
	say(ERRORS, what);
	if (error) {
		say(ERRORS, " failed with error ");
		say_number(ERRORS, (uint64_t)-error);
	}
	say(ERRORS, "\n");
	leave(STATUS_USAGE);
}

static long must(long result, const char *what)
{
	if (result < 0 && result > -4096)
		die(what, result);
	return result;
}

static uint64_t number(const char *text)
{
	uint64_t value = 0;

	if (!*text || text_length(text) > 18)
		die("a number is missing or too long", 0);
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			die("an argument is no number", 0);
		value = value * 10 + (uint64_t)(*text - '0');
	}
	return value;
}

/* ------------------------------------------------------------------ the three ways of handing over */

static enum { BY_PIPE, BY_FUTEX, BY_SWITCH } way;
static struct context sides[2];

struct shared {
	uint32_t turn; /* futex: whose it is */
	uint32_t token;
};

static struct shared *shared;
static int to_second[2], to_first[2];

static void pass(unsigned int to, uint32_t token)
{
	if (way == BY_PIPE) {
		must(CALL(ASSAY_SYS_WRITE, to ? to_second[1] : to_first[1], &token, sizeof(token)), "write");
		return;
	}
	shared->token = token;
	__atomic_store_n(&shared->turn, to, __ATOMIC_SEQ_CST);
	must(CALL(SYS_FUTEX, &shared->turn, FUTEX_WAKE, 1), "futex");
}

/* The kernel restarts a read that a signal interrupts (SA_RESTART); a closed pipe means that the other side has ended. */
static uint32_t take(unsigned int me)
{
	uint32_t token;

	if (way == BY_PIPE) {
		if (must(CALL(SYS_READ, me ? to_second[0] : to_first[0], &token, sizeof(token)), "read") != sizeof(token))
			leave(STATUS_WRONG);
		return token;
	}
	while (__atomic_load_n(&shared->turn, __ATOMIC_SEQ_CST) != me)
		(void)CALL(SYS_FUTEX, &shared->turn, FUTEX_WAIT, 1 - me, 0);
	return shared->token;
}

/* Hands a token over and waits for the other's. */
static uint32_t exchange(unsigned int me, uint32_t token)
{
	if (way == BY_SWITCH)
		return (uint32_t)(uintptr_t)context_switch(&sides[me], &sides[1 - me], (void *)(uintptr_t)token);
	pass(1 - me, token);
	return take(me);
}

/* ------------------------------------------------------------------ the second side */

static unsigned int mask;

/*
 * One switch: touches, hands over and waits. A function of its own, and one for both sides, so that a trace of a whole machine
 * can begin where one side calls it and end where the other returns from it.
 */
static __attribute__((noinline)) uint32_t turn(unsigned int me, uint32_t token)
{
	return exchange(me, touch(mask, token));
}

/* Which side it is, so that the compiler does not make a copy of turn() for each. */
static unsigned int side(unsigned int me)
{
	__asm__ volatile("" : "+r"(me));
	return me;
}

static _Noreturn void second_from(uint32_t token)
{
	for (;;)
		token = turn(side(1), token);
}

static _Noreturn void second(void)
{
	second_from(take(1));
}

static void second_context(struct context *self, void *message)
{
	(void)self;
	second_from((uint32_t)(uintptr_t)message);
}

enum { STACK_BYTES = 1 << 16 };

static void *pages(size_t bytes, int flags)
{
	return (void *)must(CALL(ASSAY_SYS_MMAP, 0, bytes, 3, flags, -1, 0), "mmap");
}

static long start_second(bool thread)
{
	/* QEMU makes a thread of a clone only with all six: VM, FS, FILES, SIGHAND, THREAD, SYSVSEM. */
	enum { OF_THREADS = 0x00000100 | 0x00000200 | 0x00000400 | 0x00000800 | 0x00010000 | 0x00040000 };
	long child;

	if (way == BY_SWITCH) {
		if (context_create(&sides[1], pages(STACK_BYTES, MAP_PRIVATE_ANONYMOUS), STACK_BYTES, second_context) !=
		    CONTEXT_OK)
			die("context_create", 0);
		return 0;
	}
	if (thread) {
		uintptr_t *top = (uintptr_t *)((char *)pages(STACK_BYTES, MAP_PRIVATE_ANONYMOUS) + STACK_BYTES - 256);

		top[0] = 0;
		top[4] = (uintptr_t)second;
		must(pingpong_thread(OF_THREADS, top), "clone");
		return 0;
	}
	child = must(CALL(SYS_CLONE, SIGNAL_CHILD), "clone");
	if (child == 0) {
		/* If we are killed, the child is, too. */
		(void)CALL(SYS_PRCTL, 1, SIGNAL_KILL);
		second();
	}
	return child;
}

/* The same processor for both; where that is not allowed (some sandboxes), the scheduler decides. */
static void stay_on_one_processor(void)
{
	unsigned long allowed[32] = { 0 };
	bool found = false;

	if (CALL(SYS_SCHED_GETAFFINITY, 0, sizeof(allowed), allowed) < 0)
		return;
	for (size_t i = 0; i < 32; i++) {
		unsigned long lowest = allowed[i] & -allowed[i];

		allowed[i] = found ? 0 : lowest;
		found = found || lowest;
	}
	(void)CALL(SYS_SCHED_SETAFFINITY, 0, sizeof(allowed), allowed);
}

/* ------------------------------------------------------------------ seconds */

static volatile unsigned long rounds, rounds_before;
static volatile unsigned int seconds_left, second_number;
static uint64_t time_before;
static long child;

static uint64_t nanoseconds(void)
{
	long time[2] = { 0, 0 };

	must(CALL(ASSAY_SYS_CLOCK_GETTIME, 1, time), "clock_gettime");
	return (uint64_t)time[0] * 1000000000u + (uint64_t)time[1];
}

static void finish(int status)
{
	if (child)
		(void)CALL(SYS_KILL, child, SIGNAL_KILL);
	leave(status);
}

static void alarm_rang(int signal)
{
	unsigned long now_rounds = rounds;
	uint64_t now = nanoseconds();

	(void)signal;
	say(OUT, "second ");
	say_number(OUT, ++second_number);
	say(OUT, " ");
	say_number(OUT, now_rounds - rounds_before);
	say(OUT, " ");
	say_number(OUT, now - time_before);
	say(OUT, "\n");
	rounds_before = now_rounds;
	time_before = now;
	if (--seconds_left == 0)
		finish(0);
}

static void ring_every_second(void)
{
	struct {
		long interval[2], value[2];
	} timer = { { 1, 0 }, { 1, 0 } };

	must(handle_signal(SIGNAL_ALARM, alarm_rang, SIGNAL_RESTARTS), "rt_sigaction");
	time_before = nanoseconds();
	must(CALL(ASSAY_SYS_SETITIMER, 0, &timer, 0), "setitimer");
}

/* ------------------------------------------------------------------ the first side */

static void first(unsigned long rounds_wanted)
{
	uint32_t token = 1;

	for (;;) {
		uint32_t back = turn(side(0), token);

		if (back != token + 2 * touched_adds(mask)) {
			say(OUT, "failure: a token came back wrong\n");
			finish(STATUS_WRONG);
		}
		token = back & 0xffff;
		if (++rounds == rounds_wanted)
			return;
	}
}

static unsigned long hwcap(const uintptr_t *stack)
{
	const uintptr_t *at = stack + 1 + stack[0] + 1;

	while (*at)
		at++;
	for (at++; at[0]; at += 2) {
		if (at[0] == 16)
			return at[1];
	}
	return 0;
}

static void list(unsigned int present)
{
	for (unsigned int i = 0; i < TOUCHES; i++) {
		if (present >> i & 1) {
			say(OUT, touch_names[i]);
			say(OUT, "\n");
		}
	}
}

static void parse(char **words, unsigned int present)
{
	way = text_equal(words[2], "futex") ? BY_FUTEX : text_equal(words[2], "switch") ? BY_SWITCH : BY_PIPE;
	if (way == BY_PIPE && !text_equal(words[2], "pipe"))
		die("VIA is pipe, futex or switch", 0);
	if (way == BY_SWITCH ? !text_equal(words[3], "context") :
			       !text_equal(words[3], "process") && !text_equal(words[3], "thread"))
		die("WHO is process or thread, of a switch it is context", 0);
	mask = (unsigned int)number(words[4]);
	if (mask & ~present)
		die("the mask asks for facilities that this machine has not", 0);
}

_Noreturn void assay_main(uintptr_t *stack)
{
	char **words = (char **)(stack + 1);
	unsigned int present = touchable(hwcap(stack));
	bool timed;

	if (stack[0] == 2 && text_equal(words[1], "list")) {
		list(present);
		leave(0);
	}
	if (stack[0] != 6)
		die("usage: list | count VIA WHO MASK ROUNDS | time VIA WHO MASK SECONDS", 0);
	timed = text_equal(words[1], "time");
	parse(words, present);
	if (number(words[5]) == 0 || number(words[5]) > 1000000000)
		die("ROUNDS or SECONDS is 0 or more than 1000000000", 0);
	shared = pages(4096, MAP_SHARED_ANONYMOUS);
	must(CALL(SYS_PIPE2, to_second, 0), "pipe");
	must(CALL(SYS_PIPE2, to_first, 0), "pipe");
	stay_on_one_processor();
	child = start_second(text_equal(words[3], "thread"));
	if (timed) {
		seconds_left = (unsigned int)number(words[5]);
		ring_every_second();
		first(0);
	}
	first((unsigned long)number(words[5]));
	say(OUT, "rounds ");
	say_number(OUT, rounds);
	say(OUT, "\n");
	finish(0);
	leave(0);
}
