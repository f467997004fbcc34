/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bpfcheck in a booted kernel: does its JIT swap bytes correctly if a load or a move comes right before the swap, and
 * if a jump leads between the two? Does it extend a sign if an operation comes right behind the move that does?
 *
 *     bpfcheck [be] [le] [bswap]
 *
 * The programs are socket filters, made here, loaded by bpf(2) and run by BPF_PROG_TEST_RUN. Each puts sixteen bytes on its
 * stack, loads 16, 32 or 64 bits of them at several offsets, either directly or into another register and moved from there,
 * swaps them by each of the swap instructions and returns one half of the result. lib/test_bpf has no swap right after a
 * load or a move. Prints the length of each shape's JIT code in units of four bytes, which are instructions on POWER; a
 * program that the interpreter runs is a failure. With arguments, only these swaps are checked, and no sign. For a trace, the
 * programs without a move, a jump and the upper half are called be16_0, bswap64_8 and so on, by swap and offset.
 *
 * Freestanding: runner/freestanding.h.
 */
#include "code_at.h"

#include "bpf.h"

/* Lengths of the packets in bytes. */
enum { DATA_SHORT = 64, DATA_LONG = 256 };

/* clang-format off */
/* Opcodes: class, operation, size. */
enum {
	LOAD_WORD = 0x61,
	LOAD_HALF = 0x69,
	LOAD_DOUBLE = 0x79,
	STORE_DOUBLE = 0x7b,
	LOAD_IMMEDIATE = 0x18,
	ADD_VALUE = 0x07,
	MOVE = 0xbf,
	MOVE_VALUE = 0xb7,
	SHIFT_RIGHT = 0x77,
	SWAP_LE = 0xd4,
	SWAP_BE = 0xdc,
	SWAP_ALWAYS = 0xd7,
	JUMP_GREATER = 0x25,
	EXIT = 0x95,
};
/* clang-format on */

static const uint64_t pattern = 0x8192a3b4c5d6e7f8u;
static unsigned int failures, refused;
static bool kernel_lacks_v4;

static struct instruction program[32];
static unsigned int length;

static void add(uint8_t code, uint8_t to, uint8_t from, int16_t offset, int32_t value)
{
	program[length++] = (struct instruction){ .code = code, .to = to, .from = from, .offset = offset, .value = value };
}

static void add_constant(uint8_t to, uint64_t value)
{
	add(LOAD_IMMEDIATE, to, 0, 0, (int32_t)value);
	add(0, 0, 0, 0, (int32_t)(value >> 32));
}

/* A test case. */
struct shape {
	unsigned int bits;
	uint8_t swap;
	int offset; /* 0: the load is at its pointer, a form of its own on some machines; else at 8 + offset - 1 */
	bool jumped_to; /* whether a jump leads to the swap */
	bool upper; /* which half of the result is returned */
	bool moved; /* whether a move comes right before the swap, and the load earlier */
};

static void make(const struct shape *shape)
{
	uint8_t load = shape->bits == 16 ? LOAD_HALF : shape->bits == 32 ? LOAD_WORD : LOAD_DOUBLE;
	int16_t from = (int16_t)(shape->offset ? 8 + shape->offset - 1 : 0);

	length = 0;
	add(LOAD_WORD, 3, 1, 0, 0); /* the length of the data */
	add_constant(2, pattern);
	add(STORE_DOUBLE, 10, 2, -16, 0);
	add_constant(2, ~pattern);
	add(STORE_DOUBLE, 10, 2, -8, 0);
	add(MOVE, 4, 10, 0, 0);
	add(ADD_VALUE, 4, 0, 0, -16 - (shape->offset ? 8 : 0));
	if (shape->moved)
		add(load, 5, 4, from, 0);
	if (shape->jumped_to) {
		add_constant(0, pattern);
		add(JUMP_GREATER, 3, 0, 1, DATA_SHORT); /* over the load or the move */
	}
	if (shape->moved)
		add(MOVE, 0, 5, 0, 0);
	else
		add(load, 0, 4, from, 0);
	add(shape->swap, 0, 0, 0, (int32_t)shape->bits);
	if (shape->upper)
		add(SHIFT_RIGHT, 0, 0, 0, 32);
	add(EXIT, 0, 0, 0, 0);
}

static uint64_t swapped(uint64_t value, const struct shape *shape)
{
	bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	uint64_t mask = shape->bits == 64 ? ~(uint64_t)0 : ((uint64_t)1 << shape->bits) - 1, result = 0;

	value &= mask;
	if (shape->swap == (little ? SWAP_LE : SWAP_BE))
		return value;
	for (unsigned int bit = 0; bit < shape->bits; bit += 8)
		result |= (value >> bit & 255) << (shape->bits - 8 - bit);
	return result;
}

static uint64_t loaded(const struct shape *shape)
{
	uint64_t area[2] = { pattern, ~pattern }, value = 0;

	memcpy((char *)&value + (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 8 - shape->bits / 8),
	       (char *)area + (shape->offset ? shape->offset - 1 : 0), shape->bits / 8);
	return value;
}

static const char *swap_name(uint8_t swap)
{
	return swap == SWAP_ALWAYS ? "bswap" : swap == SWAP_BE ? "be" : "le";
}

static void tell(const struct shape *shape)
{
	say(OUT, swap_name(shape->swap));
	say_number(OUT, shape->bits);
	say(OUT, shape->offset ? " at offset " : " at the pointer");
	if (shape->offset)
		say_number(OUT, (uint64_t)(8 + shape->offset - 1));
	say(OUT, shape->moved ? ", moved" : "");
	say(OUT, shape->jumped_to ? ", jumped to" : "");
	say(OUT, shape->upper ? ", upper half" : "");
}

static void wrong(const struct shape *shape, const char *what, uint64_t found, uint64_t wanted)
{
	failures++;
	say(OUT, "bpfcheck: wrong: ");
	tell(shape);
	say(OUT, what);
	say_number(OUT, found);
	say(OUT, ", not ");
	say_number(OUT, wanted);
	say(OUT, "\n");
}

/* The name for a trace; a shape with a move, a jump or the upper half has none. */
static const char *name_of(const struct shape *shape)
{
	static char name[16];
	char *end = put_text(name, swap_name(shape->swap));

	if (shape->moved || shape->jumped_to || shape->upper)
		return "";
	end = put_number(end, shape->bits);
	*end++ = '_';
	*put_number(end, shape->offset ? (uint64_t)(8 + shape->offset - 1) : 0) = 0;
	return name;
}

static long load_program(void)
{
	struct load load = {
		.type = SOCKET_FILTER, .count = length, .instructions = (uintptr_t)program, .license = (uintptr_t)"GPL"
	};

	return CALL(SYS_BPF, PROG_LOAD, &load, sizeof(load));
}

static void run(const struct shape *shape, long file, unsigned int bytes, uint64_t from)
{
	static uint8_t data[DATA_LONG];
	struct test_run test = { .file = (uint32_t)file, .in_bytes = bytes, .in = (uintptr_t)data };
	long error = CALL(SYS_BPF, PROG_TEST_RUN, &test, sizeof(test));
	uint32_t wanted = (uint32_t)(swapped(from, shape) >> (shape->upper ? 32 : 0));

	if (error)
		wrong(shape, " could not be run: error ", (uint64_t)-error, 0);
	else if (test.result != wanted)
		wrong(shape, " returned ", test.result, wanted);
}

static void check(const struct shape *shape)
{
	uint32_t bytes;
	long file;

	make(shape);
	file = load_program();
	if (file < 0 && shape->swap == SWAP_ALWAYS && kernel_lacks_v4) {
		refused++;
		return;
	}
	if (file < 0) {
		wrong(shape, " could not be loaded: error ", (uint64_t)-file, 0);
		return;
	}
	bytes = tell_program(file, name_of(shape));
	if (!bytes)
		wrong(shape, " was not compiled by the JIT: bytes ", 0, 1);
	run(shape, file, DATA_SHORT, loaded(shape));
	if (shape->jumped_to)
		run(shape, file, DATA_LONG, pattern);
	if (!shape->upper) {
		say(OUT, "code ");
		tell(shape);
		say(OUT, ": ");
		say_number(OUT, bytes / 4);
		say(OUT, "\n");
	}
	(void)CALL(SYS_CLOSE, file);
}

/* Moves so many bits with their sign, which is set, adds one, and returns the upper half: all of it is the sign. */
static void check_sign(int bits)
{
	static uint8_t data[DATA_SHORT];
	struct test_run test = { .in_bytes = sizeof(data), .in = (uintptr_t)data };
	long file;

	length = 0;
	add_constant(5, pattern);
	add(MOVE, 0, 5, (int16_t)bits, 0);
	add(ADD_VALUE, 0, 0, 0, 1);
	add(SHIFT_RIGHT, 0, 0, 0, 32);
	add(EXIT, 0, 0, 0, 0);
	file = load_program();
	test.file = (uint32_t)file;
	if (file < 0 || !tell_program(file, "") || CALL(SYS_BPF, PROG_TEST_RUN, &test, sizeof(test)) || ~test.result) {
		failures++;
		say(OUT, "bpfcheck: wrong: the sign of ");
		say_number(OUT, (uint64_t)bits);
		say(OUT, " bits, moved and added to, has the upper half ");
		say_number(OUT, test.result);
		say(OUT, "\n");
	}
	(void)CALL(SYS_CLOSE, file);
}

static bool asked_for(const uintptr_t *stack, const char *swap)
{
	bool asked = stack[0] < 2;

	for (uintptr_t i = 1; i < stack[0]; i++)
		asked |= text_equal((const char *)stack[1 + i], swap);
	return asked;
}

_Noreturn void assay_main(uintptr_t *stack)
{
	static const uint8_t swaps[] = { SWAP_BE, SWAP_LE, SWAP_ALWAYS };
	unsigned int shapes = 0;

	kernel_lacks_v4 = lacks_v4();
	for (int bits = 8; bits <= 32 && stack[0] < 2 && !kernel_lacks_v4; bits *= 2)
		check_sign(bits);
	for (unsigned int bits = 16; bits <= 64; bits *= 2) {
		for (unsigned int swap = 0; swap < 3; swap++) {
			if (!asked_for(stack, swap_name(swaps[swap])))
				continue;
			/* 0: at the pointer, without a displacement; then each displacement that the alignment allows. */
			for (int offset = 0; offset <= 9; offset += offset ? (int)bits / 8 : 1) {
				for (unsigned int rest = 0; rest < 8; rest++, shapes++) {
					struct shape shape = { bits, swaps[swap], offset, rest & 1, rest >> 1 & 1, rest >> 2 };

					check(&shape);
				}
			}
		}
	}
	failures += !shapes; /* no argument names a swap */
	say(OUT, failures ? "bpfcheck: programs are wrong; shapes of swaps: " : "bpfcheck: all swaps are right, shapes: ");
	say_number(OUT, shapes);
	if (refused) {
		say(OUT, ", refused by a kernel that has no bswap: ");
		say_number(OUT, refused);
	}
	say(OUT, "\n");
	leave(failures != 0);
}
