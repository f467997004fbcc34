/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * regcheck in a booted kernel: does it preserve every floating-point and vector register where it promises to?
 *
 *     regcheck [ROUNDS]
 *
 * Three parts, each with new random values in each round and every register compared bit by bit, lower and upper halves:
 * switches, among four processes that yield the processor to each other and are preempted by the timer; signals, whose
 * handler leaves other values in all registers; fork, after which parent and child both compare. A lost register is printed
 * with its contents before and after. The kernel's own vmx_* tests only compare half of each of twelve registers. Which
 * control registers are filled and compared is in registers.h; on LoongArch it is none.
 *
 * Freestanding: runner/freestanding.h.
 */
#include "freestanding.h"
#include "registers.h"

enum { PROCESSES = 4, LOST_SHOWN_MAX = 8 };

static unsigned char fill[BLOCK_BYTES] __attribute__((aligned(64)));
static unsigned char found[BLOCK_BYTES] __attribute__((aligned(64)));
static uint64_t state;

/* ------------------------------------------------------------------ words */

static char line[1024], *at = line;

static void text(const char *words)
{
	while (*words && at < line + sizeof(line) - 1)
		*at++ = *words++;
}

static void number(uint64_t value)
{
	char digits[21];

	*put_number(digits, value) = '\0';
	text(digits);
}

static void bytes(const unsigned char *from, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		char digits[3] = { "0123456789abcdef"[from[i] >> 4], "0123456789abcdef"[from[i] & 15], '\0' };

		text(digits);
	}
}

static void end_line(void)
{
	*at++ = '\n';
	(void)CALL(ASSAY_SYS_WRITE, OUT, line, at - line);
	at = line;
}

static _Noreturn void die(const char *what, long error)
{
	text("regcheck: ");
	text(what);
	text(" failed with error ");
	number((uint64_t)-error);
	end_line();
	leave(2);
}

/* ------------------------------------------------------------------ values */

static uint32_t next_random(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33);
}

/* Not inlined: kernel/tests/run counts its instructions in user mode and in a booted kernel. */
static __attribute__((noinline)) void fill_block(void)
{
	for (unsigned int i = 0; i < REGISTERS * REGISTER_BYTES; i++)
		fill[i] = (unsigned char)(next_random() >> 8);
	fill_controls(fill, next_random());
}

static bool tell_lost(const char *part, const char *name, int index, unsigned int offset, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		if (fill[offset + i] == found[offset + i])
			continue;
		text(part);
		text(": lost ");
		text(name);
		if (index >= 0)
			number((uint64_t)index);
		text(": put in ");
		bytes(fill + offset, count);
		text(", found ");
		bytes(found + offset, count);
		end_line();
		return true;
	}
	return false;
}

/* Prints and counts the registers whose first bytes have changed. */
static unsigned int compare_bytes(const char *part, unsigned int bytes)
{
	unsigned int lost = 0;

	for (int i = 0; i < REGISTERS && lost < LOST_SHOWN_MAX; i++)
		lost += tell_lost(part, REGISTER_NAME, i, (unsigned int)i * REGISTER_BYTES, bytes);
	for (int i = 0; i < CONTROLS && lost < LOST_SHOWN_MAX; i++)
		lost += tell_lost(part, controls[i].name, -1, controls[i].offset, controls[i].bytes);
	return lost;
}

static unsigned int compare(const char *part)
{
	return compare_bytes(part, REGISTER_BYTES);
}

/* ------------------------------------------------------------------ parts */

static int wait_for(long child)
{
	int32_t status = 0;

	while (CALL(SYS_WAIT4, child, &status, 0, 0) != child)
		;
	return status;
}

/*
 * One of the processes that compete for the processor. Every fourth round has no system call, but a loop of some timer
 * ticks' length.
 */
static _Noreturn void contend(unsigned int who, unsigned int rounds)
{
	state = 77777u * (who + 1);
	for (unsigned int round = 0; round < rounds; round++) {
		bool loops = round % 4 == 3;

		fill_block();
		registers_cross(fill, found, loops ? -1 : SYS_SCHED_YIELD, 0, 0, loops ? 2000000 : 3);
		if (compare(loops ? "preemption" : "switch"))
			leave(1);
	}
	leave(0);
}

static int check_switches(unsigned int rounds)
{
	long children[PROCESSES];
	int wrong = 0;

	for (unsigned int who = 0; who < PROCESSES; who++) {
		children[who] = CALL(SYS_CLONE, SIGNAL_CHILD, 0, 0, 0, 0);
		if (children[who] < 0)
			die("clone", children[who]);
		if (children[who] == 0)
			contend(who, rounds);
	}
	for (unsigned int who = 0; who < PROCESSES; who++)
		wrong |= wait_for(children[who]);
	return wrong;
}

static unsigned char rubbish[BLOCK_BYTES] __attribute__((aligned(64)));
static volatile unsigned int handled;

/* Leaves other values in every register. */
static void handle(int signal)
{
	static unsigned char scratch[BLOCK_BYTES] __attribute__((aligned(64)));

	(void)signal;
	registers_cross(rubbish, scratch, -1, 0, 0, 1);
	handled++;
}

static int check_signals(unsigned int rounds)
{
	long self = CALL(SYS_GETPID, 0), error = handle_signal(SIGNAL_USER, handle, 0);

	if (error < 0)
		die("rt_sigaction", error);
	for (unsigned int round = 0; round < rounds; round++) {
		fill_block();
		for (unsigned int i = 0; i < REGISTERS * REGISTER_BYTES; i++)
			rubbish[i] = (unsigned char)~fill[i];
		fill_controls(rubbish, next_random());
		handled = 0;
		registers_cross(fill, found, SYS_KILL, self, SIGNAL_USER, 1);
		if (!handled) {
			text("signal: was not delivered");
			end_line();
			return 1;
		}
		if (compare("signal"))
			return 1;
	}
	return 0;
}

static int check_forks(unsigned int rounds)
{
	for (unsigned int round = 0; round < rounds; round++) {
		long child;

		fill_block();
		child = registers_cross(fill, found, SYS_CLONE, SIGNAL_CHILD, 0, 1);
		if (child < 0)
			die("clone", child);
		if (child == 0)
			leave(compare_bytes("fork (child)", CHILD_BYTES) != 0);
		if (compare("fork (parent)") | (wait_for(child) != 0))
			return 1;
	}
	return 0;
}

static unsigned int rounds_of(const uintptr_t *stack)
{
	const char *word = stack[0] > 1 ? (const char *)stack[2] : "100";
	unsigned int value = 0;

	for (; *word >= '0' && *word <= '9' && value < 1000000; word++)
		value = value * 10 + (unsigned int)(*word - '0');
	if (*word || !value || value > 1000000) {
		text("regcheck: ROUNDS is a number from 1 to 1000000");
		end_line();
		leave(2);
	}
	return value;
}

_Noreturn void assay_main(uintptr_t *stack)
{
	unsigned int rounds = rounds_of(stack);
	int wrong;

	state = 1;
	wrong = check_switches(rounds) | check_signals(rounds) | check_forks(rounds);
	text(wrong ? "regcheck: registers are lost" : "regcheck: all kept, over switches, signals and forks, rounds: ");
	if (!wrong)
		number(rounds);
	end_line();
	leave(wrong != 0);
}
