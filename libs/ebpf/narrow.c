/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds 32-bit results that need not be zero-extended, because the upper half is overwritten before it is read. On
 * machines whose arithmetic is 64 bits wide (POWER) or sign-extends 32-bit results (LoongArch), that saves an
 * instruction each time; compilers for -mcpu=v3 use 32-bit operations wherever they can.
 *
 * The analysis is that of live registers, but for upper halves: backward passes until nothing changes. The low
 * half of a sum, product or bitwise operation depends on low halves only, so such an operation reads the upper halves of
 * its operands only if the upper half of its result is read.
 */
#include "jit.h"

#define R(n) ((uint16_t)(1u << (n)))
#define ARGUMENTS ((uint16_t)(R(1) | R(2) | R(3) | R(4) | R(5)))
#define ALL_REGISTERS ((uint16_t)((1u << EBPF_REGISTERS) - 1))

/* Passes before the analysis is given up, which only costs instructions; real programs need fewer than ten. */
#define PASSES_MAX 64

static uint16_t source(const struct ebpf_insn *insn)
{
	return BPF_SOURCE(insn->opcode) == BPF_X ? R(insn->src) : 0;
}

/* 64-bit arithmetic; `after` are the upper halves that are read later. */
static uint16_t read_by_alu64(const struct ebpf_insn *insn, uint16_t after)
{
	uint16_t dst = R(insn->dst), needed = after & dst;

	switch (BPF_CODE(insn->opcode)) {
	case BPF_END:
		return insn->imm == 64 ? dst : 0;
	case BPF_MOV:
		return needed && !insn->offset ? source(insn) : 0;
	case BPF_LSH:
		return needed;
	case BPF_RSH:
	case BPF_ARSH:
		return dst;
	case BPF_DIV:
	case BPF_MOD:
		return dst | source(insn);
	case BPF_NEG:
		return needed;
	default:
		return needed ? (uint16_t)(dst | source(insn)) : 0;
	}
}

static uint16_t read_by_memory(const struct ebpf_insn *insn)
{
	uint8_t class = BPF_CLASS(insn->opcode);
	uint16_t reads;

	if (class == BPF_LDX)
		return R(insn->src);
	reads = R(insn->dst);
	if (class == BPF_STX && ebpf_access_bytes(insn->opcode) == 8) {
		reads |= R(insn->src);
		if (BPF_MODE(insn->opcode) == BPF_ATOMIC && insn->imm == BPF_CMPXCHG)
			reads |= R(0);
	}
	return reads;
}

static uint16_t read_by_jump(const struct ebpf_insn *insn, bool in_main)
{
	switch (insn->opcode) {
	case BPF_OP_EXIT:
		return in_main ? R(0) : (uint16_t)(R(0) | ARGUMENTS);
	case BPF_OP_CALL:
		return insn->src == BPF_CALL_LOCAL ? ALL_REGISTERS : ARGUMENTS;
	case BPF_OP_CALLX:
		return ARGUMENTS | R(insn->dst);
	case BPF_OP_JA:
		return 0;
	default:
		return R(insn->dst) | source(insn);
	}
}

/* The upper halves that the instruction reads. */
static uint16_t read_by(const struct ebpf_insn *insn, uint16_t after, bool in_main)
{
	switch (BPF_CLASS(insn->opcode)) {
	case BPF_ALU: /* le64 and be64 are in this class */
		return BPF_CODE(insn->opcode) == BPF_END && insn->imm == 64 ? R(insn->dst) : 0;
	case BPF_ALU64:
		return read_by_alu64(insn, after);
	case BPF_JMP:
		return read_by_jump(insn, in_main);
	case BPF_JMP32:
	case BPF_LD:
		return 0;
	default:
		return read_by_memory(insn);
	}
}

struct narrower {
	const struct ebpf_vm *vm;
	uint16_t *live; /* one for each slot: upper halves read from there on */
};

static uint16_t live_after(const struct narrower *n, uint32_t at)
{
	const struct ebpf_insn *insn = &n->vm->program[at];
	uint16_t after = 0;

	if (insn->opcode == BPF_OP_EXIT)
		return 0;
	if (ebpf_is_jump(insn))
		after = n->live[insn->target];
	if (!ebpf_is_jump(insn) || ebpf_is_conditional(insn))
		after |= n->live[ebpf_next(n->vm->program, at)];
	return after;
}

/* One backward pass; true if anything changed at the target of a backward jump. */
static bool live_pass(struct narrower *n)
{
	const struct ebpf_vm *vm = n->vm;
	bool changed = false;
	uint32_t i = vm->slots;

	while (i-- > 0) {
		const struct ebpf_insn *insn = &vm->program[i];
		uint16_t after, live;

		if (insn->flags & EBPF_INSN_SECOND)
			continue;
		after = live_after(n, i);
		live = (uint16_t)((after & ~insn->writes) | read_by(insn, after, i < vm->functions[0].end));
		changed |= insn->flags & EBPF_INSN_LOOP && live != n->live[i];
		n->live[i] = live;
	}
	return changed;
}

bool ebpf_narrow(struct ebpf_vm *vm, uint8_t *marks)
{
	size_t bytes = vm->slots * sizeof(uint16_t);
	struct narrower n = { vm, ebpf_allocate(vm, bytes) };
	unsigned pass = 0;
	uint32_t i;

	if (!n.live)
		return false;
	while (live_pass(&n) && pass < PASSES_MAX)
		pass++;
	for (i = 0; pass < PASSES_MAX && i < vm->slots; i = ebpf_next(vm->program, i)) {
		const struct ebpf_insn *insn = &vm->program[i];

		if (BPF_CLASS(insn->opcode) == BPF_ALU && !(live_after(&n, i) & R(insn->dst)))
			marks[i] |= EBPF_MARK_UPPER_UNUSED;
	}
	ebpf_release(vm, n.live, bytes);
	return true;
}
