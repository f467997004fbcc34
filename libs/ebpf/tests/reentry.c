/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests what helpers may do to the VM that runs them (register and remove regions, start runs within the run), what they
 * may not, arguments outside their enum, and frames made by the caller of generated code. Each program runs in the
 * interpreter and as compiled code.
 * Freestanding like plugin.c for QEMU, or hosted for the sanitizers (Makefile). Prints the checks that failed and their
 * number, which is the exit status, or "ok".
 */
#include "../bytecode.h"
#include "../host/host.h"

#if __STDC_HOSTED__
#include <stdio.h>
static void say(const char *text)
{
	fputs(text, stdout);
}
#else
#include "../host/linux.h"
static void say(const char *text)
{
	linux_write(1, text);
}
#endif

static int failures;
static const char *engine_name;

static void check(bool good, const char *what)
{
	if (good)
		return;
	failures++;
	say(engine_name);
	say(": ");
	say(what);
	say("\n");
}

/* Little-endian slots. */
#define INSN(opcode, dst, src, offset, imm) \
	(opcode), (uint8_t)((dst) | (src) << 4), (uint8_t)(offset), (uint8_t)((unsigned)(offset) >> 8), (uint8_t)(imm), \
		(uint8_t)((unsigned)(imm) >> 8), (uint8_t)((unsigned)(imm) >> 16), (uint8_t)((unsigned)(imm) >> 24)
#define CALL(number) INSN(BPF_OP_CALL, 0, 0, 0, number)
#define EXIT INSN(BPF_OP_EXIT, 0, 0, 0, 0)
#define MOV(dst, src) INSN(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0)
#define SET(dst, imm) INSN(BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, imm)
#define ADD(dst, src) INSN(BPF_ALU64 | BPF_ADD | BPF_X, dst, src, 0, 0)
#define ADD_CONSTANT(dst, imm) INSN(BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, imm)
#define LOAD(dst, src, offset) INSN(BPF_LDX | BPF_MEM | BPF_DW, dst, src, offset, 0)
#define STORE(dst, src, offset) INSN(BPF_STX | BPF_MEM | BPF_DW, dst, src, offset, 0)
#define ATOMIC_ADD(dst, src, offset) INSN(BPF_STX | BPF_ATOMIC | BPF_DW, dst, src, offset, BPF_ADD)
#define JUMP_NOT(dst, imm, offset) INSN(BPF_JMP | BPF_JNE | BPF_K, dst, 0, offset, imm)

enum { HELPER = 1, VALUES = 100 };

/* What the helper does, and what it works with. */
struct test {
	struct ebpf_vm *vm;
	enum ebpf_engine engine;
	uint64_t (*helper)(struct test *test, uint64_t r1, uint64_t r2);
	uint64_t values[VALUES];
	unsigned used;
	uint64_t inner[4];
	enum ebpf_status status;
	unsigned depth;
};

static uint64_t helper(uint64_t r1, uint64_t r2, uint64_t r3, uint64_t r4, uint64_t r5, void *context)
{
	struct test *test = context;

	(void)r3, (void)r4, (void)r5;
	return test->helper(test, r1, r2);
}

/* A verified program in a VM with bounds; compiled if that is the engine. */
static bool start(struct test *test, const uint8_t *bytecode, size_t bytes, uint64_t budget)
{
	struct ebpf_options options = { .bounds = true, .budget_instructions = budget, .helper_context = test };
	struct ebpf_target target = { .features = ebpf_host_features() };
	struct ebpf_platform platform = ebpf_host_platform;
	bool good;

	platform.enter_code = NULL; /* the checked call (host/checked.h) has one stack, which an inner run would overwrite */
	test->vm = ebpf_create(&platform, &options);
	good = test->vm && !ebpf_register_helper(test->vm, HELPER, helper, 0) &&
	       !ebpf_load(test->vm, bytecode, bytes, EBPF_LITTLE_ENDIAN) && !ebpf_verify(test->vm) &&
	       (test->engine == EBPF_INTERPRETER || !ebpf_compile(test->vm, &target));
	check(good, "a program could not be made ready");
	return good;
}

static bool mentions(const struct test *test, const char *part)
{
	const char *text = ebpf_message(test->vm), *a, *b;

	for (; *text; text++) {
		for (a = text, b = part; *b && *a == *b; a++, b++)
			;
		if (!*b)
			return true;
	}
	return false;
}

/* A map's lookup that makes the value: new memory, and a region for it. */
static uint64_t new_value(struct test *test, uint64_t r1, uint64_t r2)
{
	uint64_t *value = &test->values[test->used++];

	(void)r1, (void)r2;
	test->status = ebpf_register_region(test->vm, value, sizeof(*value));
	return (uint64_t)(uintptr_t)value;
}

/* 100 values, one after the other, each written at once, and the first again: the array of regions moves several times. */
static void regions_from_a_helper(struct test *test)
{
	/* clang-format off */
	static const uint8_t program[] = {
		SET(6, 0), MOV(8, 1),
		CALL(HELPER), ADD_CONSTANT(6, 1), STORE(0, 6, 0), JUMP_NOT(6, 1, 1), MOV(7, 0), LOAD(3, 8, 0), JUMP_NOT(6, VALUES, -7),
		LOAD(0, 7, 0), LOAD(3, 8, 0), ADD(0, 3), EXIT,
	};
	/* clang-format on */
	uint64_t context = 1000, r0 = 0, sum = 0;
	unsigned i;

	test->helper = new_value;
	if (!start(test, program, sizeof(program), 0))
		return;
	check(!ebpf_run(test->vm, test->engine, &context, sizeof(context), &r0) && r0 == 1001,
	      "a program could not use the regions that its helper registered");
	for (i = 0; i < VALUES; i++)
		sum += test->values[i];
	check(test->status == EBPF_OK && sum == VALUES * (VALUES + 1) / 2, "not all values were written");
	ebpf_destroy(test->vm);
}

/* Runs the program again, on a context of the helper's, as long as the depth in it is not 0. */
static uint64_t run_within(struct test *test, uint64_t depth, uint64_t outer_context)
{
	uint64_t context[2] = { depth - 1, outer_context }, r0 = 0;

	if (!depth)
		return 7;
	test->status = ebpf_run(test->vm, test->engine, context, sizeof(context), &r0);
	return test->status ? 0 : r0 + context[1];
}

/*
 * Writes its frame and its context, calls the helper, and reads both again: the inner run has a stack and a context of
 * its own, and the outer one still has its own afterwards.
 */
static void runs_within_a_run(struct test *test)
{
	/* clang-format off */
	static const uint8_t program[] = {
		MOV(6, 1), LOAD(1, 6, 0), MOV(7, 1), STORE(10, 7, -8), STORE(10, 7, -512), SET(2, 5), STORE(6, 2, 8),
		CALL(HELPER), LOAD(3, 10, -8), ADD(0, 3), LOAD(3, 10, -512), ADD(0, 3), LOAD(3, 6, 0), ADD(0, 3), EXIT,
	};
	/* clang-format on */
	uint64_t context[2] = { 2, 0 }, r0 = 0;

	test->helper = run_within;
	if (!start(test, program, sizeof(program), 100))
		return;
	/* Depths 2, 1, 0: three times each; 7 from the innermost helper; 5 for each of the two inner contexts. */
	check(!ebpf_run(test->vm, test->engine, context, sizeof(context), &r0) && r0 == 3 * (2 + 1 + 0) + 7 + 2 * 5,
	      "runs within a run disturb each other");
	check(ebpf_instructions_used(test->vm) == sizeof(program) / BPF_SLOT_BYTES,
	      "the outer run was charged for the inner ones");
	check(!ebpf_may_read(test->vm, (uint64_t)(uintptr_t)context, 8), "after the run its context can be accessed");
	context[0] = EBPF_RUN_DEPTH_MAX - 1;
	check(!ebpf_run(test->vm, test->engine, context, sizeof(context), &r0) && !test->status,
	      "the deepest runs are refused");
	context[0] = EBPF_RUN_DEPTH_MAX;
	ebpf_run(test->vm, test->engine, context, sizeof(context), &r0);
	check(mentions(test, "runs within each other"), "there is no limit to runs within each other");
	ebpf_destroy(test->vm);
}

static uint64_t run_on_inner(struct test *test, uint64_t outer_context, uint64_t r2)
{
	uint64_t r0;

	(void)r2;
	if (test->depth++)
		return 0;
	test->inner[0] = outer_context;
	test->status = ebpf_run(test->vm, test->engine, test->inner, 8, &r0);
	check(ebpf_may_read(test->vm, outer_context, 8) && !ebpf_may_read(test->vm, (uint64_t)(uintptr_t)test->inner, 8),
	      "after an inner run, the helper asks about the wrong run");
	return 0;
}

/* The inner run is given the outer context's address as data, and may not access it. */
static void the_outer_context_is_out_of_bounds(struct test *test)
{
	/* clang-format off */
	static const uint8_t program[] = {
		LOAD(2, 1, 0), MOV(6, 2), JUMP_NOT(2, 0, 3), /* the outer run's context has 0 there */
		CALL(HELPER), SET(0, 1), EXIT, LOAD(0, 6, 0), EXIT,
	};
	/* clang-format on */
	uint64_t context = 0, r0 = 0;

	test->helper = run_on_inner;
	if (!start(test, program, sizeof(program), 0))
		return;
	check(!ebpf_run(test->vm, test->engine, &context, 8, &r0) && r0 == 1, "the outer run was stopped");
	/* r1 was the context's address, so the inner context was not 0. */
	check(test->status == EBPF_ERROR_BOUNDS, "an inner run may access the outer run's context");
	ebpf_destroy(test->vm);
}

static uint64_t take_back(struct test *test, uint64_t address, uint64_t r2)
{
	(void)r2;
	test->status = ebpf_unregister_region(test->vm, (void *)(uintptr_t)address, 8);
	return 0;
}

static void regions_can_be_removed(struct test *test)
{
	/* clang-format off */
	static const uint8_t program[] = {
		LOAD(6, 1, 0), STORE(6, 6, 0), MOV(1, 6), CALL(HELPER), STORE(6, 6, 0), EXIT,
	};
	/* clang-format on */
	uint64_t value = 0, other = 0, context = (uint64_t)(uintptr_t)&value, r0;

	test->helper = take_back;
	if (!start(test, program, sizeof(program), 0))
		return;
	check(!ebpf_register_region(test->vm, &value, 8) && !ebpf_register_read_only_region(test->vm, &other, 8),
	      "a region was refused");
	check(ebpf_run(test->vm, test->engine, &context, 8, &r0) == EBPF_ERROR_BOUNDS &&
		      ebpf_message_instruction(test->vm) == 4,
	      "a region was not gone after a helper removed it");
	check(ebpf_unregister_region(test->vm, &value, 8) == EBPF_ERROR_ARGUMENT, "a region was removed twice");
	check(ebpf_unregister_region(test->vm, &other, 4) == EBPF_ERROR_ARGUMENT, "a part of a region was removed");
	check(ebpf_may_read(test->vm, (uint64_t)(uintptr_t)&other, 8), "the wrong region was removed");
	check(!ebpf_unregister_region(test->vm, &other, 8) && !ebpf_may_read(test->vm, (uint64_t)(uintptr_t)&other, 8),
	      "a read-only region was not removed");
	ebpf_destroy(test->vm);
}

static void read_only_regions(struct test *test)
{
	static const uint8_t loads[] = { LOAD(2, 1, 0), LOAD(0, 2, 0), EXIT };
	static const uint8_t stores[] = { LOAD(2, 1, 0), STORE(2, 2, 0), EXIT };
	static const uint8_t constants[] = { LOAD(2, 1, 0), INSN(BPF_ST | BPF_MEM | BPF_B, 2, 0, 3, 1), EXIT };
	static const uint8_t atomics[] = { LOAD(2, 1, 0), ATOMIC_ADD(2, 2, 0), EXIT };
	const struct {
		const uint8_t *program;
		size_t bytes;
		bool writes;
	} cases[] = {
		{ loads, sizeof(loads), false },
		{ stores, sizeof(stores), true },
		{ constants, sizeof(constants), true },
		{ atomics, sizeof(atomics), true },
	};
	unsigned i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t value = 42, writable = 1, context = (uint64_t)(uintptr_t)&value, r0 = 0;
		enum ebpf_status status;

		if (!start(test, cases[i].program, cases[i].bytes, 0))
			return;
		check(!ebpf_register_read_only_region(test->vm, &value, 8) && !ebpf_register_region(test->vm, &writable, 8),
		      "a region was refused");
		check(ebpf_may_read(test->vm, context, 8) && !ebpf_may_write(test->vm, context, 8) &&
			      ebpf_may_write(test->vm, (uint64_t)(uintptr_t)&writable, 8),
		      "helpers are told the wrong rights");
		status = ebpf_run(test->vm, test->engine, &context, 8, &r0);
		if (cases[i].writes)
			check(status == EBPF_ERROR_BOUNDS && mentions(test, "may only be read") && value == 42,
			      "a read-only region was written");
		else
			check(!status && r0 == 42, "a read-only region could not be read");
		/* Registered for writing too, it may be written. */
		check(!ebpf_register_region(test->vm, &value, 8) && !ebpf_run(test->vm, test->engine, &context, 8, &r0),
		      "a region that may be written could not be");
		ebpf_destroy(test->vm);
	}
}

static uint64_t change_program(struct test *test, uint64_t r1, uint64_t r2)
{
	static const uint8_t other[] = { EXIT };

	(void)r1, (void)r2;
	return (ebpf_load(test->vm, other, sizeof(other), EBPF_LITTLE_ENDIAN) == EBPF_ERROR_STATE) +
	       (ebpf_verify(test->vm) == EBPF_ERROR_STATE) + (ebpf_compile(test->vm, NULL) == EBPF_ERROR_STATE) +
	       (ebpf_register_helper(test->vm, 2, helper, 0) == EBPF_ERROR_STATE);
}

static void a_running_program_stays(struct test *test)
{
	static const uint8_t program[] = { CALL(HELPER), EXIT };
	uint64_t r0 = 0;

	test->helper = change_program;
	if (!start(test, program, sizeof(program), 0))
		return;
	check(!ebpf_run(test->vm, test->engine, NULL, 0, &r0) && r0 == 4, "a running program can be replaced");
	check(!ebpf_load(test->vm, program, sizeof(program), EBPF_LITTLE_ENDIAN), "after the run it cannot be replaced");
	ebpf_destroy(test->vm);
}

static void values_that_no_enum_has(struct test *test)
{
	static const uint8_t program[] = { SET(0, 3), EXIT };
	struct ebpf_target target = { .arch = "powerpc64le", .swap = (enum ebpf_swap)5 };
	struct ebpf_code_stats stats;
	size_t bytes = 0, code_bytes, emitted = 0;
	uint64_t r0 = 0;

	if (!start(test, program, sizeof(program), 0))
		return;
	check(ebpf_run(test->vm, (enum ebpf_engine)2, NULL, 0, &r0) == EBPF_ERROR_ARGUMENT, "an engine that does not exist");
	check(ebpf_emit(test->vm, &target, NULL, &bytes) == EBPF_ERROR_ARGUMENT, "a swap strategy that does not exist");
	target = (struct ebpf_target){ .arch = "powerpc64le", .fusion = (enum ebpf_fusion)3 };
	check(ebpf_emit(test->vm, &target, NULL, &bytes) == EBPF_ERROR_ARGUMENT, "a fusion that does not exist");
	check(ebpf_census(test->vm, (enum ebpf_byte_order)2, &stats) == EBPF_ERROR_ARGUMENT,
	      "a byte order that does not exist");
	/* Emitting code for another target does not change the record of the compiled code. */
	ebpf_code(test->vm, &code_bytes);
	target = (struct ebpf_target){ .arch = "loongarch64" };
	ebpf_emit(test->vm, &target, NULL, &emitted);
	ebpf_code(test->vm, &bytes);
	check(bytes == code_bytes && emitted, "ebpf_emit changed the size of the compiled code");
	ebpf_load(test->vm, program, sizeof(program), (enum ebpf_byte_order)2);
	check(mentions(test, "byte order"), "bytecode of an order that does not exist");
	ebpf_destroy(test->vm);
}

/* Runs the compiled code on a frame of our own, in which r1 is `address`; gives the status. */
static enum ebpf_status run_in_frame(const struct test *test, uint64_t address, const struct ebpf_region *regions,
				     unsigned count, unsigned writable)
{
	static uint64_t stack[EBPF_FRAME_BYTES / 8] __attribute__((aligned(16)));
	struct ebpf_frame frame = { .context = address, .context_bytes = 8 };
	size_t bytes;

	frame.stack_top = (uint64_t)(uintptr_t)stack + sizeof(stack);
	frame.regions = (uint64_t)(uintptr_t)regions;
	frame.regions_end = (uint64_t)(uintptr_t)(regions + count);
	frame.writable_end = (uint64_t)(uintptr_t)(regions + writable);
	((uint64_t (*)(struct ebpf_frame *))(uintptr_t)ebpf_code(test->vm, &bytes))(&frame);
	return (enum ebpf_status)frame.status;
}

/* r1 and r2 are numbers like others: what a program may access is said by the frame's regions alone. */
static void regions_of_a_callers_frame(struct test *test)
{
	static const uint8_t loads[] = { LOAD(0, 1, 0), EXIT };
	static const uint8_t stores[] = { STORE(1, 1, 0), SET(0, 0), EXIT };
	uint64_t value[1] = { 0 }, other[1] = { 0 }, address = (uint64_t)(uintptr_t)value;
	const struct ebpf_region whole = { address, 8 }, half = { address, 4 }, none = { address, 0 },
				 apart = { (uint64_t)(uintptr_t)other, 8 };
	const struct {
		struct ebpf_region regions[2];
		unsigned count, writable;
		bool read, written;
	} cases[] = {
		{ { whole, apart }, 2, 1, true, true },	 { { apart, whole }, 2, 2, true, true },
		{ { apart, whole }, 2, 1, true, false }, { { apart, whole }, 1, 1, false, false },
		{ { none, whole }, 2, 1, true, false },	 { { half, apart }, 2, 2, false, false },
	};
	unsigned i;

	if (test->engine == EBPF_INTERPRETER || !start(test, loads, sizeof(loads), 0))
		return;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(run_in_frame(test, address, cases[i].regions, cases[i].count, cases[i].writable) ==
			      (cases[i].read ? EBPF_OK : EBPF_ERROR_BOUNDS),
		      "a caller's frame does not say what may be read");
	ebpf_destroy(test->vm);
	if (!start(test, stores, sizeof(stores), 0))
		return;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		value[0] = 0;
		check(run_in_frame(test, address, cases[i].regions, cases[i].count, cases[i].writable) ==
				      (cases[i].written ? EBPF_OK : EBPF_ERROR_BOUNDS) &&
			      (value[0] != 0) == cases[i].written,
		      "a caller's frame does not say what may be written");
	}
	ebpf_destroy(test->vm);
}

static void all(enum ebpf_engine engine)
{
	static void (*const tests[])(struct test *) = {
		regions_from_a_helper,	 runs_within_a_run,	     the_outer_context_is_out_of_bounds,
		regions_can_be_removed,	 read_only_regions,	     a_running_program_stays,
		values_that_no_enum_has, regions_of_a_callers_frame,
	};
	unsigned i;

	engine_name = engine == EBPF_COMPILED ? "compiled" : "interpreter";
	for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		struct test test = { .engine = engine };

		tests[i](&test);
	}
}

static bool has_back_end(void)
{
	static const uint8_t program[] = { SET(0, 0), EXIT };
	struct ebpf_vm *vm = ebpf_create(&ebpf_host_platform, NULL);
	bool has = vm && !ebpf_load(vm, program, sizeof(program), EBPF_LITTLE_ENDIAN) && !ebpf_verify(vm) &&
		   !ebpf_compile(vm, NULL);

	ebpf_destroy(vm);
	return has;
}

#if __STDC_HOSTED__
int main(void)
#else
int linux_main(int argc, char **argv)
#endif
{
#if !__STDC_HOSTED__
	(void)argc, (void)argv;
#endif
	all(EBPF_INTERPRETER);
	if (has_back_end()) {
		all(EBPF_COMPILED);
		say("compiled code too\n");
	}
	if (!failures)
		say("ok\n");
	return failures;
}
