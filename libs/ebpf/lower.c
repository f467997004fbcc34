/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Translates each instruction into calls of the back end (jit.h): constants are reduced here, once for all machines, and
 * checks are inserted where the options ask for them. jit.c walks the program.
 */
#include "lower.h"

#define R(n) ((uint16_t)(1u << (n)))

/* One function for each class. Not inline, so that each saves only the registers that it needs; most need few. */
#define APART __attribute__((noinline))

/* Arithmetic. */

static enum ebpf_alu alu_operation(const struct ebpf_insn *insn)
{
	/* By the opcode's upper half, then by the offset: 1 makes a division signed. */
	static const uint8_t operations[16][2] = {
		[BPF_ADD >> 4] = { EBPF_ADD, EBPF_ADD },    [BPF_SUB >> 4] = { EBPF_SUB, EBPF_SUB },
		[BPF_MUL >> 4] = { EBPF_MUL, EBPF_MUL },    [BPF_DIV >> 4] = { EBPF_UDIV, EBPF_SDIV },
		[BPF_MOD >> 4] = { EBPF_UMOD, EBPF_SMOD },  [BPF_OR >> 4] = { EBPF_OR, EBPF_OR },
		[BPF_AND >> 4] = { EBPF_AND, EBPF_AND },    [BPF_XOR >> 4] = { EBPF_XOR, EBPF_XOR },
		[BPF_LSH >> 4] = { EBPF_LSH, EBPF_LSH },    [BPF_RSH >> 4] = { EBPF_RSH, EBPF_RSH },
		[BPF_ARSH >> 4] = { EBPF_ARSH, EBPF_ARSH },
	};

	return (enum ebpf_alu)operations[BPF_CODE(insn->opcode) >> 4][insn->offset == 1];
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

/* dst keeps its value; a 32-bit operation still clears the upper half. */
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

static APART void arithmetic_constant(struct ebpf_emitter *e, const struct ebpf_insn *insn, bool wide)
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
 * Whether a 32-bit operation whose upper half is not read can be done in 64 bits, because the low half of the result does
 * not depend on the operands' upper halves. Not for bitwise operations with constants: zero-extended constants have better
 * forms.
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

static APART void arithmetic(struct ebpf_emitter *e, const struct ebpf_insn *insn, uint8_t mark)
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

static void check_bounds(struct ebpf_emitter *e, struct ebpf_memory memory, bool write, uint32_t at)
{
	unsigned routine = log2_bytes(memory.bytes) + (write ? 4 : 0);

	e->routines_used |= (uint8_t)(1u << routine);
	e->backend->check_bounds(e, memory, ebpf_routine_label(e, routine), ebpf_cold(e, EBPF_ERROR_BOUNDS, at));
}

static void store_constant(struct ebpf_emitter *e, struct ebpf_memory memory, int32_t imm)
{
	if (e->backend->store_immediate(e, memory, imm))
		return;
	e->backend->load_immediate(e, EBPF_SCRATCH, (uint64_t)(int64_t)imm);
	e->backend->store(e, memory, EBPF_SCRATCH, false);
}

static APART void check_access(struct ebpf_emitter *e, struct ebpf_memory memory, uint32_t at, bool atomic)
{
	if (e->vm->options.bounds)
		check_bounds(e, memory, BPF_CLASS(e->vm->program[at].opcode) != BPF_LDX, at);
	if (atomic)
		e->backend->check_alignment(e, memory, ebpf_cold(e, EBPF_ERROR_ALIGNMENT, at));
}

static APART void access_memory(struct ebpf_emitter *e, uint32_t at, uint8_t mark)
{
	const struct ebpf_insn *insn = &e->vm->program[at];
	uint8_t class = BPF_CLASS(insn->opcode);
	bool atomic = class == BPF_STX && BPF_MODE(insn->opcode) == BPF_ATOMIC;
	struct ebpf_memory memory = { class == BPF_LDX ? insn->src : insn->dst, insn->offset, ebpf_access_bytes(insn->opcode) };

	if (!(insn->flags & EBPF_INSN_STACK) && (atomic || e->vm->options.bounds))
		check_access(e, memory, at, atomic);
	if (class == BPF_LDX)
		e->backend->load(e, memory, insn->dst, BPF_MODE(insn->opcode) == BPF_MEMSX, mark & EBPF_MARK_LOAD_SWAPPED);
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
		[BPF_JEQ >> 4] = EBPF_EQ, [BPF_JGT >> 4] = EBPF_GT,   [BPF_JGE >> 4] = EBPF_GE,	  [BPF_JSET >> 4] = EBPF_SET,
		[BPF_JNE >> 4] = EBPF_NE, [BPF_JSGT >> 4] = EBPF_SGT, [BPF_JSGE >> 4] = EBPF_SGE, [BPF_JLT >> 4] = EBPF_LT,
		[BPF_JLE >> 4] = EBPF_LE, [BPF_JSLT >> 4] = EBPF_SLT, [BPF_JSLE >> 4] = EBPF_SLE,
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

static APART void call(struct ebpf_emitter *e, uint32_t at)
{
	const struct ebpf_insn *insn = &e->vm->program[at];
	const uint16_t arguments = R(1) | R(2) | R(3) | R(4) | R(5);
	uint16_t clear = insn[1].live & arguments;

	if (insn->opcode == BPF_OP_CALLX) {
		e->backend->call_register(e, insn->dst, ebpf_cold(e, EBPF_ERROR_HELPER, at));
	} else if (insn->src == BPF_CALL_LOCAL) {
		const struct ebpf_function *callee = ebpf_function_at(e->vm, insn->target);

		e->backend->call_local(e, ebpf_function_label(e, (uint32_t)(callee - e->vm->functions)));
		return;
	} else {
		uint32_t number = (uint32_t)insn->imm;

		e->backend->call_helper(e, number, e->vm->helpers[number].flags & EBPF_HELPER_UNWIND);
	}
	if (clear)
		e->backend->clear(e, clear);
}

uint16_t ebpf_registers_to_save(const struct ebpf_function *function)
{
	return function->written & (R(6) | R(7) | R(8) | R(9));
}

static void exit_function(struct ebpf_emitter *e, const struct ebpf_function *function, uint32_t at)
{
	if (function != e->vm->functions)
		e->backend->function_leave(e, ebpf_registers_to_save(function));
	else if (at + 1 != function->end) /* else it runs on into the common exit */
		e->backend->jump(e, ebpf_leave_label(e));
}

static APART void control(struct ebpf_emitter *e, const struct ebpf_function *function, uint32_t at)
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

void ebpf_lower(struct ebpf_emitter *e, const struct ebpf_function *function, uint32_t at)
{
	const struct ebpf_insn *insn = &e->vm->program[at];

	if ((insn->flags & EBPF_INSN_LOOP) && e->backend->align)
		e->backend->align(e);
	ebpf_bind(e, at);
	if ((insn->flags & EBPF_INSN_LEADER) && e->vm->options.budget_instructions)
		e->backend->charge(e, insn->charge, ebpf_cold(e, EBPF_ERROR_BUDGET, at));
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
		e->backend->load_immediate(e, insn->dst, ebpf_wide(insn));
		break;
	default:
		access_memory(e, at, e->marks[at]);
	}
}
