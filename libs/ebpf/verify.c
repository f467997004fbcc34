/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The load-time verifier: what must hold before a single instruction runs.
 *
 *  - each instruction is valid by itself (fields.c), r10 is never written, helpers exist;
 *  - jumps stay in their function and hit an instruction, not the second slot of an lddw;
 *  - each function ends with exit or an unconditional jump;
 *  - local calls do not recurse and need at most EBPF_CALL_DEPTH_MAX frames;
 *  - accesses at a known distance from r10 stay in the frame, and atomic ones there are aligned;
 *  - each lddw that names something outside is resolved.
 *
 * It does not prove that a program ends or that pointers from elsewhere are good: the budget and the bounds option
 * check that at run time. Division by zero is defined (RFC 9669 section 4.1), shifts are masked: neither is refused.
 */
#include "internal.h"

#define R(n) ((uint16_t)(1u << (n)))

static enum ebpf_status refuse(struct ebpf_vm *vm, uint32_t at, const char *reason)
{
	return ebpf_fail(vm, EBPF_ERROR_PROGRAM, at, "%s (opcode %x)", reason, (unsigned)vm->program[at].opcode);
}

static void link_swap(struct ebpf_vm *vm, uint32_t at)
{
	struct ebpf_survey *survey = &vm->survey;

	*(survey->first_swap == UINT32_MAX ? &survey->first_swap : &vm->program[survey->last_swap].target) = at;
	survey->last_swap = at;
	vm->program[at].target = UINT32_MAX;
}

/* An instruction about which the opcode does not tell everything, or an invalid one. */
static enum ebpf_status check_odd(struct ebpf_vm *vm, uint32_t at)
{
	struct ebpf_insn *insn = &vm->program[at], *next = at + 1 < vm->slots ? insn + 1 : NULL;
	const char *error = ebpf_field_error(insn, next);
	struct ebpf_effect effect;

	if (error)
		return refuse(vm, at, error);
	if (ebpf_kind(insn) & EBPF_KIND_PLAIN) /* valid although a field is used that is 0 in most with this opcode */
		return EBPF_OK;
	effect = ebpf_odd_effect(insn);
	insn->reads = effect.reads;
	insn->writes = effect.writes;
	if (insn->opcode == BPF_OP_LDDW) {
		ebpf_set_wide(insn, (uint32_t)insn->imm | (uint64_t)(uint32_t)next->imm << 32);
		vm->survey.named += insn->src != EBPF_LDDW_VALUE;
	}
	if (ebpf_kind(insn) & EBPF_KIND_SWAP)
		link_swap(vm, at);
	vm->survey.calls += insn->opcode == BPF_OP_CALL || insn->opcode == BPF_OP_CALLX;
	vm->survey.odd += BPF_CLASS(insn->opcode) == BPF_STX || insn->opcode == BPF_OP_CALLX;
	return EBPF_OK;
}

/* The registers that an instruction reads and writes, if its opcode alone tells them. */
static inline void note_effect(struct ebpf_insn *insn, const struct ebpf_opcode *opcode)
{
	uint16_t dst = (uint16_t)(1u << insn->dst), src = (uint16_t)(1u << insn->src);

	insn->reads = (dst & opcode->reads_dst) | (src & opcode->reads_src);
	insn->writes = dst & opcode->writes_dst;
}

/*
 * Checks each instruction by itself. Jumps, calls and exits are linked by `target` into a list from *first to UINT32_MAX, for
 * find_targets, which visits nothing else. Not inline: the loop is a good part of all compilation and needs all registers.
 */
static __attribute__((noinline)) enum ebpf_status check_fields(struct ebpf_vm *vm, uint32_t *first)
{
	struct ebpf_insn *const program = vm->program, *const end = program + vm->slots, *insn;
	uint32_t controls = 0, *link = first;

	for (insn = program; insn < end; insn++) {
		const struct ebpf_opcode *opcode = &ebpf_opcodes[insn->opcode];
		unsigned kind = opcode->kind;

		insn->flags = 0;
		insn->live = 0;
		note_effect(insn, opcode);
		if (!(kind & EBPF_KIND_PLAIN) || insn->dst > EBPF_R10 || insn->src > opcode->src_max ||
		    insn->offset & opcode->offset_reserved || insn->imm & opcode->imm_reserved) {
			enum ebpf_status status = check_odd(vm, (uint32_t)(insn - program));

			if (status)
				return status;
		}
		if (insn->writes & R(EBPF_R10))
			return refuse(vm, (uint32_t)(insn - program), "r10, the frame pointer, is read-only");
		if (kind & EBPF_KIND_CONTROL) {
			*link = (uint32_t)(insn - program);
			link = &insn->target;
			controls++;
		}
		if (insn->opcode == BPF_OP_LDDW) {
			insn++;
			insn->flags = EBPF_INSN_SECOND;
			insn->live = 0;
		}
	}
	*link = UINT32_MAX;
	vm->survey.last = vm->slots - (insn[-1].flags & EBPF_INSN_SECOND ? 2 : 1);
	vm->survey.controls = controls;
	return EBPF_OK;
}

static bool is_local_call(const struct ebpf_insn *insn)
{
	return insn->opcode == BPF_OP_CALL && insn->src == BPF_CALL_LOCAL;
}

static enum ebpf_status find_target(struct ebpf_vm *vm, uint32_t at)
{
	struct ebpf_insn *insn = &vm->program[at];
	bool by_imm = insn->opcode == BPF_OP_JA32 || is_local_call(insn);
	int64_t target = (int64_t)at + 1 + (by_imm ? insn->imm : insn->offset);
	const char *what = is_local_call(insn) ? "call" : "jump";

	if (target < 0 || target >= vm->slots)
		return ebpf_fail(vm, EBPF_ERROR_PROGRAM, at, "%s by %d goes outside the program of %u instructions", what,
				 by_imm ? insn->imm : insn->offset, vm->slots);
	if (vm->program[target].flags & EBPF_INSN_SECOND)
		return ebpf_fail(vm, EBPF_ERROR_PROGRAM, at, "%s into the middle of the lddw at instruction %u", what,
				 (unsigned)target - 1);
	insn->target = (uint32_t)target;
	vm->program[target].flags |= is_local_call(insn) ? EBPF_INSN_FUNCTION : EBPF_INSN_TARGET;
	if (target <= at && !is_local_call(insn))
		vm->program[target].flags |= EBPF_INSN_LOOP;
	return EBPF_OK;
}

static enum ebpf_status check_helper(struct ebpf_vm *vm, uint32_t at)
{
	uint32_t number = (uint32_t)vm->program[at].imm;

	if (number >= vm->helper_count || !vm->helpers[number].function)
		return ebpf_fail(vm, EBPF_ERROR_PROGRAM, at, "call of helper %u, which is not registered", number);
	return EBPF_OK;
}

/* Where each jump and call goes. `at` and the targets are the list that check_fields has made; it ends here. */
static enum ebpf_status find_targets(struct ebpf_vm *vm, uint32_t at)
{
	uint32_t next;

	vm->program[0].flags |= EBPF_INSN_FUNCTION;
	for (; at != UINT32_MAX; at = next) {
		struct ebpf_insn *insn = &vm->program[at];
		enum ebpf_status status = EBPF_OK;

		next = insn->target;
		insn->target = 0;
		vm->survey.local_calls += is_local_call(insn);
		if (ebpf_is_jump(insn) || is_local_call(insn))
			status = find_target(vm, at);
		else if (insn->opcode == BPF_OP_CALL)
			status = check_helper(vm, at);
		if (status)
			return status;
	}
	return EBPF_OK;
}

static enum ebpf_status find_functions(struct ebpf_vm *vm)
{
	uint32_t i, count = 0, f = 0;

	for (i = 0; i < vm->slots && vm->survey.local_calls; i++)
		count += (vm->program[i].flags & EBPF_INSN_FUNCTION) != 0;
	count = count ? count : 1;
	vm->functions = ebpf_allocate(vm, count * sizeof(*vm->functions));
	if (!vm->functions)
		return ebpf_fail(vm, EBPF_ERROR_MEMORY, EBPF_NO_INSTRUCTION, "no memory for %u functions", count);
	vm->function_count = count;
	for (i = 0; f < count; i++) {
		if (vm->program[i].flags & EBPF_INSN_FUNCTION)
			vm->functions[f++].start = i;
	}
	for (f = 0; f < count; f++)
		vm->functions[f].end = f + 1 < count ? vm->functions[f + 1].start : vm->slots;
	return EBPF_OK;
}

static enum ebpf_status check_function_end(struct ebpf_vm *vm, const struct ebpf_function *function, uint32_t last)
{
	if (!ebpf_ends_block(&vm->program[last]) || ebpf_is_conditional(&vm->program[last]))
		return refuse(vm, last,
			      function->end == vm->slots ?
				      "the program runs past its end: the last instruction must be exit or ja" :
				      "a function runs into the next: its last instruction must be exit or ja");
	return EBPF_OK;
}

static enum ebpf_status check_function_flow(struct ebpf_vm *vm, const struct ebpf_function *function)
{
	uint32_t i, last = function->start;

	for (i = function->start; i < function->end; i = ebpf_next(vm->program, i)) {
		const struct ebpf_insn *insn = &vm->program[i];

		last = i;
		if (ebpf_is_jump(insn) && (insn->target < function->start || insn->target >= function->end))
			return ebpf_fail(vm, EBPF_ERROR_PROGRAM, i,
					 "jump to instruction %u, which is in another function (this one is %u to %u)",
					 insn->target, function->start, function->end - 1);
	}
	return check_function_end(vm, function, last);
}

/*
 * Frames that a function needs. The recursion is bounded: `level` counts the calls open above, and more than
 * EBPF_CALL_DEPTH_MAX of them is an error. A depth of UINT32_MAX marks a function whose call is open.
 */
static enum ebpf_status find_depth(struct ebpf_vm *vm, struct ebpf_function *function, unsigned level, uint32_t from)
{
	uint32_t i, deepest = 0;

	if (function->depth == UINT32_MAX)
		return ebpf_fail(vm, EBPF_ERROR_PROGRAM, from, "recursive call of the function at instruction %u",
				 function->start);
	if (level > EBPF_CALL_DEPTH_MAX || (function->depth && level + function->depth - 1 > EBPF_CALL_DEPTH_MAX))
		return ebpf_fail(vm, EBPF_ERROR_PROGRAM, from, "calls nest deeper than %u frames", EBPF_CALL_DEPTH_MAX);
	if (function->depth)
		return EBPF_OK;
	function->depth = UINT32_MAX;
	for (i = function->start; i < function->end; i = ebpf_next(vm->program, i)) {
		struct ebpf_function *callee;
		enum ebpf_status status;

		if (!is_local_call(&vm->program[i]))
			continue;
		callee = (struct ebpf_function *)ebpf_function_at(vm, vm->program[i].target);
		status = find_depth(vm, callee, level + 1, i);
		if (status)
			return status;
		if (callee->depth > deepest)
			deepest = callee->depth;
	}
	function->depth = deepest + 1;
	return EBPF_OK;
}

static enum ebpf_status check_functions(struct ebpf_vm *vm)
{
	enum ebpf_status status = find_functions(vm);
	uint32_t f;

	if (!status && !vm->survey.local_calls) { /* one function, so all jumps are inside; a call of itself recurses */
		vm->functions[0].depth = 1;
		return check_function_end(vm, vm->functions, vm->survey.last);
	}
	for (f = 0; !status && f < vm->function_count; f++)
		status = check_function_flow(vm, &vm->functions[f]);
	for (f = 0; !status && f < vm->function_count; f++)
		status = find_depth(vm, &vm->functions[f], 1, vm->functions[f].start);
	return status;
}

/* Distances from r10 that are known while control goes straight on. */
struct tracked {
	uint16_t known;
	int64_t distance[EBPF_REGISTERS];
};

static void track(struct tracked *t, const struct ebpf_insn *insn)
{
	uint16_t writes = insn->writes;
	bool was_known = t->known & R(insn->dst);

	if (is_local_call(insn))
		writes = 0x3f; /* r0 to r5 */
	if (insn->opcode == (BPF_ALU64 | BPF_MOV | BPF_X) && insn->offset == 0 && (t->known & R(insn->src))) {
		t->known |= R(insn->dst);
		t->distance[insn->dst] = t->distance[insn->src];
	} else if (insn->opcode == (BPF_ALU64 | BPF_ADD | BPF_K) && was_known) {
		t->distance[insn->dst] += insn->imm;
	} else if (insn->opcode == (BPF_ALU64 | BPF_SUB | BPF_K) && was_known) {
		t->distance[insn->dst] -= insn->imm;
	} else {
		t->known &= (uint16_t)~writes;
	}
}

static enum ebpf_status check_access(struct ebpf_vm *vm, const struct tracked *t, uint32_t at)
{
	struct ebpf_insn *insn = &vm->program[at];
	uint8_t base = BPF_CLASS(insn->opcode) == BPF_LDX ? insn->src : insn->dst;
	int bytes = (int)ebpf_access_bytes(insn->opcode);
	int64_t distance;

	if (!(t->known & R(base)))
		return EBPF_OK;
	distance = t->distance[base] + insn->offset;
	if (distance < -EBPF_FRAME_BYTES || distance + bytes > 0) {
		bool below = distance < 0;

		return ebpf_fail(vm, EBPF_ERROR_PROGRAM, at,
				 "access of %d bytes at r10%s%X is outside the stack frame (r10-%u to r10-1)", bytes,
				 below ? "-" : "+", (uint64_t)(below ? -distance : distance), EBPF_FRAME_BYTES);
	}
	if (BPF_CLASS(insn->opcode) == BPF_STX && BPF_MODE(insn->opcode) == BPF_ATOMIC && distance % bytes)
		return ebpf_fail(vm, EBPF_ERROR_PROGRAM, at, "misaligned atomic operation: r10-%u is not a multiple of %d",
				 (unsigned)-distance, bytes);
	insn->flags |= EBPF_INSN_STACK;
	return EBPF_OK;
}

static enum ebpf_status track_known(struct ebpf_vm *vm, struct tracked *t, uint32_t at)
{
	const struct ebpf_insn *insn = &vm->program[at];
	enum ebpf_status status = EBPF_OK;

	if (insn->reads & R(EBPF_R10) && insn->opcode != BPF_OP_CALL) /* a callee answers for its own uses of r10 */
		vm->uses_stack = true;
	if (ebpf_kind(insn) & EBPF_KIND_ACCESS)
		status = check_access(vm, t, at);
	track(t, insn);
	return status;
}

/*
 * Checks accesses to the stack. In the same pass: finds the basic blocks and the number of instructions in each, which the
 * run-time budget is charged on entry, and the registers that each function writes.
 */
static enum ebpf_status check_stack(struct ebpf_vm *vm)
{
	const uint8_t entered = EBPF_INSN_TARGET | EBPF_INSN_FUNCTION;
	struct ebpf_insn *const program = vm->program, *const end = program + vm->slots, *insn, *leader = program;
	struct ebpf_function *function = vm->functions;
	struct tracked t = { R(EBPF_R10), { 0 } };
	uint32_t count = 0, leaders = 0;
	uint16_t written = 0;
	bool after_end = true;

	for (insn = program; insn < end; insn++) {
		unsigned kind = ebpf_kind(insn);

		if (insn->flags & EBPF_INSN_SECOND)
			continue;
		if (after_end || insn->flags & entered) {
			leader->charge = count;
			leader = insn;
			count = 0;
			leaders++;
			if (insn->flags & entered)
				t.known = R(EBPF_R10);
			if (insn->flags & EBPF_INSN_FUNCTION && insn != program) {
				function++->written = written;
				written = 0;
			}
			insn->flags |= EBPF_INSN_LEADER;
		}
		count++;
		after_end = kind & EBPF_KIND_CONTROL && ebpf_ends_block(insn);
		written |= insn->writes;
		if (insn->reads & t.known) {
			enum ebpf_status status = track_known(vm, &t, (uint32_t)(insn - program));

			if (status)
				return status;
		} else { /* a distance can only follow from a known one */
			t.known &= (uint16_t)~insn->writes;
		}
	}
	leader->charge = count;
	function->written = written;
	vm->survey.leaders = leaders;
	return EBPF_OK;
}

static enum ebpf_status relocate(struct ebpf_vm *vm)
{
	static const char *const kinds[] = { "",	  "map_by_fd",	"map_val(map_by_fd)", "var_addr",
					     "code_addr", "map_by_idx", "map_val(map_by_idx)" };
	uint32_t i;

	for (i = 0; i < vm->slots && vm->survey.named; i = ebpf_next(vm->program, i)) {
		struct ebpf_insn *insn = &vm->program[i];
		uint32_t imm = (uint32_t)insn->imm;
		uint64_t value = 0;

		if (insn->opcode != BPF_OP_LDDW || insn->src == EBPF_LDDW_VALUE)
			continue;
		if (!vm->options.relocate)
			return ebpf_fail(vm, EBPF_ERROR_RELOCATION, i, "lddw of %s(%u), and there is no relocation callback",
					 kinds[insn->src], imm);
		if (!vm->options.relocate(vm->options.relocate_context, (enum ebpf_lddw_kind)insn->src, imm,
					  (uint32_t)insn[1].imm, &value))
			return ebpf_fail(vm, EBPF_ERROR_RELOCATION, i, "lddw of %s(%u) could not be resolved", kinds[insn->src],
					 imm);
		ebpf_set_wide(insn, value);
	}
	return EBPF_OK;
}

enum ebpf_status ebpf_check_program(struct ebpf_vm *vm)
{
	uint32_t first_control;
	enum ebpf_status status;

	vm->survey = (struct ebpf_survey){ .first_swap = UINT32_MAX };
	status = check_fields(vm, &first_control);
	if (!status)
		status = find_targets(vm, first_control);
	if (!status)
		status = check_functions(vm);
	if (!status)
		status = check_stack(vm);
	return status ? status : relocate(vm);
}
