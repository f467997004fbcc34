/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The API: keeps the order of calls, owns the memory, fills the frame for a run.
 */
#include "internal.h"

#define STACK_BYTES ((size_t)EBPF_FRAME_BYTES * EBPF_CALL_DEPTH_MAX)
#define FIXED_REGIONS 2 /* context, stack */
#define REGIONS_AT_FIRST 8

/*
 * A run that is under way. A helper may start another one, which borrows regions[0] and [1] and vm->stack and restores them
 * at its end. The outer run does not notice, since it is waiting for the helper.
 */
struct ebpf_run {
	struct ebpf_frame frame;
	struct ebpf_run *outer;
	struct ebpf_region outer_regions[FIXED_REGIONS];
	uint8_t *outer_stack;
};

struct ebpf_vm *ebpf_create(const struct ebpf_platform *platform, const struct ebpf_options *options)
{
	struct ebpf_vm *vm;

	if (!platform || !platform->allocate || !platform->release)
		return NULL;
	vm = platform->allocate(platform->context, sizeof(*vm));
	if (!vm)
		return NULL;
	ebpf_clear(vm, sizeof(*vm));
	vm->platform = *platform;
	if (options)
		vm->options = *options;
	vm->error.instruction = EBPF_NO_INSTRUCTION;
	vm->stack = ebpf_allocate(vm, STACK_BYTES);
	vm->region_capacity = REGIONS_AT_FIRST;
	vm->regions = ebpf_allocate(vm, vm->region_capacity * sizeof(*vm->regions));
	vm->region_count = FIXED_REGIONS;
	vm->writable_count = FIXED_REGIONS;
	if (!vm->stack || !vm->regions) {
		ebpf_destroy(vm);
		return NULL;
	}
	return vm;
}

static void drop_code(struct ebpf_vm *vm)
{
	if (vm->code)
		vm->platform.unmap_code(vm->platform.context, vm->code, vm->code_mapped_bytes);
	vm->code = NULL;
	vm->code_mapped_bytes = 0;
	vm->code_bytes = 0;
}

static void drop_functions(struct ebpf_vm *vm)
{
	ebpf_release(vm, vm->functions, vm->function_count * sizeof(*vm->functions));
	vm->functions = NULL;
	vm->function_count = 0;
	vm->verified = false;
	vm->uses_stack = false;
}

static void drop_program(struct ebpf_vm *vm)
{
	drop_code(vm);
	drop_functions(vm);
	ebpf_release(vm, vm->program, vm->slots * sizeof(*vm->program));
	vm->program = NULL;
	vm->slots = 0;
}

void ebpf_destroy(struct ebpf_vm *vm)
{
	struct ebpf_platform platform;

	if (!vm)
		return;
	drop_program(vm);
	ebpf_release(vm, vm->helpers, vm->helper_count * sizeof(*vm->helpers));
	ebpf_release(vm, vm->regions, vm->region_capacity * sizeof(*vm->regions));
	ebpf_release(vm, vm->stack, STACK_BYTES);
	platform = vm->platform;
	platform.release(platform.context, vm, sizeof(*vm));
}

static enum ebpf_status argument(struct ebpf_vm *vm, const char *text)
{
	return ebpf_fail(vm, EBPF_ERROR_ARGUMENT, EBPF_NO_INSTRUCTION, "%s", text);
}

static enum ebpf_status state(struct ebpf_vm *vm, const char *text)
{
	return ebpf_fail(vm, EBPF_ERROR_STATE, EBPF_NO_INSTRUCTION, "%s", text);
}

/* Calls that free or change the program are refused while it runs. */
static enum ebpf_status under_way(struct ebpf_vm *vm)
{
	return state(vm, "the program is running: a helper cannot replace, verify or compile it");
}

static bool grow_helpers(struct ebpf_vm *vm, uint32_t count)
{
	struct ebpf_helper_entry *helpers = ebpf_allocate(vm, count * sizeof(*helpers));

	if (!helpers)
		return false;
	if (vm->helpers)
		ebpf_copy(helpers, vm->helpers, vm->helper_count * sizeof(*helpers));
	ebpf_release(vm, vm->helpers, vm->helper_count * sizeof(*helpers));
	vm->helpers = helpers;
	vm->helper_count = count;
	return true;
}

enum ebpf_status ebpf_register_helper(struct ebpf_vm *vm, uint32_t number, ebpf_helper function, unsigned flags)
{
	if (number >= EBPF_HELPER_NUMBER_MAX)
		return ebpf_fail(vm, EBPF_ERROR_ARGUMENT, EBPF_NO_INSTRUCTION, "helper number %u is not below %u", number,
				 EBPF_HELPER_NUMBER_MAX);
	if (!function || flags & ~EBPF_HELPER_UNWIND)
		return argument(vm, "a helper needs a function, and flags that exist");
	if (vm->verified)
		return state(vm, "helpers are registered before ebpf_verify");
	if (number >= vm->helper_count && !grow_helpers(vm, number + 1))
		return ebpf_fail(vm, EBPF_ERROR_MEMORY, EBPF_NO_INSTRUCTION, "no memory for helper %u", number);
	vm->helpers[number].function = (uint64_t)(uintptr_t)function;
	vm->helpers[number].flags = flags;
	return EBPF_OK;
}

/* The array or its ends have moved, and the frames of runs under way point into it: sets them anew. */
static void tell_frames(struct ebpf_vm *vm)
{
	struct ebpf_run *run;

	for (run = vm->running; run; run = run->outer) {
		run->frame.regions = (uint64_t)(uintptr_t)vm->regions;
		run->frame.regions_end = (uint64_t)(uintptr_t)(vm->regions + vm->region_count);
		run->frame.writable_end = (uint64_t)(uintptr_t)(vm->regions + vm->writable_count);
	}
}

static bool grow_regions(struct ebpf_vm *vm)
{
	uint32_t capacity = vm->region_capacity * 2;
	struct ebpf_region *regions = ebpf_allocate(vm, capacity * sizeof(*regions));

	if (!regions)
		return false;
	ebpf_copy(regions, vm->regions, vm->region_count * sizeof(*regions));
	ebpf_release(vm, vm->regions, vm->region_capacity * sizeof(*regions));
	vm->regions = regions;
	vm->region_capacity = capacity;
	return true;
}

static enum ebpf_status add_region(struct ebpf_vm *vm, const void *start, size_t bytes, bool writable)
{
	uint32_t i, at = writable ? vm->writable_count : vm->region_count;

	if (!bytes || (uintptr_t)start + bytes < (uintptr_t)start)
		return argument(vm, "a region needs a size, and may not wrap around the address space");
	if (vm->region_count == vm->region_capacity && !grow_regions(vm))
		return ebpf_fail(vm, EBPF_ERROR_MEMORY, EBPF_NO_INSTRUCTION, "no memory for region %u",
				 vm->region_count - FIXED_REGIONS);
	for (i = vm->region_count; i > at; i--)
		vm->regions[i] = vm->regions[i - 1];
	vm->regions[at] = (struct ebpf_region){ (uint64_t)(uintptr_t)start, bytes };
	vm->region_count++;
	vm->writable_count += writable;
	tell_frames(vm);
	return EBPF_OK;
}

enum ebpf_status ebpf_register_region(struct ebpf_vm *vm, void *start, size_t bytes)
{
	return add_region(vm, start, bytes, true);
}

enum ebpf_status ebpf_register_read_only_region(struct ebpf_vm *vm, const void *start, size_t bytes)
{
	return add_region(vm, start, bytes, false);
}

enum ebpf_status ebpf_unregister_region(struct ebpf_vm *vm, const void *start, size_t bytes)
{
	uint32_t at = vm->region_count;

	while (at-- > FIXED_REGIONS) {
		if (vm->regions[at].start != (uint64_t)(uintptr_t)start || vm->regions[at].bytes != bytes)
			continue;
		vm->writable_count -= at < vm->writable_count;
		vm->region_count--;
		for (; at < vm->region_count; at++)
			vm->regions[at] = vm->regions[at + 1];
		tell_frames(vm);
		return EBPF_OK;
	}
	return argument(vm, "no region of this start and size is registered");
}

static bool in_regions(const struct ebpf_vm *vm, uint32_t count, uint64_t address, size_t bytes)
{
	uint32_t i;

	for (i = 0; vm->options.bounds && i < count; i++) {
		const struct ebpf_region *region = &vm->regions[i];

		if (address >= region->start && address - region->start <= region->bytes &&
		    region->bytes - (address - region->start) >= bytes)
			return true;
	}
	return !vm->options.bounds;
}

bool ebpf_may_read(const struct ebpf_vm *vm, uint64_t address, size_t bytes)
{
	return in_regions(vm, vm->region_count, address, bytes);
}

bool ebpf_may_write(const struct ebpf_vm *vm, uint64_t address, size_t bytes)
{
	return in_regions(vm, vm->writable_count, address, bytes);
}

enum ebpf_status ebpf_load(struct ebpf_vm *vm, const void *bytecode, size_t bytes, enum ebpf_byte_order order)
{
	if (vm->running)
		return under_way(vm);
	drop_program(vm);
	if (order != EBPF_LITTLE_ENDIAN && order != EBPF_BIG_ENDIAN)
		return argument(vm, "the byte order of bytecode is little or big endian");
	if (!bytecode && bytes)
		return argument(vm, "there is no bytecode");
	return ebpf_decode(vm, bytecode, bytes, order);
}

enum ebpf_status ebpf_verify(struct ebpf_vm *vm)
{
	enum ebpf_status status;

	if (vm->running)
		return under_way(vm);
	if (!vm->program)
		return state(vm, "there is no program: ebpf_load comes first");
	drop_code(vm);
	drop_functions(vm);
	status = ebpf_check_program(vm);
	if (status)
		return status;
	ebpf_find_live(vm);
	vm->verified = true;
	return EBPF_OK;
}

static enum ebpf_status not_verified(struct ebpf_vm *vm)
{
	return state(vm, "the program is not verified: ebpf_verify comes first");
}

static uint8_t *map_code(struct ebpf_vm *vm, size_t bytes)
{
	vm->code = vm->platform.map_code(vm->platform.context, bytes);
	vm->code_mapped_bytes = bytes;
	return vm->code;
}

enum ebpf_status ebpf_compile(struct ebpf_vm *vm, const struct ebpf_target *target)
{
	static const struct ebpf_target plain = { NULL, 0, EBPF_SWAP_AUTO, EBPF_FUSION_AUTO };
	struct ebpf_output output = { .provide = map_code };
	struct ebpf_target host = target ? *target : plain;
	enum ebpf_status status;

	if (vm->running)
		return under_way(vm);
	drop_code(vm);
	if (!vm->verified)
		return not_verified(vm);
	if (!vm->platform.map_code || !vm->platform.protect_code || !vm->platform.unmap_code)
		return argument(vm, "the platform has no callbacks for executable memory");
	if (host.arch)
		return argument(vm, "ebpf_compile is for this machine: leave target->arch NULL, or use ebpf_emit");
	status = ebpf_generate(vm, &host, &output);
	if (!status && !vm->platform.protect_code(vm->platform.context, vm->code, vm->code_mapped_bytes))
		status = ebpf_fail(vm, EBPF_ERROR_MEMORY, EBPF_NO_INSTRUCTION, "the code could not be made executable");
	if (status)
		drop_code(vm);
	else
		vm->code_bytes = output.bytes;
	return status;
}

enum ebpf_status ebpf_emit(struct ebpf_vm *vm, const struct ebpf_target *target, void *buffer, size_t *bytes)
{
	struct ebpf_output output = { .buffer = buffer, .capacity = buffer ? *bytes : 0 };
	enum ebpf_status status;

	if (!vm->verified)
		return not_verified(vm);
	if (!target)
		return argument(vm, "ebpf_emit needs a target");
	status = ebpf_generate(vm, target, &output);
	*bytes = output.bytes;
	return status;
}

size_t ebpf_stack_bytes(const struct ebpf_vm *vm)
{
	return vm->verified && vm->uses_stack ? (size_t)vm->functions[0].depth * EBPF_FRAME_BYTES : 0;
}

static void fill_frame(struct ebpf_vm *vm, void *context, size_t context_bytes, struct ebpf_frame *frame)
{
	size_t stack_bytes = ebpf_stack_bytes(vm);

	ebpf_clear(frame, sizeof(*frame));
	ebpf_clear(vm->stack + STACK_BYTES - stack_bytes, stack_bytes);
	vm->regions[0] = (struct ebpf_region){ (uint64_t)(uintptr_t)context, context_bytes };
	vm->regions[1] = (struct ebpf_region){ (uint64_t)(uintptr_t)(vm->stack + STACK_BYTES - stack_bytes), stack_bytes };
	frame->context = (uint64_t)(uintptr_t)context;
	frame->context_bytes = context_bytes;
	frame->stack_top = (uint64_t)(uintptr_t)(vm->stack + STACK_BYTES);
	frame->budget = vm->options.budget_instructions;
	frame->helpers = (uint64_t)(uintptr_t)vm->helpers;
	frame->helper_count = vm->helper_count;
	frame->helper_context = (uint64_t)(uintptr_t)vm->options.helper_context;
}

/*
 * Takes over from the run that waits for a helper, if there is one. Not inline: GCC 12 would warn that vm->running keeps
 * the address of a local of ebpf_run, which end_run removes.
 */
static __attribute__((noinline)) enum ebpf_status begin_run(struct ebpf_vm *vm, void *context, size_t context_bytes,
							    struct ebpf_run *run)
{
	unsigned i, depth = 1;

	for (run->outer = vm->running; run->outer; run->outer = run->outer->outer)
		depth++;
	if (depth > EBPF_RUN_DEPTH_MAX)
		return ebpf_fail(vm, EBPF_ERROR_STATE, EBPF_NO_INSTRUCTION, "more than %u runs within each other",
				 EBPF_RUN_DEPTH_MAX);
	run->outer = vm->running;
	run->outer_stack = vm->stack;
	for (i = 0; i < FIXED_REGIONS; i++)
		run->outer_regions[i] = vm->regions[i];
	if (run->outer) {
		uint8_t *stack = ebpf_allocate(vm, STACK_BYTES);

		if (!stack)
			return ebpf_fail(vm, EBPF_ERROR_MEMORY, EBPF_NO_INSTRUCTION, "no memory for the stack of a run");
		vm->stack = stack;
	}
	fill_frame(vm, context, context_bytes, &run->frame);
	vm->running = run;
	tell_frames(vm);
	return EBPF_OK;
}

static void end_run(struct ebpf_vm *vm, struct ebpf_run *run)
{
	unsigned i;

	if (run->outer)
		ebpf_release(vm, vm->stack, STACK_BYTES);
	vm->stack = run->outer_stack;
	for (i = 0; i < FIXED_REGIONS; i++)
		vm->regions[i] = run->outer_regions[i];
	vm->running = run->outer;
}

static enum ebpf_status report_fault(struct ebpf_vm *vm, const struct ebpf_frame *frame)
{
	enum ebpf_status status = (enum ebpf_status)frame->status;
	uint32_t at = (uint32_t)frame->fault_instruction;
	unsigned bytes = ebpf_access_bytes(vm->program[at].opcode);

	switch (status) {
	case EBPF_ERROR_BUDGET:
		return ebpf_fail(vm, status, at, "the instruction budget ran out");
	case EBPF_ERROR_BOUNDS:
		return ebpf_fail(vm, status, at,
				 in_regions(vm, vm->region_count, frame->fault_address, bytes) ?
					 "write of %u bytes at %X, which may only be read" :
					 "access of %u bytes at %X, outside context, stack and regions",
				 bytes, frame->fault_address);
	case EBPF_ERROR_ALIGNMENT:
		return ebpf_fail(vm, status, at, "misaligned atomic operation on %u bytes at %X", bytes, frame->fault_address);
	default:
		return ebpf_fail(vm, status, at, "callx of helper %X, which is not registered", frame->fault_address);
	}
}

static uint64_t enter_code(struct ebpf_vm *vm, struct ebpf_frame *frame)
{
	const struct ebpf_platform *platform = &vm->platform;

	if (platform->enter_code)
		return platform->enter_code(platform->context, vm->code, vm->code_bytes, frame);
	return ((uint64_t (*)(struct ebpf_frame *))(uintptr_t)vm->code)(frame);
}

static enum ebpf_status run_error(struct ebpf_vm *vm, enum ebpf_engine engine, void *context, size_t context_bytes)
{
	if (!vm->verified)
		return not_verified(vm);
	if ((uintptr_t)context + context_bytes < (uintptr_t)context)
		return argument(vm, "the context wraps around the address space");
	if (engine != EBPF_INTERPRETER && engine != EBPF_COMPILED)
		return argument(vm, "the engine is the interpreter or the compiled code");
	if (engine == EBPF_COMPILED && !vm->code)
		return state(vm, "the program is not compiled: ebpf_compile comes first");
	return EBPF_OK;
}

enum ebpf_status ebpf_run(struct ebpf_vm *vm, enum ebpf_engine engine, void *context, size_t context_bytes, uint64_t *r0)
{
	enum ebpf_status status = run_error(vm, engine, context, context_bytes);
	struct ebpf_run run;
	uint64_t result;

	if (!status)
		status = begin_run(vm, context, context_bytes, &run);
	if (status)
		return status;
	if (engine == EBPF_COMPILED)
		result = enter_code(vm, &run.frame);
	else
		ebpf_interpret(vm, &run.frame, &result);
	status = run.frame.status ? report_fault(vm, &run.frame) : EBPF_OK;
	end_run(vm, &run);
	if (vm->options.budget_instructions)
		vm->used = run.frame.status == EBPF_ERROR_BUDGET ? vm->options.budget_instructions :
								   vm->options.budget_instructions - run.frame.budget;
	if (!status)
		*r0 = result;
	return status;
}

uint32_t ebpf_instruction_count(const struct ebpf_vm *vm)
{
	return vm->slots;
}

const char *ebpf_message(const struct ebpf_vm *vm)
{
	return vm->error.text;
}

uint32_t ebpf_message_instruction(const struct ebpf_vm *vm)
{
	return vm->error.instruction;
}

uint64_t ebpf_instructions_used(const struct ebpf_vm *vm)
{
	return vm->used;
}

void ebpf_code_stats(const struct ebpf_vm *vm, struct ebpf_code_stats *stats)
{
	*stats = vm->code_stats;
}

const void *ebpf_code(const struct ebpf_vm *vm, size_t *bytes)
{
	*bytes = vm->code_bytes;
	return vm->code;
}
