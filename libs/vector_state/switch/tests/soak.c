// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * soak SWITCHES [SEED [BREAK_AT | signals]]: random switches among a thousand contexts, all registers filled.
 *
 * Each context fills every register that a call preserves with values of its own, switches by a random policy to a random
 * context, and compares the registers when it is switched to again, which may be thousands of switches later. In one visit
 * of 64 a context finishes and is made anew, so that starting and finishing are tested, too. With BREAK_AT, that switch loses
 * one bit of one register, which has to be found: a test of this test. With `signals`, a timer interrupts it all the time and
 * the handler writes below the stack pointer: wherever in a switch that happens (under QEMU's -singlestep, between any two
 * instructions), nothing may be lost.
 * Exit status 0: nothing lost; 1: lost, with the register's name; 2: wrong usage.
 */
#include "bare.h"
#include "breaks.h"

#include "../context_switch.h"
#include "../regcheck/internal.h"

enum { CONTEXTS = 1000, STACK_BYTES = 16384, FINISH_ONE_IN = 64 };

struct participant {
	struct context context;
	struct registers fill, seen;
};

static const struct regcheck_register registers[] = { REGISTERS };
enum { REGISTERS_COUNT = sizeof(registers) / sizeof(registers[0]) };

static struct participant participants[CONTEXTS];
static _Alignas(16) unsigned char stacks[CONTEXTS][STACK_BYTES];
static struct context main_context = CONTEXT_THREAD;
static struct participant *current;
static uint64_t random_state, switches_left, switches_done, break_at, finished_count;
static bool under_signals;

static uint64_t dice(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static void fill_registers(struct registers *fill)
{
	for (size_t at = 0; at < REGISTERS_BYTES; at += 8) {
		uint64_t value = dice();

		__builtin_memcpy(fill->bytes + at, &value, 8);
	}
	registers_make_legal(fill->bytes);
#ifdef __powerpc64__
	/* QEMU 7.2 restores only the lower word of FPSCR on return from a signal, so DRN, in the upper one, has to be 0. */
	if (under_signals)
		__builtin_memset(fill->bytes + FPSCR_UPPER_OFFSET, 0, 4);
#endif
}

static void compare(const struct participant *one)
{
	for (size_t i = 0; i < REGISTERS_COUNT; i++) {
		uint64_t filled, seen;

		__builtin_memcpy(&filled, one->fill.bytes + registers[i].offset, 8);
		__builtin_memcpy(&seen, one->seen.bytes + registers[i].offset, 8);
		if (!((filled ^ seen) & registers[i].mask))
			continue;
		bare_write("lost ");
		bare_write(registers[i].name);
		bare_write(" of context ");
		bare_write_number((uint64_t)(one - participants));
		bare_write(" at switch ");
		bare_write_number(switches_done);
		bare_write("\n");
		bare_exit(1);
	}
}

static __attribute__((noinline)) void switch_at_random(void)
{
	struct participant *from = current, *to = &participants[dice() % CONTEXTS];

	if (to == from)
		to = &participants[(size_t)(from - participants + 1) % CONTEXTS];
	switches_done++;
	if (!--switches_left) {
		context_switch(&from->context, &main_context, NULL);
		return;
	}
	current = to;
	/* So that the used policy loses no register: a lease for at least this switch. */
	switch (dice() % 4) {
	case 0:
		context_lease(&from->context, 1 + (uint32_t)(dice() % 255));
		context_switch_used(&from->context, &to->context, NULL);
		break;
#ifdef __powerpc__
	case 1:
		context_switch_vrsave(&from->context, &to->context, NULL);
		break;
#endif
	default:
		context_switch(&from->context, &to->context, NULL);
	}
}

/* What regcheck_cross calls. A function of its own that needs no preserved register, so that a broken one stays broken. */
static __attribute__((noinline)) void cross(void)
{
	switch_at_random();
	if (switches_done == break_at)
		BREAK_ONE;
}

static void live(struct context *self, void *message);

static void make(struct participant *one)
{
	context_create(&one->context, stacks[one - participants], STACK_BYTES, live);
}

/* Ends one and goes on with the next, which makes the ended one anew. */
static void finish(struct participant *one)
{
	struct participant *next = &participants[(size_t)(one - participants + 1) % CONTEXTS];

	finished_count++;
	current = next;
	context_finish(&one->context, &next->context, one);
}

/* The context that goes on after a finish makes the finished one anew before any can switch to it. */
static void make_finished_one(const struct participant *one)
{
	struct participant *before = &participants[(size_t)(one - participants + CONTEXTS - 1) % CONTEXTS];

	if (!before->context.stack_pointer)
		make(before);
}

static void live(struct context *self, void *message)
{
	struct participant *one = (struct participant *)self;

	(void)message;
	make_finished_one(one);
	for (;;) {
		fill_registers(&one->fill);
		regcheck_cross(cross, &one->fill, &one->seen);
		compare(one);
		make_finished_one(one);
		if (dice() % FINISH_ONE_IN == 0)
			finish(one);
	}
}

static volatile uint64_t signals_count;

/* Fills as much stack as a handler may. */
static void scribble(int number)
{
	volatile unsigned char room[1024];

	for (size_t i = 0; i < sizeof(room); i++)
		room[i] = (unsigned char)(number + (int)i);
	signals_count++;
}

int bare_main(int argc, char **argv, const uintptr_t *auxiliary)
{
	uint64_t seed = argc > 2 ? bare_number(argv[2]) : 1;

	(void)auxiliary;
	under_signals = argc == 4 && bare_same(argv[3], "signals");
	switches_left = argc > 1 ? bare_number(argv[1]) : 0;
	break_at = argc > 3 ? bare_number(argv[3]) : 0;
	if (argc < 2 || argc > 4 || !switches_left || !seed || (argc == 4 && !break_at && !under_signals)) {
		bare_write("usage: soak SWITCHES [SEED [BREAK_AT | signals]], numbers from 1\n");
		return 2;
	}
	random_state = UINT64_C(0x9e3779b97f4a7c15) * seed;
	registers_prepare();
	for (size_t i = 0; i < CONTEXTS; i++)
		make(&participants[i]);
	if (under_signals)
		bare_signals_start(1000, scribble);
	current = &participants[0];
	context_switch(&main_context, &current->context, NULL);
	bare_write("kept all registers of ");
	bare_write_number(CONTEXTS);
	bare_write(" contexts over ");
	bare_write_number(switches_done);
	bare_write(" switches, ");
	bare_write_number(finished_count);
	bare_write(" contexts finished and made anew");
	if (under_signals) {
		bare_write(", under ");
		bare_write_number(signals_count);
		bare_write(" signals");
	}
	bare_write("\n");
	return 0;
}
