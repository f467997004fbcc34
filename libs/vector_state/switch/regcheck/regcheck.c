// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * regcheck ROUNDS [SEED]: puts every adapter that the program is linked with to the test and prints, with tabs between,
 *	check LIBRARY POLICY CLASS REGISTERS LOST NAMES		names of the lost ones, with commas between
 *	skip LIBRARY POLICY REASON
 *	missed LIBRARY POLICY ARRIVALS CROSSINGS	the switch did not reach the other side at each crossing, so nothing is known
 * and, after all adapters, `end`. The exit status is 0 if nothing was lost, 1 if something was, 2 for wrong usage, 3 if a
 * switch missed the other side.
 *
 * Each round has new random values for the two sides, each the other's complement, and then both complemented: so each bit of
 * each register is 0 on one side and 1 on the other at least once, both ways, whatever the random numbers are.
 */
#include "internal.h"

_Alignas(4096) unsigned char regcheck_stack[REGCHECK_STACK_BYTES];

static const struct regcheck_register registers[] = { REGISTERS };
enum { REGISTERS_COUNT = sizeof(registers) / sizeof(registers[0]) };
static const char *const class_names[CLASS_COUNT] = { "gpr", "cr", "fpr", "vector", "control" };

/* Everything that both sides share is in memory here, because no register can be trusted over a switch. */
static const struct regcheck_adapter *adapter;
static struct registers fill[2];
static bool lost[REGISTERS_COUNT];
static unsigned int arrivals; /* on the second side */
static uint64_t random_state;

static uint64_t random_number(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static uint64_t value_of(const struct registers *set, const struct regcheck_register *one)
{
	uint64_t value;

	__builtin_memcpy(&value, set->bytes + one->offset, sizeof(value));
	return value & one->mask;
}

static void new_values(void)
{
	for (size_t at = 0; at < REGISTERS_BYTES; at += 8) {
		uint64_t value = random_number(), other = ~value;

		__builtin_memcpy(fill[0].bytes + at, &value, 8);
		__builtin_memcpy(fill[1].bytes + at, &other, 8);
	}
	registers_make_legal(fill[0].bytes);
	registers_make_legal(fill[1].bytes);
}

static void turn_values_over(void)
{
	struct registers kept = fill[0];

	fill[0] = fill[1];
	fill[1] = kept;
}

static void compare(const struct registers *filled, const struct registers *now)
{
	for (size_t i = 0; i < REGISTERS_COUNT; i++)
		if (value_of(filled, &registers[i]) != value_of(now, &registers[i]))
			lost[i] = true;
}

static void second_side(void)
{
	for (;;) {
		/* The first side makes new values while we are away. */
		static struct registers filled, now;

		arrivals++;
		filled = fill[1];
		regcheck_cross(adapter->back, &filled, &now);
		compare(&filled, &now);
	}
}

static void cross_from_first_side(void)
{
	static struct registers now;

	regcheck_cross(adapter->there, &fill[0], &now);
	compare(&fill[0], &now);
}

static void put_number(unsigned int number)
{
	char digits[12], *at = digits + sizeof(digits) - 1;

	*at = 0;
	do {
		*--at = (char)('0' + number % 10);
	} while (number /= 10);
	regcheck_write(at);
}

static void put_head(const char *kind)
{
	regcheck_write(kind);
	regcheck_write("\t");
	regcheck_write(adapter->library);
	regcheck_write("\t");
	regcheck_write(adapter->policy);
	regcheck_write("\t");
}

static unsigned int report_class(enum regcheck_class class)
{
	unsigned int count = 0, lost_count = 0;

	for (size_t i = 0; i < REGISTERS_COUNT; i++) {
		count += registers[i].class == class;
		lost_count += registers[i].class == class && lost[i];
	}
	if (!count)
		return 0;
	put_head("check");
	regcheck_write(class_names[class]);
	regcheck_write("\t");
	put_number(count);
	regcheck_write("\t");
	put_number(lost_count);
	regcheck_write("\t");
	for (size_t i = 0, shown = 0; i < REGISTERS_COUNT; i++) {
		if (registers[i].class != class || !lost[i])
			continue;
		regcheck_write(shown++ ? "," : "");
		regcheck_write(registers[i].name);
	}
	regcheck_write("\n");
	return lost_count;
}

static void report_missed(unsigned int crossings)
{
	put_head("missed");
	put_number(arrivals);
	regcheck_write("\t");
	put_number(crossings);
	regcheck_write("\n");
}

enum { STATUS_KEPT, STATUS_LOST, STATUS_USAGE, STATUS_MISSED };

static int check_adapter(unsigned int rounds)
{
	const char *why_not = adapter->start(second_side);
	unsigned int lost_count = 0;

	if (why_not) {
		put_head("skip");
		regcheck_write(why_not);
		regcheck_write("\n");
		return STATUS_KEPT;
	}
	arrivals = 0;
	for (size_t i = 0; i < REGISTERS_COUNT; i++)
		lost[i] = false;
	for (unsigned int round = 0; round < rounds; round++) {
		new_values();
		cross_from_first_side();
		turn_values_over();
		cross_from_first_side();
	}
	/* Registers that nobody took away are not kept. */
	if (arrivals != 2 * rounds) {
		report_missed(2 * rounds);
		return STATUS_MISSED;
	}
	for (int class = 0; class < CLASS_COUNT; class ++)
		lost_count += report_class((enum regcheck_class) class);
	return lost_count ? STATUS_LOST : STATUS_KEPT;
}

static bool parse(const char *text, unsigned int *number)
{
	*number = 0;
	for (; *text >= '0' && *text <= '9' && *number < 100000000; text++)
		*number = *number * 10 + (unsigned int)(*text - '0');
	return !*text && *number;
}

int regcheck_main(int argc, char **argv)
{
	unsigned int rounds, seed = 1;
	int worst = STATUS_KEPT;

	if (argc < 2 || argc > 3 || !parse(argv[1], &rounds) || (argc == 3 && !parse(argv[2], &seed))) {
		regcheck_write("usage: regcheck ROUNDS [SEED], numbers from 1\n");
		return STATUS_USAGE;
	}
	random_state = UINT64_C(0x9e3779b97f4a7c15) * seed;
	registers_prepare();
	for (adapter = regcheck_adapters; adapter->library; adapter++) {
		int status = check_adapter(rounds);

		worst = status > worst ? status : worst;
	}
	regcheck_write("end\n");
	return worst;
}
