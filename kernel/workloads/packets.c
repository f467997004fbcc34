/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The packet programs of libs/ebpf in a booted kernel, for traces of the code that its JIT makes.
 *
 *     packets ROUNDS PROGRAM...
 *
 * /assay/packets/PROGRAM is written by crates/kernel/src/packets.rs: a packet before and after, the program's return
 * value, and its bytecode. The programs expect a packet in r1 and its length in r2, which the kernel passes to no type
 * of program; so the packet is in the value of a map, and instructions before the program load its address and length.
 * The length is read from the map as well: if the verifier knew the length, it would remove the checks. Prints the
 * length of each program's JIT code; a wrong result, a packet that is not changed as in user mode and a program that
 * the JIT did not compile are failures.
 *
 * Freestanding: runner/freestanding.h.
 */
#include "code_at.h"

#include "bpf.h"

enum { PACKET_BYTES = 64, PROGRAM_MAX = 256 };

/* Room for the largest offset that the verifier assumes: 18 bytes, a header of 60 and one of 20 from the packet's start. */
enum { ROOM_BYTES = 128 };

struct packet_file {
	uint8_t before[PACKET_BYTES], after[PACKET_BYTES];
	uint64_t result;
	struct instruction program[PROGRAM_MAX];
};

struct value {
	uint64_t bytes;
	uint8_t packet[ROOM_BYTES];
};

/* Opcodes, the `from` of a map value's address, and the number of instructions before the program. */
enum { LOAD_IMMEDIATE = 0x18, LOAD_DOUBLE = 0x79, AND_VALUE = 0x57, ADD_VALUE = 0x07, ADDRESS_IN_MAP = 2, BEGIN = 5 };

static bool failed(const char *name, const char *what)
{
	say(OUT, "packets: wrong: ");
	say(OUT, name);
	say(OUT, what);
	say(OUT, "\n");
	return false;
}

static bool same(const uint8_t *a, const uint8_t *b)
{
	for (int i = 0; i < PACKET_BYTES; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

static long read_file(const char *name, struct packet_file *packet)
{
	char path[100], *end;
	long file, have = 0, got = 1;

	if (text_length(name) > 15)
		return -1;
	end = put_text(put_text(path, "/assay/packets/"), name);
	*end = 0;
	file = CALL(SYS_OPENAT, AT_FDCWD, path, 0);
	while (file >= 0 && got > 0) {
		got = CALL(SYS_READ, file, (char *)packet + have, (long)sizeof(*packet) - have);
		have += got > 0 ? got : 0;
	}
	(void)CALL(SYS_CLOSE, file);
	return (have - (long)offsetof(struct packet_file, program)) / (long)sizeof(struct instruction);
}

static long make_map(void)
{
	struct map map = { .type = MAP_ARRAY, .key_bytes = 4, .value_bytes = sizeof(struct value), .entries = 1 };

	return CALL(SYS_BPF, MAP_CREATE, &map, sizeof(map));
}

static long load_program(long map, const struct packet_file *packet, unsigned int length)
{
	static struct instruction program[BEGIN + PROGRAM_MAX];
	struct load load = { .type = SOCKET_FILTER,
			     .count = BEGIN + length,
			     .instructions = (uintptr_t)program,
			     .license = (uintptr_t)"GPL",
			     .flags = ANY_ALIGNMENT };

	program[0] = (struct instruction){ .code = LOAD_IMMEDIATE, .to = 1, .from = ADDRESS_IN_MAP, .value = (int32_t)map };
	program[1] = (struct instruction){ 0 };
	program[2] = (struct instruction){ .code = LOAD_DOUBLE, .to = 2, .from = 1 };
	program[3] = (struct instruction){ .code = AND_VALUE, .to = 2, .value = ROOM_BYTES - 1 };
	program[4] = (struct instruction){ .code = ADD_VALUE, .to = 1, .value = offsetof(struct value, packet) };
	memcpy(program + BEGIN, packet->program, length * sizeof(program[0]));
	return CALL(SYS_BPF, PROG_LOAD, &load, sizeof(load));
}

static bool run(const char *name, long map, long program, const struct packet_file *packet)
{
	static uint8_t frame[PACKET_BYTES];
	struct value value = { .bytes = PACKET_BYTES };
	uint32_t key = 0;
	struct map_element element = { .file = (uint32_t)map, .key = (uintptr_t)&key, .value = (uintptr_t)&value };
	struct test_run test = { .file = (uint32_t)program, .in_bytes = PACKET_BYTES, .in = (uintptr_t)frame };

	memcpy(value.packet, packet->before, PACKET_BYTES);
	if (CALL(SYS_BPF, MAP_UPDATE, &element, sizeof(element)) || CALL(SYS_BPF, PROG_TEST_RUN, &test, sizeof(test)) ||
	    CALL(SYS_BPF, MAP_LOOKUP, &element, sizeof(element)))
		return failed(name, " could not be run");
	if (test.result != (uint32_t)packet->result)
		return failed(name, " returned something else");
	if (!same(value.packet, packet->after))
		return failed(name, " left another packet");
	return true;
}

static bool try_program(const char *name, uint64_t rounds)
{
	static struct packet_file packet;
	long length = read_file(name, &packet), map = make_map(), program;
	uint32_t bytes;

	if (length <= 0 || length == PROGRAM_MAX || map < 0)
		return failed(name, " has no file here, or there is no map");
	program = load_program(map, &packet, (unsigned int)length);
	if (program < 0)
		return failed(name, " was refused");
	bytes = tell_program(program, name);
	if (!bytes)
		return failed(name, " was not compiled by the JIT");
	while (rounds--)
		if (!run(name, map, program, &packet))
			return false;
	say(OUT, "code ");
	say(OUT, name);
	say(OUT, ": ");
	say_number(OUT, bytes);
	say(OUT, " bytes\n");
	return true;
}

_Noreturn void assay_main(uintptr_t *stack)
{
	char **words = (char **)(stack + 1);
	uint64_t rounds = 0;
	bool right = *stack > 2;

	if (!right)
		say(ERRORS, "usage: packets ROUNDS PROGRAM...\n");
	for (const char *digit = right ? words[1] : ""; *digit >= '0' && *digit <= '9'; digit++)
		rounds = rounds * 10 + (uint64_t)(*digit - '0');
	for (uintptr_t i = 2; i < *stack; i++)
		right = try_program(words[i], rounds) && right;
	leave(!right);
}
