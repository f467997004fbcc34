/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A plugin for bpf_conformance (https://github.com/Alan-Jowett/bpf_conformance), for each architecture, without a libc.
 *
 *	plugin [MEMORY] [--jit | --interpret] [--program HEX] [--batch] [--emit ARCH|host] [--swap KIND]
 *	       [--fuse | --no-fuse] [--budget N] [--bounds] [--code HEX]
 *
 * The program is one line of hex on standard input, MEMORY is hex too; blanks between bytes are allowed. r0 is printed
 * in hex. Exit status: 0, 1 if the program was refused or stopped, 2 for wrong usage; the reason goes to standard error.
 *
 * With --batch, every line of standard input is a program, or a program, a comma and its memory; for each a line is
 * printed: r0, or "error:" and why. With --emit, the code generated for the oldest CPU of ARCH is printed in hex instead
 * of running it; with --emit host, the code for this machine with all that its CPU can do.
 *
 * With --jit, --code is machine code to run instead of code generated here: the output of --emit on another machine.
 *
 * Compiled code is entered by the test runner's checked call (host/checked.h): code that loses a register that C
 * preserves, or the stack, ends the plugin with status 1 and a line "failure: ..." on standard output.
 *
 * The suite always assembles for a little-endian machine, so the bytecode is read as little-endian whatever this machine
 * is: ebpf_load swaps the fields, memory stays as it is.
 */
#include "bytecode.h"
#include "host/checked.h"
#include "host/linux.h"
#include "internal.h"

#define INPUT_BYTES_MAX (64u << 20)
#define UNWIND_HELPER 5

struct request {
	const char *memory;
	const char *program;
	const char *code;
	bool batch;
	bool emit;
	enum ebpf_engine engine;
	struct ebpf_target target;
	struct ebpf_options options;
};

static int usage(const char *what, const char *which)
{
	linux_write(2, "plugin: ");
	linux_write(2, what);
	linux_write(2, which);
	linux_write(2, "\nusage: plugin [MEMORY] [--jit | --interpret] [--program HEX] [--batch] [--emit ARCH|host]\n"
		       "              [--swap auto|memory|register|vector|isa31] [--fuse | --no-fuse] [--budget N] [--bounds]\n"
		       "              [--code HEX]\n");
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

struct bytes {
	uint8_t *at; /* NULL if the text was not pairs of hex digits */
	size_t count;
	size_t mapped;
};

static struct bytes parse_hex(const char *text)
{
	struct bytes bytes = { .mapped = linux_strlen(text) / 2 + 1 };

	bytes.at = linux_map(bytes.mapped);
	for (; bytes.at && *text; text++) {
		int high, low;

		if (is_blank(*text))
			continue;
		high = hex_digit(text[0]);
		low = high < 0 ? -1 : hex_digit(text[1]);
		if (low < 0) {
			linux_unmap(bytes.at, bytes.mapped);
			return (struct bytes){ NULL, 0, 0 };
		}
		bytes.at[bytes.count++] = (uint8_t)(high << 4 | low);
		text++;
	}
	return bytes;
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

/* Another machine's feature bits mean something else there: for ARCH they are those of its oldest CPU, none. */
static void emit_for(struct request *request, const char *arch)
{
	request->emit = true;
	request->target.arch = linux_same(arch, "host") ? NULL : arch;
	request->target.features = request->target.arch ? 0 : ebpf_host_features();
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
	} else if (linux_same(option, "--batch")) {
		request->batch = true;
	} else {
		*taken = 2;
		if (linux_same(option, "--program") && value)
			request->program = value;
		else if (linux_same(option, "--emit") && value)
			emit_for(request, value);
		else if (linux_same(option, "--code") && value)
			request->code = value;
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
	checked_helper();
	return r1;
}

static enum ebpf_status print_code(struct ebpf_vm *vm, const struct ebpf_target *target)
{
	size_t bytes = 0, i;
	enum ebpf_status status = ebpf_emit(vm, target, NULL, &bytes);
	uint8_t *code;
	char text[8];

	if (status != EBPF_ERROR_BUFFER)
		return status;
	code = linux_map(bytes);
	status = code ? ebpf_emit(vm, target, code, &bytes) : EBPF_ERROR_MEMORY;
	for (i = 0; !status && i < bytes; i++) {
		ebpf_format(text, sizeof(text), "%x", 0x100u | code[i]);
		linux_write(1, text + 3);
	}
	linux_write(1, "\n");
	return status;
}

/* Prints r0 or the code; if there is none, an error goes to `errors`, and false is returned. */
static bool answer(struct ebpf_vm *vm, const struct request *request, struct bytes program, struct bytes memory, int errors)
{
	enum ebpf_status status = ebpf_load(vm, program.at, program.count, EBPF_LITTLE_ENDIAN);
	uint64_t r0 = 0;
	char text[32];

	if (!status)
		status = ebpf_verify(vm);
	if (!status && request->emit) {
		status = print_code(vm, &request->target);
	} else {
		if (!status && request->engine == EBPF_COMPILED)
			status = ebpf_compile(vm, &request->target);
		if (!status)
			status = ebpf_run(vm, request->engine, memory.count ? memory.at : NULL, memory.count, &r0);
		ebpf_format(text, sizeof(text), "%X\n", r0);
		if (!status)
			linux_write(1, text + 2);
	}
	if (!status)
		return true;
	linux_write(errors, errors == 1 ? "error: " : "plugin: ");
	linux_write(errors, ebpf_status_name(status));
	linux_write(errors, ": ");
	linux_write(errors, ebpf_message(vm));
	linux_write(errors, "\n");
	return false;
}

static int answer_text(struct ebpf_vm *vm, const struct request *request, const char *program, const char *memory, int errors)
{
	struct bytes code = parse_hex(program), data = parse_hex(memory);
	int status;

	if (code.at && data.at)
		status = answer(vm, request, code, data, errors) ? 0 : 1;
	else
		status = usage("program and memory have to be hex bytes", "");
	if (code.at)
		linux_unmap(code.at, code.mapped);
	if (data.at)
		linux_unmap(data.at, data.mapped);
	return status;
}

/* The lines of `text`, which is cut up for it. */
static int answer_batch(struct ebpf_vm *vm, const struct request *request, char *text)
{
	int status = 0;

	while (*text && status != 2) {
		char *line = text, *memory = NULL;

		for (; *text && *text != '\n'; text++) {
			if (*text == ',') {
				*text = 0;
				memory = text + 1;
			}
		}
		if (*text)
			*text++ = 0;
		status = answer_text(vm, request, line, memory ? memory : "", 1);
	}
	return status == 2 ? 2 : 0;
}

/* The code of --code takes the place of what was compiled; `context` says where it is. */
static uint64_t enter_given(void *context, const void *code, size_t bytes, struct ebpf_frame *frame)
{
	const struct bytes *given = context;

	(void)code, (void)bytes;
	return ebpf_host_platform.enter_code(NULL, given->at, given->count, frame);
}

/* False if the text is not machine code; the platform is unchanged then. */
static bool give_code(struct ebpf_platform *platform, struct bytes *given, const char *text)
{
	*given = parse_hex(text);
	if (!given->count || !platform->protect_code(platform->context, given->at, given->mapped))
		return false;
	platform->context = given;
	platform->enter_code = enter_given;
	return true;
}

int linux_main(int argc, char **argv)
{
	struct request request = { .engine = EBPF_INTERPRETER, .target = { .features = ebpf_host_features() } };
	struct ebpf_platform platform = ebpf_host_platform;
	struct bytes code;
	struct ebpf_vm *vm;
	char *input = NULL;
	int i = 1, taken, status;

	if (i < argc && argv[i][0] != '-')
		request.memory = argv[i++];
	for (; i < argc; i += taken) {
		status = parse_option(&request, argv[i], i + 1 < argc ? argv[i + 1] : NULL, &taken);
		if (status)
			return status;
	}
	if (!request.program) {
		input = read_input();
		if (!input)
			return usage("cannot read the program from standard input", "");
	}
	if (request.code && !give_code(&platform, &code, request.code))
		return usage("the machine code has to be hex bytes", "");
	vm = ebpf_create(&platform, &request.options);
	if (!vm || ebpf_register_helper(vm, UNWIND_HELPER, unwind, EBPF_HELPER_UNWIND))
		return usage("no memory", "");
	if (request.batch && input)
		status = answer_batch(vm, &request, input);
	else
		status = answer_text(vm, &request, input ? input : request.program, request.memory ? request.memory : "", 2);
	ebpf_destroy(vm);
	return status;
}
