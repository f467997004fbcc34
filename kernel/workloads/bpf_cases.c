/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the cases of bpf_conformance: lines of tab-separated fields, which bpf_conformance.c describes. */
#include "bpf_cases.h"

enum { CASES_BYTES_MAX = 1 << 20, FIELDS = 6 };

static char text[CASES_BYTES_MAX];
static char *next = text;

_Noreturn void give_up(const char *what, const char *which)
{
	say(ERRORS, "bpf_conformance: ");
	say(ERRORS, what);
	say(ERRORS, which);
	say(ERRORS, "\n");
	leave(2);
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Returns the number of bytes, or -1 if the text is no hex or too long. */
static long parse_bytes(const char *text, uint8_t *bytes, size_t room)
{
	size_t count = 0;

	if (text_equal(text, "-"))
		return 0;
	for (; text[0]; text += 2, count++) {
		if (count == room || hex_digit(text[0]) < 0 || hex_digit(text[1]) < 0)
			return -1;
		bytes[count] = (uint8_t)(hex_digit(text[0]) << 4 | hex_digit(text[1]));
	}
	return (long)count;
}

/* The suite's instructions have the layout of a little-endian machine. */
static struct instruction instruction(const uint8_t *bytes)
{
	return (struct instruction){ .code = bytes[0],
				     .to = bytes[1] & 15,
				     .from = bytes[1] >> 4,
				     .offset = (int16_t)(bytes[2] | bytes[3] << 8),
				     .value = (int32_t)((uint32_t)bytes[4] | (uint32_t)bytes[5] << 8 |
							(uint32_t)bytes[6] << 16 | (uint32_t)bytes[7] << 24) };
}

static void parse(char *line, struct suite_case *test)
{
	static uint8_t bytes[PROGRAM_MAX * 8];
	const char *fields[FIELDS] = { line, "", "", "", "", "" };
	int count = 1;
	long length;

	for (; *line; line++) {
		if (*line == '\t') {
			*line = 0;
			if (count < FIELDS)
				fields[count] = line + 1;
			count++;
		}
	}
	test->name = fields[0];
	length = parse_bytes(fields[1], bytes, sizeof(bytes));
	if (count != FIELDS || length <= 0 || length % 8)
		give_up("not a case: ", test->name);
	test->length = (unsigned int)length / 8;
	for (unsigned int i = 0; i < test->length; i++)
		test->program[i] = instruction(bytes + 8 * i);
	length = parse_bytes(fields[2], test->memory, sizeof(test->memory));
	if (length < 0)
		give_up("the memory is no hex or too long: ", test->name);
	test->memory_bytes = (unsigned int)length;
	test->result = 0;
	for (const char *at = fields[3]; *at; at++)
		test->result = test->result << 4 | (uint64_t)hex_digit(*at);
	test->refusals[OPTIMISED] = fields[4];
	test->refusals[KEPT] = fields[5];
}

void open_cases(const char *path)
{
	long file = CALL(SYS_OPENAT, AT_FDCWD, path, 0), got = file < 0 ? file : 1;
	size_t have = 0;

	while (got > 0 && have < sizeof(text) - 1) {
		got = CALL(SYS_READ, file, text + have, sizeof(text) - 1 - have);
		have += got > 0 ? (size_t)got : 0;
	}
	if (got || !have)
		give_up("cannot be read, is empty, or is longer than 1 MiB: ", path);
}

bool next_case(struct suite_case *test)
{
	char *line = next;

	if (!*line)
		return false;
	while (*next && *next != '\n')
		next++;
	if (*next)
		*next++ = 0;
	parse(line, test);
	return true;
}
