/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The flow of register values through a decoded program whose fields and jumps have been checked.
 *
 * Live registers decide what has to be cleared where the RFC leaves a value open (registers at the start of the program, r1
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

static struct ebpf_effect jump_effect(const struct ebpf_insn *insn)
{
	switch (insn->opcode) {
	case BPF_OP_CALL:
		/* A local function may read every register, and its caller sees r1 to r5 as it leaves them. */
		if (insn->src == BPF_CALL_LOCAL)
			return (struct ebpf_effect){ ALL_REGISTERS, 0 };
		return (struct ebpf_effect){ ARGUMENTS, R(0) | ARGUMENTS };
	case BPF_OP_CALLX:
		return (struct ebpf_effect){ (uint16_t)(ARGUMENTS | R(insn->dst)), R(0) | ARGUMENTS };
	case BPF_OP_EXIT:
		return (struct ebpf_effect){ R(0), 0 };
	default: /* ja, ja32 */
		return (struct ebpf_effect){ 0, 0 };
	}
}

/* The registers that an instruction reads and writes where the opcode alone does not tell; verify.c stores them in it. */
struct ebpf_effect ebpf_odd_effect(const struct ebpf_insn *insn)
{
	switch (BPF_CLASS(insn->opcode)) {
	case BPF_ALU:
	case BPF_ALU64: /* BPF_END */
		return (struct ebpf_effect){ R(insn->dst), R(insn->dst) };
	case BPF_JMP:
	case BPF_JMP32:
		return jump_effect(insn);
	case BPF_LD:
		return (struct ebpf_effect){ 0, R(insn->dst) };
	default:
		return atomic_effect(insn);
	}
}

static uint16_t live_before_control(const struct ebpf_vm *vm, const struct ebpf_insn *insn, uint16_t after, bool in_main)
{
	unsigned kind = ebpf_kind(insn);

	if (insn->opcode == BPF_OP_EXIT)
		return in_main ? R(0) : (uint16_t)(R(0) | ARGUMENTS);
	if (kind & EBPF_KIND_JUMP)
		after = (uint16_t)(vm->program[insn->target].live | (kind & EBPF_KIND_CONDITIONAL ? after : 0));
	return (uint16_t)((after & ~insn->writes) | insn->reads);
}

/*
 * One backward pass. An instruction's successors are visited before it, except the targets of backward jumps: true if the
 * registers live at one of those changed, so that another pass is needed.
 */
static bool live_pass(struct ebpf_vm *vm)
{
	struct ebpf_insn *const program = vm->program, *const main_end = program + vm->functions[0].end;
	struct ebpf_insn *insn = program + vm->slots;
	uint16_t live = 0; /* before the instruction visited last, that is, after the current one */
	bool changed = false;

	while (insn > program) {
		insn--;
		if (insn->flags & EBPF_INSN_SECOND)
			continue;
		if (ebpf_kind(insn) & EBPF_KIND_CONTROL)
			live = live_before_control(vm, insn, live, insn < main_end);
		else
			live = (uint16_t)((live & ~insn->writes) | insn->reads);
		if (insn->flags & EBPF_INSN_LOOP)
			changed |= live != insn->live;
		insn->live = live;
	}
	return changed;
}

/* Solves for the registers that are live before each instruction. */
void ebpf_find_live(struct ebpf_vm *vm)
{
	unsigned pass;
	uint32_t i;

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
