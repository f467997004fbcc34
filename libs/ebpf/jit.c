/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The portable half of the code generator: decides what each instruction needs and asks the back end for it (jit.h).
 *
 * Layout of the generated code: entry, main program, common exit, local functions, code for failed checks, routines
 * for bounds checks. Labels are numbered: one for each slot, then the exit, the functions' entries, the routines, and
 * the failed checks in order of appearance, which is the same in both passes.
 */
#include "jit.h"

#define R(n) ((uint16_t)(1u << (n)))
#define ROUTINES 4 /* for 1, 2, 4 and 8 bytes */
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

static ebpf_label function_label(const struct ebpf_emitter *e, uint32_t function)
{
	return e->vm->slots + 1 + function;
}

static ebpf_label routine_label(const struct ebpf_emitter *e, unsigned log2_bytes)
{
	return e->vm->slots + 1 + e->vm->function_count + log2_bytes;
}

static ebpf_label cold_label(const struct ebpf_emitter *e, uint32_t cold)
{
	return e->vm->slots + 1 + e->vm->function_count + ROUTINES + cold;
}

ebpf_label ebpf_leave_label(const struct ebpf_emitter *e)
{
	return e->vm->slots;
}

static void bind(struct ebpf_emitter *e, ebpf_label label)
{
	e->position[label] = e->at;
	if (!e->second_pass)
		e->estimate[label] = e->at;
	e->estimate_here = e->estimate[label];
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
	if (e->estimate[label] > e->estimate_here) /* ahead: code only shrinks between the passes */
		return e->estimate[label] - e->estimate_here;
	return e->at - e->position[label];
}

/* A label for code that ends the program with `status` at instruction `at`. */
static ebpf_label cold(struct ebpf_emitter *e, enum ebpf_status status, uint32_t at)
{
	ebpf_label label = cold_label(e, e->cold_count);

	e->cold[e->cold_count++] = (struct ebpf_cold){ label, at, status };
	return label;
}

uint32_t ebpf_get32(const uint8_t *at, bool big)
{
	uint32_t a = at[0], b = at[1], c = at[2], d = at[3];

	return big ? a << 24 | b << 16 | c << 8 | d : d << 24 | c << 16 | b << 8 | a;
}

void ebpf_put32(uint8_t *at, bool big, uint32_t value)
{
	unsigned i;

	for (i = 0; i < 4; i++)
		at[big ? 3 - i : i] = (uint8_t)(value >> 8 * i);
}

/* Arithmetic. */

static enum ebpf_alu alu_operation(const struct ebpf_insn *insn)
{
	bool is_signed = insn->offset == 1;

	switch (BPF_CODE(insn->opcode)) {
	case BPF_ADD:
		return EBPF_ADD;
	case BPF_SUB:
		return EBPF_SUB;
	case BPF_MUL:
		return EBPF_MUL;
	case BPF_DIV:
		return is_signed ? EBPF_SDIV : EBPF_UDIV;
	case BPF_MOD:
		return is_signed ? EBPF_SMOD : EBPF_UMOD;
	case BPF_OR:
		return EBPF_OR;
	case BPF_AND:
		return EBPF_AND;
	case BPF_XOR:
		return EBPF_XOR;
	case BPF_LSH:
		return EBPF_LSH;
	case BPF_RSH:
		return EBPF_RSH;
	default:
		return EBPF_ARSH;
	}
}

static void alu_by_register(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, int32_t imm)
{
	e->backend->load_immediate(e, EBPF_SCRATCH, (uint64_t)(int64_t)imm);
	e->backend->alu(e, op, wide, dst, EBPF_SCRATCH);
}

static void alu_constant(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, int32_t imm)
{
	if (!e->backend->alu_immediate(e, op, wide, dst, imm))
		alu_by_register(e, op, wide, dst, imm);
}

/* dst as it is: in 32 bits that still clears the upper half. */
static void keep(struct ebpf_emitter *e, bool wide, unsigned dst)
{
	if (!wide)
		e->backend->move(e, false, dst, dst);
}

static void shift_constant(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, int32_t imm)
{
	imm &= wide ? 63 : 31;
	if (imm)
		alu_constant(e, op, wide, dst, imm);
	else
		keep(e, wide, dst);
}

/* n if value is 2^n, else -1. */
static int power_of_two(uint64_t value)
{
	int n = 0;

	if (value == 0 || value & (value - 1))
		return -1;
	while (value >>= 1)
		n++;
	return n;
}

static void divide_constant(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, int32_t imm)
{
	bool remainder = op == EBPF_UMOD || op == EBPF_SMOD;
	bool is_signed = op == EBPF_SDIV || op == EBPF_SMOD;
	int shift = power_of_two(wide ? (uint64_t)(int64_t)imm : (uint32_t)imm);

	if (imm == 0)
		remainder ? keep(e, wide, dst) : e->backend->load_immediate(e, dst, 0);
	else if (imm == 1 || (is_signed && imm == -1 && remainder))
		remainder ? e->backend->load_immediate(e, dst, 0) : keep(e, wide, dst);
	else if (is_signed && imm == -1)
		e->backend->negate(e, wide, dst);
	else if (is_signed || shift < 0)
		alu_constant(e, op, wide, dst, imm);
	else if (remainder)
		alu_constant(e, EBPF_AND, wide, dst, (int32_t)((UINT32_C(1) << shift) - 1));
	else
		shift_constant(e, EBPF_RSH, wide, dst, shift);
}

static void arithmetic_constant(struct ebpf_emitter *e, const struct ebpf_insn *insn, bool wide)
{
	enum ebpf_alu op = alu_operation(insn);

	switch (op) {
	case EBPF_LSH:
	case EBPF_RSH:
	case EBPF_ARSH:
		shift_constant(e, op, wide, insn->dst, insn->imm);
		break;
	case EBPF_UDIV:
	case EBPF_UMOD:
	case EBPF_SDIV:
	case EBPF_SMOD:
		divide_constant(e, op, wide, insn->dst, insn->imm);
		break;
	case EBPF_SUB:
		if (insn->imm != INT32_MIN) {
			alu_constant(e, EBPF_ADD, wide, insn->dst, -insn->imm);
			break;
		}
		/* fall through */
	default:
		alu_constant(e, op, wide, insn->dst, insn->imm);
	}
}

static void move(struct ebpf_emitter *e, const struct ebpf_insn *insn, bool wide)
{
	if (BPF_SOURCE(insn->opcode) == BPF_K)
		e->backend->load_immediate(e, insn->dst, wide ? (uint64_t)(int64_t)insn->imm : (uint32_t)insn->imm);
	else if (insn->offset)
		e->backend->move_sign_extended(e, wide, (unsigned)insn->offset, insn->dst, insn->src);
	else
		e->backend->move(e, wide, insn->dst, insn->src);
}

/*
 * Whether a 32-bit operation can be done in 64 bits for its low half, which is right whatever is above, when the upper
 * half of the result is not used. Bitwise constants are not among them: zero-extended, they have the better forms.
 */
static bool may_be_wide(const struct ebpf_emitter *e, const struct ebpf_insn *insn, uint8_t mark)
{
	if (!e->backend->extension_costs || !(mark & EBPF_MARK_UPPER_UNUSED))
		return false;
	switch (BPF_CODE(insn->opcode)) {
	case BPF_ADD:
	case BPF_SUB:
	case BPF_MUL:
	case BPF_NEG:
	case BPF_MOV:
		return true;
	case BPF_XOR:
		if (BPF_SOURCE(insn->opcode) == BPF_K && insn->imm == -1) /* complement */
			return true;
		/* fall through */
	case BPF_OR:
	case BPF_AND:
		return BPF_SOURCE(insn->opcode) == BPF_X || (insn->imm >= 0 && BPF_CODE(insn->opcode) != BPF_AND);
	default:
		return false;
	}
}

static void convert_order(struct ebpf_emitter *e, const struct ebpf_insn *insn, uint8_t mark)
{
	unsigned bits = (unsigned)insn->imm;
	bool upper_unused = bits == 32 && mark & EBPF_MARK_UPPER_UNUSED;

	if (mark & EBPF_MARK_DROPPED)
		return;
	if (ebpf_end_swaps(insn, e->backend->big_endian))
		e->backend->swap(e, bits, insn->dst, bits < 64 && !upper_unused && !(mark & EBPF_MARK_UPPER_KNOWN));
	else if (bits < 64 && !upper_unused)
		e->backend->truncate(e, bits, insn->dst);
}

static void arithmetic(struct ebpf_emitter *e, const struct ebpf_insn *insn, uint8_t mark)
{
	bool wide = BPF_CLASS(insn->opcode) == BPF_ALU64 || may_be_wide(e, insn, mark);

	switch (BPF_CODE(insn->opcode)) {
	case BPF_MOV:
		move(e, insn, wide);
		break;
	case BPF_NEG:
		e->backend->negate(e, wide, insn->dst);
		break;
	case BPF_END:
		convert_order(e, insn, mark);
		break;
	default:
		if (BPF_SOURCE(insn->opcode) == BPF_X)
			e->backend->alu(e, alu_operation(insn), wide, insn->dst, insn->src);
		else
			arithmetic_constant(e, insn, wide);
	}
}

/* Memory. */

static unsigned log2_bytes(unsigned bytes)
{
	return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
}

static void check_bounds(struct ebpf_emitter *e, struct ebpf_memory memory, uint32_t at)
{
	unsigned log2 = log2_bytes(memory.bytes);

	e->routines_used |= (uint8_t)(1u << log2);
	e->backend->check_bounds(e, memory, routine_label(e, log2), cold(e, EBPF_ERROR_BOUNDS, at));
}

static void store_constant(struct ebpf_emitter *e, struct ebpf_memory memory, int32_t imm)
{
	if (e->backend->store_immediate(e, memory, imm))
		return;
	e->backend->load_immediate(e, EBPF_SCRATCH, (uint64_t)(int64_t)imm);
	e->backend->store(e, memory, EBPF_SCRATCH, false);
}

static void access_memory(struct ebpf_emitter *e, uint32_t at, uint8_t mark)
{
	const struct ebpf_insn *insn = &e->vm->program[at];
	uint8_t class = BPF_CLASS(insn->opcode);
	bool atomic = class == BPF_STX && BPF_MODE(insn->opcode) == BPF_ATOMIC;
	struct ebpf_memory memory = {
		class == BPF_LDX ? insn->src : insn->dst, insn->offset, ebpf_access_bytes(insn->opcode)
	};

	if (!(insn->flags & EBPF_INSN_STACK)) {
		if (e->vm->options.bounds)
			check_bounds(e, memory, at);
		if (atomic)
			e->backend->check_alignment(e, memory, cold(e, EBPF_ERROR_ALIGNMENT, at));
	}
	if (class == BPF_LDX)
		e->backend->load(e, memory, insn->dst, BPF_MODE(insn->opcode) == BPF_MEMSX,
				 mark & EBPF_MARK_LOAD_SWAPPED);
	else if (class == BPF_ST)
		store_constant(e, memory, insn->imm);
	else if (atomic)
		e->backend->atomic(e, memory, insn->src, insn->imm);
	else
		e->backend->store(e, memory, insn->src, mark & EBPF_MARK_STORE_SWAPPED);
}

/* Control. */

static void branch(struct ebpf_emitter *e, const struct ebpf_insn *insn)
{
	static const enum ebpf_condition conditions[16] = {
		[BPF_JEQ >> 4] = EBPF_EQ,   [BPF_JGT >> 4] = EBPF_GT,   [BPF_JGE >> 4] = EBPF_GE,
		[BPF_JSET >> 4] = EBPF_SET, [BPF_JNE >> 4] = EBPF_NE,   [BPF_JSGT >> 4] = EBPF_SGT,
		[BPF_JSGE >> 4] = EBPF_SGE, [BPF_JLT >> 4] = EBPF_LT,   [BPF_JLE >> 4] = EBPF_LE,
		[BPF_JSLT >> 4] = EBPF_SLT, [BPF_JSLE >> 4] = EBPF_SLE,
	};
	enum ebpf_condition condition = conditions[BPF_CODE(insn->opcode) >> 4];
	bool wide = BPF_CLASS(insn->opcode) == BPF_JMP;
	unsigned b = insn->src;

	if (BPF_SOURCE(insn->opcode) == BPF_K) {
		if (e->backend->branch_immediate(e, condition, wide, insn->dst, insn->imm, insn->target))
			return;
		e->backend->load_immediate(e, EBPF_SCRATCH, (uint64_t)(int64_t)insn->imm);
		b = EBPF_SCRATCH;
	}
	e->backend->branch(e, condition, wide, insn->dst, b, insn->target);
}

static void call(struct ebpf_emitter *e, uint32_t at)
{
	const struct ebpf_insn *insn = &e->vm->program[at];
	const uint16_t arguments = R(1) | R(2) | R(3) | R(4) | R(5);
	uint16_t clear = insn[1].live & arguments;

	if (insn->opcode == BPF_OP_CALLX) {
		e->backend->call_register(e, insn->dst, cold(e, EBPF_ERROR_HELPER, at));
	} else if (insn->src == BPF_CALL_LOCAL) {
		const struct ebpf_function *callee = ebpf_function_at(e->vm, insn->target);

		e->backend->call_local(e, function_label(e, (uint32_t)(callee - e->vm->functions)));
		return;
	} else {
		uint32_t number = (uint32_t)insn->imm;

		e->backend->call_helper(e, number, e->vm->helpers[number].flags & EBPF_HELPER_UNWIND);
	}
	if (clear)
		e->backend->clear(e, clear);
}

static uint16_t registers_to_save(const struct ebpf_function *function)
{
	return function->written & (R(6) | R(7) | R(8) | R(9));
}

static void exit_function(struct ebpf_emitter *e, const struct ebpf_function *function, uint32_t at)
{
	if (function != e->vm->functions)
		e->backend->function_leave(e, registers_to_save(function));
	else if (at + 1 != function->end) /* else it runs on into the common exit */
		e->backend->jump(e, ebpf_leave_label(e));
}

static void control(struct ebpf_emitter *e, const struct ebpf_function *function, uint32_t at)
{
	const struct ebpf_insn *insn = &e->vm->program[at];

	switch (insn->opcode) {
	case BPF_OP_EXIT:
		exit_function(e, function, at);
		break;
	case BPF_OP_CALL:
	case BPF_OP_CALLX:
		call(e, at);
		break;
	case BPF_OP_JA:
	case BPF_OP_JA32:
		if (insn->target != at + 1)
			e->backend->jump(e, insn->target);
		break;
	default:
		branch(e, insn);
	}
}

static void instruction(struct ebpf_emitter *e, const struct ebpf_function *function, uint32_t at)
{
	const struct ebpf_insn *insn = &e->vm->program[at];

	if ((insn->flags & EBPF_INSN_LOOP) && e->backend->align)
		e->backend->align(e);
	bind(e, at);
	if ((insn->flags & EBPF_INSN_LEADER) && e->vm->options.budget_instructions)
		e->backend->charge(e, insn->charge, cold(e, EBPF_ERROR_BUDGET, at));
	switch (BPF_CLASS(insn->opcode)) {
	case BPF_ALU:
	case BPF_ALU64:
		arithmetic(e, insn, e->marks[at]);
		break;
	case BPF_JMP:
	case BPF_JMP32:
		control(e, function, at);
		break;
	case BPF_LD:
		e->backend->load_immediate(e, insn->dst, insn->wide);
		break;
	default:
		access_memory(e, at, e->marks[at]);
	}
}

static void functions(struct ebpf_emitter *e)
{
	const struct ebpf_vm *vm = e->vm;
	uint32_t f, i;

	for (f = 0; f < vm->function_count; f++) {
		const struct ebpf_function *function = &vm->functions[f];

		bind(e, function_label(e, f));
		if (f)
			e->backend->function_enter(e, registers_to_save(function));
		for (i = function->start; i < function->end; i = ebpf_next(vm->program, i))
			instruction(e, function, i);
		if (f == 0) {
			bind(e, ebpf_leave_label(e));
			e->backend->leave(e);
		}
	}
}

static void failed_checks(struct ebpf_emitter *e)
{
	uint32_t i;

	for (i = 0; i < e->cold_count; i++) {
		const struct ebpf_cold *entry = &e->cold[i];

		bind(e, entry->label);
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
		bind(e, routine_label(e, i));
		if (e->routines_used & 1u << i)
			e->backend->bounds_routine(e, 1u << i);
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
	uint32_t i, count = 0;

	for (i = 0; i < vm->slots; i = ebpf_next(vm->program, i)) {
		const struct ebpf_insn *insn = &vm->program[i];
		uint8_t class = BPF_CLASS(insn->opcode);

		count += (insn->flags & EBPF_INSN_LEADER) != 0;
		count += insn->opcode == BPF_OP_CALLX;
		if (class == BPF_LDX || class == BPF_ST || class == BPF_STX)
			count += 2;
	}
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
	bool merge = e->target->fusion == EBPF_FUSION_ON ||
		     (e->target->fusion == EBPF_FUSION_AUTO && e->backend->fusion_pays);

	e->cold_capacity = count_checks(vm);
	e->label_count = cold_label(e, e->cold_capacity);
	e->position = ebpf_allocate(vm, e->label_count * sizeof(*e->position));
	e->estimate = ebpf_allocate(vm, e->label_count * sizeof(*e->estimate));
	e->cold = ebpf_allocate(vm, (e->cold_capacity + 1) * sizeof(*e->cold));
	e->marks = ebpf_allocate(vm, vm->slots);
	if (!e->position || !e->estimate || !e->cold || !e->marks)
		return no_memory(vm);
	for (bytes = 2; merge && bytes <= 8; bytes *= 2) {
		if (e->backend->has_swapped_access(e->target->features, bytes))
			merge_bytes |= 1u << bytes;
	}
	ebpf_fuse(vm, e->backend->big_endian, merge_bytes, e->marks, &vm->code_stats);
	if (!ebpf_narrow(vm, e->marks))
		return no_memory(vm);
	return EBPF_OK;
}

static void release(struct ebpf_emitter *e)
{
	struct ebpf_vm *vm = e->vm;

	ebpf_release(vm, e->position, e->label_count * sizeof(*e->position));
	ebpf_release(vm, e->estimate, e->label_count * sizeof(*e->estimate));
	ebpf_release(vm, e->cold, (e->cold_capacity + 1) * sizeof(*e->cold));
	ebpf_release(vm, e->marks, vm->slots);
	ebpf_release(vm, e->references, e->reference_capacity * sizeof(*e->references));
}

static enum ebpf_status write_code(struct ebpf_emitter *e, struct ebpf_output *output)
{
	struct ebpf_vm *vm = e->vm;
	uint32_t first_bytes;

	pass(e);
	first_bytes = e->at;
	if (first_bytes > CODE_BYTES_MAX)
		return ebpf_fail(vm, EBPF_ERROR_UNSUPPORTED, EBPF_NO_INSTRUCTION, "the program needs too much code");
	e->reference_capacity = e->reference_count + 1;
	e->references = ebpf_allocate(vm, e->reference_capacity * sizeof(*e->references));
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
