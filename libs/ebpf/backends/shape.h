/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a program needs of its surroundings, from one look at all of it: for back ends that keep entry and exit short
 * where a program calls nothing. x86_64.c, where pushes are cheap, does without.
 */
#ifndef EBPF_SHAPE_H
#define EBPF_SHAPE_H

#include "../jit.h"

struct shape {
	bool calls;     /* a helper or a local function */
	bool link;      /* the link register is overwritten */
	bool frame;     /* struct ebpf_frame is used after entry */
	uint16_t saved; /* eBPF registers 6 to 10 whose machine registers have to be preserved */
};

static inline bool is_call(const struct ebpf_insn *insn)
{
	return insn->opcode == BPF_OP_CALL || insn->opcode == BPF_OP_CALLX;
}

static inline bool is_atomic(const struct ebpf_insn *insn)
{
	return BPF_CLASS(insn->opcode) == BPF_STX && BPF_MODE(insn->opcode) == BPF_ATOMIC;
}

static inline struct shape program_shape(const struct ebpf_emitter *e)
{
	const uint16_t preserved = 1u << 6 | 1u << 7 | 1u << 8 | 1u << 9;
	const struct ebpf_vm *vm = e->vm;
	struct shape shape = { .frame = vm->options.bounds || vm->options.budget_instructions };
	/* A helper that unwinds leaves from within a function, so what that has changed counts too. */
	uint16_t written = vm->live_at_entry;
	uint32_t i;

	for (i = 0; i < vm->slots; i = ebpf_next(vm->program, i)) {
		const struct ebpf_insn *insn = &vm->program[i];

		shape.calls |= is_call(insn);
		shape.frame |= is_call(insn) || is_atomic(insn); /* a misaligned atomic is reported there */
	}
	for (i = 0; i < vm->function_count; i++)
		written |= vm->functions[i].written;
	shape.link = shape.calls || vm->options.bounds;
	shape.saved = written & preserved;
	if (vm->uses_stack || vm->function_count > 1) /* function_enter changes r10 in any case */
		shape.saved |= 1u << EBPF_R10;
	return shape;
}

#endif
