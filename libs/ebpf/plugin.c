/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A plugin for bpf_conformance (https://github.com/Alan-Jowett/bpf_conformance), for each architecture, without a libc.
 *
 *	plugin [MEMORY] [--jit | --interpret] [--program HEX] [--swap KIND] [--fuse | --no-fuse] [--budget N] [--bounds]
 *
 * The program is one line of hex on standard input, MEMORY is hex too; blanks between bytes are allowed. r0 is printed
 * in hex. Exit status: 0, 1 if the program was refused or stopped, 2 for wrong usage; the reason goes to standard error.
 *
 * The suite assembles for a little-endian machine and never tells the plugin otherwise, so the bytecode is read as
 * little-endian whatever this machine is: ebpf_load turns the fields round, memory stays as it is.
 */
#include "bytecode.h"
#include "host/linux.h"
#include "internal.h"

#define INPUT_BYTES_MAX (4u << 20)
#define UNWIND_HELPER 5

struct request {
	const char *memory;
	const char *program;
	enum ebpf_engine engine;
	struct ebpf_target target;
	struct ebpf_options options;
};

static int usage(const char *what, const char *which)
{
	linux_write(2, "plugin: ");
	linux_write(2, what);
	linux_write(2, which);
	linux_write(2, "\nusage: plugin [MEMORY] [--jit | --interpret] [--program HEX] [--swap auto|memory|register|"
		       "vector|isa31] [--fuse | --no-fuse] [--budget N] [--bounds]\n");
	return 2;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Bytes written, or -1 if the text is not pairs of hex digits. */
static long parse_hex(const char *text, uint8_t *bytes)
{
	long count = 0;

	for (; *text; text++) {
		int high, low;

		if (is_blank(*text))
			continue;
		high = hex_digit(text[0]);
		low = high < 0 ? -1 : hex_digit(text[1]);
		if (low < 0)
			return -1;
		bytes[count++] = (uint8_t)(high << 4 | low);
		text++;
	}
	return count;
}

/* Standard input as a string; NULL if it is too long or cannot be read. */
static char *read_input(void)
{
	char *text = linux_map(INPUT_BYTES_MAX);
	size_t used = 0;
	long count;

	if (!text)
		return NULL;
	while ((count = linux_read(0, text + used, INPUT_BYTES_MAX - 1 - used)) > 0)
		used += (size_t)count;
	return count < 0 || used == INPUT_BYTES_MAX - 1 ? NULL : text;
}

static bool parse_number(const char *text, uint64_t *value)
{
	*value = 0;
	if (!*text)
		return false;
	for (; *text >= '0' && *text <= '9'; text++)
		*value = *value * 10 + (uint64_t)(*text - '0');
	return *text == 0;
}

static bool parse_swap(const char *text, enum ebpf_swap *swap)
{
	static const char *const names[] = { "auto", "memory", "register", "vector", "isa31" };
	unsigned i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (linux_same(text, names[i])) {
			*swap = (enum ebpf_swap)i;
			return true;
		}
	}
	return false;
}

static int parse_option(struct request *request, const char *option, const char *value, int *taken)
{
	*taken = 1;
	if (linux_same(option, "--jit")) {
		request->engine = EBPF_COMPILED;
	} else if (linux_same(option, "--interpret")) {
		request->engine = EBPF_INTERPRETER;
	} else if (linux_same(option, "--fuse")) {
		request->target.fusion = EBPF_FUSION_ON;
	} else if (linux_same(option, "--no-fuse")) {
		request->target.fusion = EBPF_FUSION_OFF;
	} else if (linux_same(option, "--bounds")) {
		request->options.bounds = true;
	} else {
		*taken = 2;
		if (linux_same(option, "--program") && value)
			request->program = value;
		else if (linux_same(option, "--budget") && value && parse_number(value, &request->options.budget_instructions))
			return 0;
		else if (!linux_same(option, "--swap") || !value || !parse_swap(value, &request->target.swap))
			return usage("cannot make sense of ", option);
	}
	return 0;
}

/* The suite's helper 5 returns its argument; if that is 0, the program ends. */
static uint64_t unwind(uint64_t r1, uint64_t r2, uint64_t r3, uint64_t r4, uint64_t r5, void *context)
{
	(void)r2, (void)r3, (void)r4, (void)r5, (void)context;
	return r1;
}

static int refused(struct ebpf_vm *vm, enum ebpf_status status)
{
	linux_write(2, "plugin: ");
	linux_write(2, ebpf_status_name(status));
	linux_write(2, ": ");
	linux_write(2, ebpf_message(vm));
	linux_write(2, "\n");
	return 1;
}

static int run(const struct request *request, const uint8_t *program, size_t program_bytes, void *memory,
	       size_t memory_bytes)
{
	struct ebpf_vm *vm = ebpf_create(&ebpf_host_platform, &request->options);
	enum ebpf_status status;
	uint64_t r0 = 0;
	char text[32];

	if (!vm)
		return usage("no memory", "");
	status = ebpf_register_helper(vm, UNWIND_HELPER, unwind, EBPF_HELPER_UNWIND);
	if (!status)
		status = ebpf_load(vm, program, program_bytes, EBPF_LITTLE_ENDIAN);
	if (!status)
		status = ebpf_verify(vm);
	if (!status && request->engine == EBPF_COMPILED)
		status = ebpf_compile(vm, &request->target);
	if (!status)
		status = ebpf_run(vm, request->engine, memory, memory_bytes, &r0);
	if (status)
		return refused(vm, status);
	ebpf_format(text, sizeof(text), "%X\n", r0);
	linux_write(1, text + 2);
	ebpf_destroy(vm);
	return 0;
}

int linux_main(int argc, char **argv, uint32_t features)
{
	struct request request = { .engine = EBPF_INTERPRETER, .target = { .features = features } };
	uint8_t *program, *memory = NULL;
	long program_bytes, memory_bytes = 0;
	int i = 1, taken, status;

	if (i < argc && argv[i][0] != '-')
		request.memory = argv[i++];
	for (; i < argc; i += taken) {
		status = parse_option(&request, argv[i], i + 1 < argc ? argv[i + 1] : NULL, &taken);
		if (status)
			return status;
	}
	if (!request.program)
		request.program = read_input();
	if (!request.program)
		return usage("cannot read the program from standard input", "");
	program = linux_map(linux_strlen(request.program) / 2 + 1);
	if (request.memory)
		memory = linux_map(linux_strlen(request.memory) / 2 + 1);
	if (!program || (request.memory && !memory))
		return usage("no memory", "");
	program_bytes = parse_hex(request.program, program);
	if (request.memory)
		memory_bytes = parse_hex(request.memory, memory);
	if (program_bytes < 0 || memory_bytes < 0)
		return usage("program and memory have to be hex bytes", "");
	return run(&request, program, (size_t)program_bytes, memory_bytes ? memory : NULL, (size_t)memory_bytes);
}
