/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The API: keeps the order of calls, owns the memory, fills the frame for a run.
 */
#include "internal.h"

#define STACK_BYTES ((size_t)EBPF_FRAME_BYTES * EBPF_CALL_DEPTH_MAX)
#define FIXED_REGIONS 2 /* context, stack */

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
	vm->regions = ebpf_allocate(vm, FIXED_REGIONS * sizeof(*vm->regions));
	vm->region_count = FIXED_REGIONS;
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
	ebpf_release(vm, vm->regions, vm->region_count * sizeof(*vm->regions));
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

enum ebpf_status ebpf_register_region(struct ebpf_vm *vm, void *start, size_t bytes)
{
	uint32_t count = vm->region_count;
	struct ebpf_region *regions;

	if (!bytes || (uintptr_t)start + bytes < (uintptr_t)start)
		return argument(vm, "a region needs a size, and may not wrap around the address space");
	regions = ebpf_allocate(vm, (count + 1) * sizeof(*regions));
	if (!regions)
		return ebpf_fail(vm, EBPF_ERROR_MEMORY, EBPF_NO_INSTRUCTION, "no memory for region %u",
				 count - FIXED_REGIONS);
	ebpf_copy(regions, vm->regions, count * sizeof(*regions));
	ebpf_release(vm, vm->regions, count * sizeof(*regions));
	regions[count] = (struct ebpf_region){ (uint64_t)(uintptr_t)start, bytes };
	vm->regions = regions;
	vm->region_count = count + 1;
	return EBPF_OK;
}

bool ebpf_may_access(const struct ebpf_vm *vm, uint64_t address, size_t bytes)
{
	uint32_t i;

	for (i = 0; vm->options.bounds && i < vm->region_count; i++) {
		const struct ebpf_region *region = &vm->regions[i];

		if (address >= region->start && address - region->start <= region->bytes &&
		    region->bytes - (address - region->start) >= bytes)
			return true;
	}
	return !vm->options.bounds;
}

enum ebpf_status ebpf_load(struct ebpf_vm *vm, const void *bytecode, size_t bytes, enum ebpf_byte_order order)
{
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
	uint32_t i;

	if (!vm->program)
		return state(vm, "there is no program: ebpf_load comes first");
	drop_code(vm);
	drop_functions(vm);
	for (i = 0; i < vm->slots; i++)
		vm->program[i].flags = 0;
	status = ebpf_check_program(vm);
	if (status)
		return status;
	ebpf_find_blocks(vm);
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

	if (!vm->verified)
		return not_verified(vm);
	if (!vm->platform.map_code || !vm->platform.protect_code || !vm->platform.unmap_code)
		return argument(vm, "the platform has no callbacks for executable memory");
	if (host.arch)
		return argument(vm, "ebpf_compile is for this machine: leave target->arch NULL, or use ebpf_emit");
	drop_code(vm);
	status = ebpf_generate(vm, &host, &output);
	if (!status && !vm->platform.protect_code(vm->platform.context, vm->code, vm->code_mapped_bytes))
		status = ebpf_fail(vm, EBPF_ERROR_MEMORY, EBPF_NO_INSTRUCTION, "the code could not be made executable");
	if (status)
		drop_code(vm);
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
	frame->regions = (uint64_t)(uintptr_t)vm->regions;
	frame->regions_end = (uint64_t)(uintptr_t)(vm->regions + vm->region_count);
	frame->helpers = (uint64_t)(uintptr_t)vm->helpers;
	frame->helper_count = vm->helper_count;
	frame->helper_context = (uint64_t)(uintptr_t)vm->options.helper_context;
}

static enum ebpf_status report_fault(struct ebpf_vm *vm, const struct ebpf_frame *frame)
{
	enum ebpf_status status = (enum ebpf_status)frame->status;
	uint32_t at = (uint32_t)frame->fault_instruction;

	switch (status) {
	case EBPF_ERROR_BUDGET:
		return ebpf_fail(vm, status, at, "the instruction budget ran out");
	case EBPF_ERROR_BOUNDS:
		return ebpf_fail(vm, status, at, "access of %u bytes at %X, outside context, stack and regions",
				 ebpf_access_bytes(vm->program[at].opcode), frame->fault_address);
	case EBPF_ERROR_ALIGNMENT:
		return ebpf_fail(vm, status, at, "misaligned atomic operation on %u bytes at %X",
				 ebpf_access_bytes(vm->program[at].opcode), frame->fault_address);
	default:
		return ebpf_fail(vm, status, at, "callx of helper %X, which is not registered", frame->fault_address);
	}
}

static uint64_t enter_code(struct ebpf_vm *vm, struct ebpf_frame *frame)
{
	const struct ebpf_platform *platform = &vm->platform;

	if (platform->enter_code)
		return platform->enter_code(platform->context, vm->code, vm->code_stats.code_bytes, frame);
	return ((uint64_t(*)(struct ebpf_frame *))(uintptr_t)vm->code)(frame);
}

enum ebpf_status ebpf_run(struct ebpf_vm *vm, enum ebpf_engine engine, void *context, size_t context_bytes,
			  uint64_t *r0)
{
	struct ebpf_frame frame;
	uint64_t result;

	if (!vm->verified)
		return not_verified(vm);
	if ((uintptr_t)context + context_bytes < (uintptr_t)context)
		return argument(vm, "the context wraps around the address space");
	if (engine == EBPF_COMPILED && !vm->code)
		return state(vm, "the program is not compiled: ebpf_compile comes first");
	fill_frame(vm, context, context_bytes, &frame);
	if (engine == EBPF_COMPILED)
		result = enter_code(vm, &frame);
	else
		ebpf_interpret(vm, &frame, &result);
	if (vm->options.budget_instructions)
		vm->used = frame.status == EBPF_ERROR_BUDGET ? vm->options.budget_instructions :
							       vm->options.budget_instructions - frame.budget;
	if (frame.status)
		return report_fault(vm, &frame);
	*r0 = result;
	return EBPF_OK;
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
	*bytes = vm->code ? vm->code_stats.code_bytes : 0;
	return vm->code;
}
