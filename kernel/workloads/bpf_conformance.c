/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bpf_conformance in a booted kernel: the programs of the public suite, compiled by its JIT, and r0 of each.
 *
 *     bpf_conformance CASES
 *
 * CASES has one line per program, with tab-separated fields: its name, the program and its memory in hex (- for none),
 * r0 in hex, and the verifier's message in each of the two ways, or - if the verifier has to accept the program.
 * crates/kernel/src/conformance.rs writes it.
 *
 * A program of the suite expects a pointer to its memory in r1 and the length of that in r2, and returns 64 bits in r0;
 * the kernel passes a context and takes 32 bits. So the memory is the value of a map, whose size the verifier knows and
 * whose address a program may load, and each exit of the main function becomes a jump to an epilogue that stores r0
 * into a second map. Nothing else of the program is changed. The epilogue precedes the program, so the calls and jumps
 * within the program keep their offsets.
 *
 * The two ways differ in the capabilities of the loader:
 *   optimised  with CAP_BPF: the verifier removes each branch whose outcome it knows, so the JIT sees few branches of these
 *              programs, which work on constants; local calls and loops are allowed
 *   kept       with CAP_PERFMON alone: no branch is removed, and neither local calls nor loops are allowed
 *
 * A kernel before 6.6 has to refuse programs with instructions that it lacks, with any message.
 *
 * Freestanding: runner/freestanding.h.
 */
#include "bpf_cases.h"

/* At this level the log has the reason why a program is refused, but not the state of each step. */
enum { LOG_SUMMARY = 4, LOG_BYTES = 1 << 16 };

/* Opcodes. */
enum {
	LOAD_IMMEDIATE = 0x18,
	STORE_DOUBLE = 0x7b,
	MOVE_VALUE = 0xb7,
	JUMP = 0x05,
	CALL_FUNCTION = 0x85,
	EXIT = 0x95,
	CLASS_JUMP = 5,
	CLASS_JUMP_32 = 6,
};
/* Values of `from` in LOAD_IMMEDIATE and CALL_FUNCTION. */
enum { ADDRESS_IN_MAP = 2, LOCAL = 1 };
/* What precedes the program: a jump over the epilogue, the epilogue, and the loads of r1 and r2. */
enum { AT_END = 1, END = 5, BEGIN_MAX = 3, AROUND_MAX = AT_END + END + BEGIN_MAX };

static const char *const way_names[WAYS] = { "optimised", "kept" };

static struct instruction wrapped[PROGRAM_MAX + AROUND_MAX];
static unsigned int wrapped_length;
static char verifier_log[LOG_BYTES];
static uint64_t right, wrong, refused, jumps_left[WAYS];
static long result_map;
static bool kernel_lacks_v4;

/* ------------------------------------------------------------------ what is said */

static void say_hex(uint64_t value)
{
	char text[18] = "0x", *at = text + 2;
	int digits = 1;

	while (digits < 16 && value >> 4 * digits)
		digits++;
	while (digits--)
		*at++ = "0123456789abcdef"[value >> 4 * digits & 15];
	(void)CALL(ASSAY_SYS_WRITE, OUT, text, at - text);
}

static void begin_line(const char *what, const struct suite_case *test, enum way way)
{
	say(OUT, "bpf_conformance: ");
	say(OUT, what);
	say(OUT, ": ");
	say(OUT, test->name);
	say(OUT, ", ");
	say(OUT, way_names[way]);
	say(OUT, ": ");
}

static void tell_wrong(const struct suite_case *test, enum way way, const char *what, const char *more)
{
	wrong++;
	begin_line("wrong", test, way);
	say(OUT, what);
	say(OUT, more);
	say(OUT, "\n");
}

/* ------------------------------------------------------------------ the case around the program */

static void add(uint8_t code, uint8_t to, uint8_t from, int16_t offset, int32_t value)
{
	wrapped[wrapped_length++] =
		(struct instruction){ .code = code, .to = to, .from = from, .offset = offset, .value = value };
}

static void add_address(uint8_t to, long map)
{
	add(LOAD_IMMEDIATE, to, ADDRESS_IN_MAP, 0, (int32_t)map);
	add(0, 0, 0, 0, 0);
}

/* Where the first local function begins, which is where the main function ends. */
static unsigned int main_length(const struct suite_case *test)
{
	unsigned int end = test->length;

	for (unsigned int i = 0; i < test->length; i++) {
		const struct instruction *at = &test->program[i];

		if (at->code == LOAD_IMMEDIATE)
			i++;
		else if (at->code == CALL_FUNCTION && at->from == LOCAL && (unsigned int)(at->value + (int)i + 1) < end)
			end = (unsigned int)(at->value + (int)i + 1);
	}
	return end;
}

static void wrap(const struct suite_case *test, long memory_map)
{
	unsigned int main_end = main_length(test);

	wrapped_length = 0;
	add(JUMP, 0, 0, END, 0);
	add_address(1, result_map);
	add(STORE_DOUBLE, 1, 0, 0, 0);
	add(MOVE_VALUE, 0, 0, 0, 0);
	add(EXIT, 0, 0, 0, 0);
	if (test->memory_bytes)
		add_address(1, memory_map);
	else
		add(MOVE_VALUE, 1, 0, 0, 0);
	add(MOVE_VALUE, 2, 0, 0, (int32_t)test->memory_bytes);
	for (unsigned int i = 0; i < test->length; i++) {
		const struct instruction *at = &test->program[i];

		if (at->code == EXIT && i < main_end) {
			add(JUMP, 0, 0, (int16_t)(AT_END - (int)wrapped_length - 1), 0);
			continue;
		}
		wrapped[wrapped_length++] = *at;
		if (at->code == LOAD_IMMEDIATE && i + 1 < test->length)
			wrapped[wrapped_length++] = test->program[++i];
	}
}

/* ------------------------------------------------------------------ maps and capabilities */

static long new_map(unsigned int bytes)
{
	struct map map = { .type = MAP_ARRAY, .key_bytes = 4, .value_bytes = bytes, .entries = 1 };

	return CALL(SYS_BPF, MAP_CREATE, &map, sizeof(map));
}

static long at_element(int command, long map, void *value)
{
	static const uint32_t first;
	struct map_element element = { .file = (uint32_t)map, .key = (uintptr_t)&first, .value = (uintptr_t)value };

	return CALL(SYS_BPF, command, &element, sizeof(element));
}

/* capset(2): CAP_PERFMON alone, or everything. Only the effective set changes, so this can be undone. */
static void allow(enum way way)
{
	static const struct {
		uint32_t version;
		int32_t process;
	} header = { 0x20080522, 0 };
	struct {
		uint32_t effective, permitted, inheritable;
	} sets[2] = { { ~0u, ~0u, 0 }, { 0x1ff, 0x1ff, 0 } };

	if (way == KEPT) {
		sets[0].effective = 0;
		sets[1].effective = 1 << (38 - 32);
	}
	if (CALL(SYS_CAPSET, &header, sets) < 0)
		give_up("capset failed for: ", way_names[way]);
}

/* ------------------------------------------------------------------ one way of one case */

static long load_wrapped(enum way way)
{
	struct load load = { .type = SOCKET_FILTER,
			     .count = wrapped_length,
			     .instructions = (uintptr_t)wrapped,
			     .license = (uintptr_t)"GPL",
			     .log_level = LOG_SUMMARY,
			     .log_size = sizeof(verifier_log),
			     .log = (uintptr_t)verifier_log,
			     .flags = way == OPTIMISED ? ANY_ALIGNMENT : 0 };
	long file;

	verifier_log[0] = 0;
	allow(way);
	file = CALL(SYS_BPF, PROG_LOAD, &load, sizeof(load));
	allow(OPTIMISED);
	for (char *at = verifier_log; *at; at++) {
		if (*at == '\n' || *at == '\t')
			*at = 0;
	}
	return file;
}

static bool is_too_young(const struct suite_case *test)
{
	for (unsigned int i = 0; kernel_lacks_v4 && i < test->length; i++) {
		if (is_of_v4(&test->program[i]))
			return true;
		if (test->program[i].code == LOAD_IMMEDIATE)
			i++;
	}
	return false;
}

static void take_refusal(const struct suite_case *test, enum way way, long error)
{
	const char *wanted = test->refusals[way];

	if (!verifier_log[0])
		put_number(put_text(verifier_log, "error "), (uint64_t)-error)[0] = 0;
	if (!text_equal(wanted, verifier_log) && !is_too_young(test)) {
		tell_wrong(test, way, text_equal(wanted, "-") ? "refused: " : "refused, and not as listed: ", verifier_log);
		return;
	}
	refused++;
	begin_line("refused", test, way);
	say(OUT, verifier_log);
	say(OUT, "\n");
}

/* Whether the JIT compiled the program; counts the conditional jumps that the verifier has left in it. */
static bool compiled(long file, enum way way)
{
	static struct instruction checked[2 * (PROGRAM_MAX + AROUND_MAX)];
	struct program_info information = { .checked_bytes = sizeof(checked), .checked = (uintptr_t)checked };
	struct info info = { .file = (uint32_t)file, .bytes = sizeof(information), .to = (uintptr_t)&information };

	if (CALL(SYS_BPF, OBJ_GET_INFO, &info, sizeof(info)) || !information.compiled_bytes)
		return false;
	for (unsigned int i = 0; i < information.checked_bytes / sizeof(checked[0]); i++) {
		uint8_t class = checked[i].code & 7, operation = checked[i].code >> 4;

		/* 0 is the jump that is always taken, 8 and 9 are call and exit. */
		if ((class == CLASS_JUMP || class == CLASS_JUMP_32) && operation && operation != 8 && operation != 9)
			jumps_left[way]++;
	}
	return true;
}

static void run(const struct suite_case *test, enum way way, long file, long memory_map)
{
	static uint8_t packet[64], memory[MEMORY_BYTES_MAX];
	struct test_run order = { .file = (uint32_t)file, .in_bytes = sizeof(packet), .in = (uintptr_t)packet };
	uint64_t r0 = ~test->result;

	/*
	 * The memory is copied because at_element() takes no const pointer; the kernel only reads it. r0 starts as a
	 * wrong result, which a program has to overwrite.
	 */
	memcpy(memory, test->memory, test->memory_bytes);
	if (at_element(MAP_UPDATE, result_map, &r0) || (memory_map >= 0 && at_element(MAP_UPDATE, memory_map, memory)))
		give_up("a map cannot be written: ", test->name);
	if (CALL(SYS_BPF, PROG_TEST_RUN, &order, sizeof(order)) || at_element(MAP_LOOKUP, result_map, &r0)) {
		tell_wrong(test, way, "could not be run", "");
	} else if (r0 == test->result) {
		right++;
	} else {
		wrong++;
		begin_line("wrong", test, way);
		say(OUT, "r0 is ");
		say_hex(r0);
		say(OUT, ", not ");
		say_hex(test->result);
		say(OUT, "\n");
	}
}

static void check(const struct suite_case *test, enum way way)
{
	long memory_map = test->memory_bytes ? new_map(test->memory_bytes) : -1, file;

	if (test->memory_bytes && memory_map < 0)
		give_up("there is no map for: ", test->name);
	wrap(test, memory_map);
	file = load_wrapped(way);
	if (file < 0) {
		take_refusal(test, way, file);
	} else {
		if (!compiled(file, way)) {
			/* The interpreter would run it, which is not what is tested. */
			put_text(verifier_log, "not compiled by the JIT")[0] = 0;
			take_refusal(test, way, 0);
		} else if (is_too_young(test)) {
			tell_wrong(test, way, "taken, by a kernel that lacks an instruction of it", "");
		} else if (!text_equal(test->refusals[way], "-")) {
			tell_wrong(test, way, "taken, and is listed as refused: ", test->refusals[way]);
		} else {
			run(test, way, file, memory_map);
		}
		(void)CALL(SYS_CLOSE, file);
	}
	if (memory_map >= 0)
		(void)CALL(SYS_CLOSE, memory_map);
}

/* Without CAP_BPF no program may be loaded unless this is 0. */
static void let_everybody_load(void)
{
	long file = CALL(SYS_OPENAT, AT_FDCWD, "/proc/sys/kernel/unprivileged_bpf_disabled", 1);

	if (file < 0 || CALL(ASSAY_SYS_WRITE, file, "0", 1) != 1)
		give_up("cannot be set to 0: ", "/proc/sys/kernel/unprivileged_bpf_disabled");
	(void)CALL(SYS_CLOSE, file);
}

_Noreturn void assay_main(uintptr_t *stack)
{
	static struct suite_case test;

	if (stack[0] != 2)
		give_up("usage: bpf_conformance CASES", "");
	open_cases((const char *)stack[2]);
	kernel_lacks_v4 = lacks_v4();
	let_everybody_load();
	result_map = new_map(sizeof(uint64_t));
	if (result_map < 0)
		give_up("there is no map for results", "");
	while (next_case(&test)) {
		for (enum way way = 0; way < WAYS; way++)
			check(&test, way);
	}
	if (jumps_left[KEPT] <= jumps_left[OPTIMISED]) {
		wrong++;
		say(OUT, "bpf_conformance: wrong: all, kept: the verifier has removed branches\n");
	}
	say(OUT, "bpf_conformance: right ");
	say_number(OUT, right);
	say(OUT, ", refused as listed ");
	say_number(OUT, refused);
	say(OUT, ", wrong ");
	say_number(OUT, wrong);
	say(OUT, "; conditional jumps compiled: optimised ");
	say_number(OUT, jumps_left[OPTIMISED]);
	say(OUT, ", kept ");
	say_number(OUT, jumps_left[KEPT]);
	say(OUT, "\n");
	leave(wrong != 0);
}
