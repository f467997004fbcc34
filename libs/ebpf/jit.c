/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The portable half of the code generator: walks the program twice, keeps the labels, and finds the back end.
 * lower.c decides what each instruction needs.
 *
 * Layout of the generated code: entry, main program, common exit, local functions, code for failed checks, routines
 * for bounds checks. Labels are numbered: one for each slot, then the exit, the functions' entries, the routines, and
 * the failed checks in order of appearance, which is the same in both passes.
 */
#include "lower.h"

#define R(n) ((uint16_t)(1u << (n)))
#define ROUTINES 8 /* for reads of 1, 2, 4 and 8 bytes, then for writes */
#define CODE_BYTES_MAX (1u << 30)

static const struct ebpf_backend *const backends[] = {
	&ebpf_backend_x86_64,
	&ebpf_backend_powerpc64le,
	&ebpf_backend_powerpc64,
	&ebpf_backend_loongarch64,
};
#define BACKENDS (sizeof(backends) / sizeof(backends[0]))

const char *ebpf_target_name(unsigned index)
{
	return index < BACKENDS ? backends[index]->name : NULL;
}

const char *ebpf_host_arch(void)
{
#if defined(__x86_64__) && defined(__LP64__)
	return "x86_64";
#elif defined(__powerpc64__) && defined(_CALL_ELF) && _CALL_ELF == 2 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return "powerpc64le";
#elif defined(__powerpc64__) && defined(_CALL_ELF) && _CALL_ELF == 2
	return "powerpc64";
#elif defined(__loongarch_lp64)
	return "loongarch64";
#else
	return NULL;
#endif
}

static bool same_name(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

static const struct ebpf_backend *find_backend(const char *arch)
{
	unsigned i;

	for (i = 0; arch && i < BACKENDS; i++) {
		if (same_name(backends[i]->name, arch))
			return backends[i];
	}
	return NULL;
}

/* Labels. */

ebpf_label ebpf_function_label(const struct ebpf_emitter *e, uint32_t function)
{
	return e->vm->slots + 1 + function;
}

ebpf_label ebpf_routine_label(const struct ebpf_emitter *e, unsigned routine)
{
	return e->vm->slots + 1 + e->vm->function_count + routine;
}

static ebpf_label cold_label(const struct ebpf_emitter *e, uint32_t cold)
{
	return e->vm->slots + 1 + e->vm->function_count + ROUTINES + cold;
}

ebpf_label ebpf_leave_label(const struct ebpf_emitter *e)
{
	return e->vm->slots;
}

void ebpf_reference(struct ebpf_emitter *e, ebpf_label label, unsigned kind)
{
	if (e->second_pass && e->reference_count < e->reference_capacity)
		e->references[e->reference_count] = (struct ebpf_reference){ e->at, label, kind };
	e->reference_count++;
}

uint32_t ebpf_distance_max(const struct ebpf_emitter *e, ebpf_label label)
{
	if (!e->second_pass)
		return UINT32_MAX;
	if (e->position[label] > e->estimate_here) /* a forward reference: code only shrinks between the passes */
		return e->position[label] - e->estimate_here;
	return e->at - e->position[label];
}

/* A label for code that ends the program with `status` at instruction `at`. */
ebpf_label ebpf_cold(struct ebpf_emitter *e, enum ebpf_status status, uint32_t at)
{
	ebpf_label label = cold_label(e, e->cold_count);

	e->cold[e->cold_count++] = (struct ebpf_cold){ label, at, status };
	return label;
}

/* Whether options put checks into the code. */
static bool has_checks(const struct ebpf_vm *vm)
{
	return vm->options.bounds || vm->options.budget_instructions;
}

static void functions(struct ebpf_emitter *e)
{
	const struct ebpf_vm *vm = e->vm;
	uint32_t f, i;

	for (f = 0; f < vm->function_count; f++) {
		const struct ebpf_function *function = &vm->functions[f];

		ebpf_bind(e, ebpf_function_label(e, f));
		if (f)
			e->backend->function_enter(e, ebpf_registers_to_save(function));
		for (i = function->start; i < function->end; i++) {
			if (e->backend->straight && !has_checks(vm))
				i = e->backend->straight(e, i, function->end);
			if (i < function->end && !(vm->program[i].flags & EBPF_INSN_SECOND))
				ebpf_lower(e, function, i);
		}
		if (f == 0) {
			ebpf_bind(e, ebpf_leave_label(e));
			e->backend->leave(e);
		}
	}
}

static void failed_checks(struct ebpf_emitter *e)
{
	uint32_t i;

	for (i = 0; i < e->cold_count; i++) {
		const struct ebpf_cold *entry = &e->cold[i];

		ebpf_bind(e, entry->label);
		e->backend->fault(e, entry->status, entry->instruction, entry->status != EBPF_ERROR_BUDGET);
	}
}

static void pass(struct ebpf_emitter *e)
{
	uint16_t clear = e->vm->live_at_entry & (uint16_t)~(R(1) | R(2) | R(EBPF_R10));
	unsigned i;

	e->at = 0;
	e->cold_count = 0;
	e->reference_count = 0;
	e->estimate_here = 0;
	e->backend->enter(e);
	if (clear)
		e->backend->clear(e, clear);
	functions(e);
	failed_checks(e);
	for (i = 0; i < ROUTINES; i++) {
		ebpf_bind(e, ebpf_routine_label(e, i));
		if (e->routines_used & 1u << i)
			e->backend->bounds_routine(e, 1u << i % 4,
						   i < 4 ? offsetof(struct ebpf_frame, regions_end) :
							   offsetof(struct ebpf_frame, writable_end));
	}
}

static enum ebpf_status patch(struct ebpf_emitter *e)
{
	uint32_t i;

	for (i = 0; i < e->reference_count; i++) {
		const struct ebpf_reference *r = &e->references[i];
		int64_t displacement = (int64_t)e->position[r->label] - r->at;

		if (!e->backend->patch(e->code + r->at, r->kind, displacement))
			return ebpf_fail(e->vm, EBPF_ERROR_UNSUPPORTED, EBPF_NO_INSTRUCTION,
					 "the program is too large for a branch of %s", e->backend->name);
	}
	return EBPF_OK;
}

/* Upper bound of the checks that can fail. */
static uint32_t count_checks(const struct ebpf_vm *vm)
{
	const struct ebpf_survey *survey = &vm->survey;
	uint32_t count = survey->odd, i;

	for (i = 0; vm->options.bounds && i < vm->slots; i = ebpf_next(vm->program, i))
		count += (ebpf_kind(&vm->program[i]) & EBPF_KIND_ACCESS) != 0;
	if (vm->options.budget_instructions)
		count += survey->leaders;
	return count;
}

static enum ebpf_status no_memory(struct ebpf_vm *vm)
{
	return ebpf_fail(vm, EBPF_ERROR_MEMORY, EBPF_NO_INSTRUCTION, "no memory to generate code");
}

enum ebpf_status ebpf_census(struct ebpf_vm *vm, enum ebpf_byte_order order, struct ebpf_code_stats *stats)
{
	const unsigned all_widths = 1u << 2 | 1u << 4 | 1u << 8;
	uint8_t *marks;

	if (!vm->verified)
		return ebpf_fail(vm, EBPF_ERROR_STATE, EBPF_NO_INSTRUCTION, "the program is not verified");
	if (order != EBPF_LITTLE_ENDIAN && order != EBPF_BIG_ENDIAN)
		return ebpf_fail(vm, EBPF_ERROR_ARGUMENT, EBPF_NO_INSTRUCTION,
				 "the byte order of a machine is little or big endian");
	marks = ebpf_allocate(vm, vm->slots);
	if (!marks)
		return no_memory(vm);
	ebpf_fuse(vm, order == EBPF_BIG_ENDIAN, all_widths, marks, stats);
	ebpf_release(vm, marks, vm->slots);
	return EBPF_OK;
}

static enum ebpf_status prepare(struct ebpf_emitter *e)
{
	struct ebpf_vm *vm = e->vm;
	unsigned bytes, merge_bytes = 0;
	bool merge = e->target->fusion == EBPF_FUSION_ON || (e->target->fusion == EBPF_FUSION_AUTO && e->backend->fusion_pays);

	e->cold_capacity = count_checks(vm);
	e->label_count = cold_label(e, e->cold_capacity);
	e->position = ebpf_allocate_unset(vm, e->label_count * sizeof(*e->position));
	e->cold = ebpf_allocate_unset(vm, (e->cold_capacity + 1) * sizeof(*e->cold));
	e->marks = ebpf_allocate(vm, vm->slots);
	if (!e->position || !e->cold || !e->marks)
		return no_memory(vm);
	for (bytes = 2; merge && bytes <= 8; bytes *= 2) {
		if (e->backend->has_swapped_access(e->target->features, bytes))
			merge_bytes |= 1u << bytes;
	}
	ebpf_fuse(vm, e->backend->big_endian, merge_bytes, e->marks, &vm->code_stats);
	/* On machines that zero-extend 32-bit results at no cost, there may still be truncations to leave out. */
	if (e->backend->extension_costs || vm->code_stats.truncations > vm->code_stats.truncations_dropped) {
		if (!ebpf_narrow(vm, e->marks))
			return no_memory(vm);
	}
	return EBPF_OK;
}

static void release(struct ebpf_emitter *e)
{
	struct ebpf_vm *vm = e->vm;

	ebpf_release(vm, e->position, e->label_count * sizeof(*e->position));
	ebpf_release(vm, e->cold, (e->cold_capacity + 1) * sizeof(*e->cold));
	ebpf_release(vm, e->marks, vm->slots);
	ebpf_release(vm, e->references, e->reference_capacity * sizeof(*e->references));
}

/* Bytes of code that belong to no slot: entry, registers set to 0, exit; functions' entries; failed checks. */
#define AROUND_MAIN_BYTES 192
#define AROUND_FUNCTION_BYTES 32
#define FAILED_CHECK_BYTES 48
/* The most labels that an instruction refers to: callx to two for its checks and to the exit; a jump, call or exit to one. */
#define ODD_REFERENCES 3

/* The back end's estimate of all labels, or the first pass; returns an upper bound of the code's bytes. */
static uint32_t first_pass(struct ebpf_emitter *e)
{
	const struct ebpf_vm *vm = e->vm;
	uint32_t i, bytes = 0;

	if (e->backend->estimate && !has_checks(vm))
		bytes = e->backend->estimate(e, AROUND_MAIN_BYTES);
	if (!bytes) {
		pass(e);
		return e->at;
	}
	for (i = vm->slots; i < e->label_count; i++) /* their places are not known yet: taken as far away */
		e->position[i] = UINT32_MAX / 2;
	e->reference_count = 2 * vm->survey.controls + ODD_REFERENCES * vm->survey.odd + e->cold_capacity;
	return bytes + AROUND_FUNCTION_BYTES * vm->function_count + FAILED_CHECK_BYTES * e->cold_capacity;
}

static enum ebpf_status write_code(struct ebpf_emitter *e, struct ebpf_output *output)
{
	struct ebpf_vm *vm = e->vm;
	uint32_t first_bytes = first_pass(e);

	if (first_bytes > CODE_BYTES_MAX)
		return ebpf_fail(vm, EBPF_ERROR_UNSUPPORTED, EBPF_NO_INSTRUCTION, "the program needs too much code");
	e->reference_capacity = e->reference_count + 1;
	e->references = ebpf_allocate_unset(vm, e->reference_capacity * sizeof(*e->references));
	if (!e->references)
		return no_memory(vm);
	if (!output->buffer && output->provide) {
		output->buffer = output->provide(vm, first_bytes);
		output->capacity = first_bytes;
		if (!output->buffer)
			return ebpf_fail(vm, EBPF_ERROR_MEMORY, EBPF_NO_INSTRUCTION, "no memory for %u bytes of code",
					 first_bytes);
	}
	e->second_pass = true;
	e->code = output->buffer;
	e->capacity = output->capacity > CODE_BYTES_MAX ? CODE_BYTES_MAX : (uint32_t)output->capacity;
	pass(e);
	if (e->reference_count > e->reference_capacity)
		return ebpf_fail(vm, EBPF_ERROR_UNSUPPORTED, EBPF_NO_INSTRUCTION, "more branches than were counted before");
	output->bytes = e->at;
	vm->code_stats.code_bytes = e->at;
	if (e->at > e->capacity)
		return ebpf_fail(vm, EBPF_ERROR_BUFFER, EBPF_NO_INSTRUCTION, "the code takes %u bytes, the buffer has %u",
				 e->at, e->capacity);
	return patch(e);
}

enum ebpf_status ebpf_generate(struct ebpf_vm *vm, const struct ebpf_target *target, struct ebpf_output *output)
{
	const char *arch = target->arch ? target->arch : ebpf_host_arch();
	const struct ebpf_backend *backend = find_backend(arch);
	struct ebpf_emitter e = { .backend = backend, .target = target, .vm = vm };
	enum ebpf_status status;
	const char *error;

	if (target->swap > EBPF_SWAP_ISA31 || target->fusion > EBPF_FUSION_OFF)
		return ebpf_fail(vm, EBPF_ERROR_ARGUMENT, EBPF_NO_INSTRUCTION,
				 "the target's swap strategy or fusion is none of those in ebpf.h");
	if (!backend)
		return ebpf_fail(vm, EBPF_ERROR_UNSUPPORTED, EBPF_NO_INSTRUCTION, "there is no code generator for %s",
				 arch ? arch : "this machine");
	if (target->features & ~backend->features_known)
		return ebpf_fail(vm, EBPF_ERROR_ARGUMENT, EBPF_NO_INSTRUCTION, "%s has no CPU feature %x", backend->name,
				 target->features & ~backend->features_known);
	error = backend->swap_error(target->features, target->swap);
	if (error)
		return ebpf_fail(vm, EBPF_ERROR_UNSUPPORTED, EBPF_NO_INSTRUCTION, "%s: %s", backend->name, error);
	status = prepare(&e);
	if (!status)
		status = write_code(&e, output);
	release(&e);
	return status;
}
