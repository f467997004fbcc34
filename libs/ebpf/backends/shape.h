/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a program needs from entry and exit, so that both are short for a program that calls nothing. */
#ifndef EBPF_SHAPE_H
#define EBPF_SHAPE_H

#include "../jit.h"

struct shape {
	bool calls; /* a helper or a local function */
	bool link; /* the link register is overwritten */
	bool frame; /* struct ebpf_frame is used after entry */
	uint16_t saved; /* eBPF registers 6 to 10 whose machine registers have to be preserved */
};

static inline struct shape program_shape(const struct ebpf_emitter *e)
{
	const uint16_t preserved = 1u << 6 | 1u << 7 | 1u << 8 | 1u << 9;
	const struct ebpf_vm *vm = e->vm;
	bool checks = vm->options.bounds || vm->options.budget_instructions || vm->survey.odd; /* reported in the frame */
	struct shape shape = { .calls = vm->survey.calls, .frame = checks || vm->survey.calls };
	/* A helper that unwinds leaves from within a function, so the registers that the function has changed count too. */
	uint16_t written = vm->live_at_entry;
	uint32_t i;

	for (i = 0; i < vm->function_count; i++)
		written |= vm->functions[i].written;
	shape.link = shape.calls || vm->options.bounds;
	shape.saved = written & preserved;
	if (vm->uses_stack || vm->function_count > 1) /* function_enter changes r10 in any case */
		shape.saved |= 1u << EBPF_R10;
	return shape;
}

#endif
