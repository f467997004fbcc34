/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The flow of control and of register values through a decoded program whose fields and jumps have been checked.
 *
 * Basic blocks carry the number of their instructions, which is what the run-time budget is charged on entry. Live
 * registers decide what has to be cleared where the RFC leaves a value open (registers at the start of the program, r1
 * to r5 after a helper), so that both engines give the same result and no host value leaks, at no cost for ordinary
 * programs; fuse.c needs them too.
 */
#include "internal.h"

#define R(n) ((uint16_t)(1u << (n)))
#define ARGUMENTS ((uint16_t)(R(1) | R(2) | R(3) | R(4) | R(5)))
#define ALL_REGISTERS ((uint16_t)((1u << EBPF_REGISTERS) - 1))

/* Passes over the program before live registers are given up as "all"; real programs need fewer than ten. */
#define PASSES_MAX 64

static struct ebpf_effect atomic_effect(const struct ebpf_insn *insn)
{
	struct ebpf_effect effect = { (uint16_t)(R(insn->dst) | R(insn->src)), 0 };

	if (insn->imm == BPF_CMPXCHG) {
		effect.reads |= R(0);
		effect.writes = R(0);
	} else if (insn->imm & BPF_FETCH) {
		effect.writes = R(insn->src);
	}
	return effect;
}

static struct ebpf_effect arithmetic_effect(const struct ebpf_insn *insn)
{
	uint8_t code = BPF_CODE(insn->opcode);
	struct ebpf_effect effect = { R(insn->dst), R(insn->dst) };

	if (code == BPF_END || code == BPF_NEG)
		return effect;
	if (code == BPF_MOV)
		effect.reads = 0;
	if (BPF_SOURCE(insn->opcode) == BPF_X)
		effect.reads |= R(insn->src);
	return effect;
}

static struct ebpf_effect jump_effect(const struct ebpf_insn *insn)
{
	switch (insn->opcode) {
	case BPF_OP_CALL:
		/* A local function sees all registers, and r1 to r5 are as it leaves them. */
		if (insn->src == BPF_CALL_LOCAL)
			return (struct ebpf_effect){ ALL_REGISTERS, 0 };
		return (struct ebpf_effect){ ARGUMENTS, R(0) | ARGUMENTS };
	case BPF_OP_CALLX:
		return (struct ebpf_effect){ (uint16_t)(ARGUMENTS | R(insn->dst)), R(0) | ARGUMENTS };
	case BPF_OP_EXIT:
		return (struct ebpf_effect){ R(0), 0 };
	case BPF_OP_JA:
	case BPF_OP_JA32:
		return (struct ebpf_effect){ 0, 0 };
	default:
		return (struct ebpf_effect){
			(uint16_t)(R(insn->dst) | (BPF_SOURCE(insn->opcode) == BPF_X ? R(insn->src) : 0)), 0
		};
	}
}

/* The registers that an instruction reads and writes: what verify.c notes in each. */
struct ebpf_effect ebpf_effect(const struct ebpf_insn *insn)
{
	switch (BPF_CLASS(insn->opcode)) {
	case BPF_ALU:
	case BPF_ALU64:
		return arithmetic_effect(insn);
	case BPF_JMP:
	case BPF_JMP32:
		return jump_effect(insn);
	case BPF_LD:
		return (struct ebpf_effect){ 0, R(insn->dst) };
	case BPF_LDX:
		return (struct ebpf_effect){ R(insn->src), R(insn->dst) };
	case BPF_ST:
		return (struct ebpf_effect){ R(insn->dst), 0 };
	default:
		if (BPF_MODE(insn->opcode) == BPF_ATOMIC)
			return atomic_effect(insn);
		return (struct ebpf_effect){ (uint16_t)(R(insn->dst) | R(insn->src)), 0 };
	}
}

/* Marks the first instruction of each basic block and counts the block's instructions there. */
void ebpf_find_blocks(struct ebpf_vm *vm)
{
	struct ebpf_insn *program = vm->program, *leader = NULL;
	bool after_end = true;
	uint32_t i;

	for (i = 0; i < vm->slots; i = ebpf_next(program, i)) {
		struct ebpf_insn *insn = &program[i];

		insn->charge = 0;
		if (after_end || (insn->flags & (EBPF_INSN_TARGET | EBPF_INSN_FUNCTION))) {
			insn->flags |= EBPF_INSN_LEADER;
			leader = insn;
		}
		leader->charge++;
		after_end = ebpf_ends_block(insn);
	}
}

static uint16_t live_before(const struct ebpf_vm *vm, uint32_t at, bool in_main)
{
	const struct ebpf_insn *insn = &vm->program[at];
	uint16_t after = 0;

	if (insn->opcode == BPF_OP_EXIT)
		return in_main ? R(0) : (uint16_t)(R(0) | ARGUMENTS);
	if (ebpf_is_jump(insn))
		after = vm->program[insn->target].live;
	if (!ebpf_is_jump(insn) || ebpf_is_conditional(insn))
		after |= vm->program[ebpf_next(vm->program, at)].live;
	return (uint16_t)((after & ~insn->writes) | insn->reads);
}

/*
 * One pass against the flow. What follows an instruction was seen before it, but for where jumps go back to: true if one of
 * these changed, so that another pass is needed.
 */
static bool live_pass(struct ebpf_vm *vm)
{
	bool changed = false;
	uint32_t f = vm->function_count - 1, i = vm->slots;

	while (i-- > 0) {
		struct ebpf_insn *insn = &vm->program[i];
		uint16_t live;

		if (insn->flags & EBPF_INSN_SECOND)
			continue;
		while (i < vm->functions[f].start)
			f--;
		live = live_before(vm, i, f == 0);
		changed |= insn->flags & EBPF_INSN_LOOP && live != insn->live;
		insn->live = live;
	}
	return changed;
}

/* Solves for the registers that are live before each instruction, and what each function writes. */
void ebpf_find_live(struct ebpf_vm *vm)
{
	unsigned pass;
	uint32_t f, i;

	for (f = 0; f < vm->function_count; f++) {
		struct ebpf_function *function = &vm->functions[f];

		for (i = function->start; i < function->end; i = ebpf_next(vm->program, i))
			function->written |= vm->program[i].writes;
	}
	for (pass = 0; live_pass(vm); pass++) {
		if (pass < PASSES_MAX)
			continue;
		for (i = 0; i < vm->slots; i++)
			vm->program[i].live = ALL_REGISTERS;
		break;
	}
	vm->live_at_entry = vm->program[0].live;
}

/* The function whose first slot is `start`; NULL if there is none. */
const struct ebpf_function *ebpf_function_at(const struct ebpf_vm *vm, uint32_t start)
{
	uint32_t low = 0, high = vm->function_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (vm->functions[middle].start == start)
			return &vm->functions[middle];
		if (vm->functions[middle].start < start)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}
