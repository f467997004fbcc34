/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The x86-64 back end, System V calling convention.
 *
 * x86-64 in a page, for a first code generator. An instruction is: optional prefix 0x66 (16-bit
 * operand), optional REX byte 0x40 | W R X B, opcode (one byte, or 0x0f and one, or 0x0f 0x38 and one), ModRM byte,
 * optional SIB byte, displacement, immediate. ModRM holds a register `reg` (3 bits, or an opcode extension "/n") and an
 * operand `rm` that is a register or memory; REX.R and REX.B are the fourth bits of the two, REX.W makes the operand 64
 * bits wide. Three things are irregular: base registers with low bits 100 (rsp, r12) need a SIB byte, those with 101
 * (rbp, r13) need a displacement, and byte operands in spl..dil need a REX byte, even an empty one. A 32-bit operation
 * clears the upper half of its destination, as eBPF demands. (Intel SDM volume 2, chapter 2.)
 *
 * Registers. r1 to r5 are where C passes arguments (rdi rsi rdx rcx r8), but r4 lives in r9, because rcx is the only
 * register that can hold a shift count; r0 is rax, where C returns. r6 to r9 and r10 are callee-saved: rbx r13 r14 r15
 * rbp, and r12 points to struct ebpf_frame. r10 is EBPF_SCRATCH; rcx and r11 are this file's temporaries, and r11 holds
 * the address that a failed check reports.
 *
 * Stack. rsp is a multiple of 16 while eBPF instructions run; a local function pushes what it has to preserve and pads. To leave
 * from within one, rsp is put back; a shadow stack's pointer (CET) is not, as README's limits say.
 *
 * Arithmetic and byte swaps are in x86_64_arithmetic.c, encodings in x86_64_encode.h, and the fast path of compilation
 * in x86_64_straight.c.
 *
 * Byte swaps. bswap is one micro-operation for 32 bits and two for 64 on most cores, and movbe is split into a load and
 * a bswap, so merging gains no time here: it is off unless asked for. A 16-bit swap is a rotate by 8.
 */
#include "shape.h"
#include "x86_64_encode.h"

/* Jumps and their resolution. */

static void jump(struct ebpf_emitter *e, ebpf_label label)
{
	bool near = is_near(e, label);

	ebpf_emit8(e, near ? 0xeb : 0xe9);
	displacement(e, label, near ? REL8 : REL32);
}

static bool patch(uint8_t *at, unsigned kind, int64_t displacement)
{
	int64_t value = displacement - kind; /* counted from the field's end */

	if (kind == REL8) {
		*at = (uint8_t)value;
		return value >= -128 && value <= 127;
	}
	ebpf_put32(at, false, (uint32_t)value);
	return value >= INT32_MIN && value <= INT32_MAX;
}

/* Loop heads. The no-operations are the SDM's (volume 2, NOP): 0f 1f with an operand of any length. */

static void align(struct ebpf_emitter *e)
{
	static const uint8_t nops[][9] = {
		{ 0x90 },
		{ 0x66, 0x90 },
		{ 0x0f, 0x1f, 0x00 },
		{ 0x0f, 0x1f, 0x40, 0x00 },
		{ 0x0f, 0x1f, 0x44, 0x00, 0x00 },
		{ 0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00 },
		{ 0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00 },
		{ 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00 },
		{ 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00 },
	};
	unsigned left = e->second_pass ? -e->at % LOOP_ALIGNMENT : LOOP_ALIGNMENT - 1;

	while (left) {
		unsigned length = left > sizeof(nops[0]) ? sizeof(nops[0]) : left, i;

		for (i = 0; i < length; i++)
			ebpf_emit8(e, nops[length - 1][i]);
		left -= length;
	}
}

/* Entry and exit. */

/* Registers saved for the caller, if the program writes them; rbp holds r10, r12 the frame pointer. */
static const struct {
	uint8_t machine;
	uint16_t mask;
} callee_saved[] = { { RBP, 1u << EBPF_R10 }, { R12, 1u << EBPF_SCRATCH }, { RBX, 1u << 6 }, { R13, 1u << 7 }, { R14, 1u << 8 },
		     { R15, 1u << 9 } };
#define CALLEE_SAVED (sizeof(callee_saved) / sizeof(callee_saved[0]))

/* For e->note: the masks above of what is saved, and these. */
#define CALLS 0x10000u /* so the stack is aligned */
#define UNWINDS 0x20000u /* the exit may be reached from within a function */

static uint32_t plan(const struct ebpf_emitter *e)
{
	struct shape shape = program_shape(e);
	uint32_t note = shape.saved;

	if (shape.frame || e->target->swap == EBPF_SWAP_MEMORY) /* those swaps go through frame->scratch */
		note |= 1u << EBPF_SCRATCH;
	if (shape.calls)
		note |= CALLS;
	if (e->vm->function_count > 1)
		note |= UNWINDS;
	return note;
}

/* The words on the stack, the return address among them, have to be even in number: is one missing? */
static bool needs_padding(const struct ebpf_emitter *e)
{
	unsigned i, words = 1;

	for (i = 0; i < CALLEE_SAVED; i++)
		words += (e->note & callee_saved[i].mask) != 0;
	return e->note & CALLS && words % 2;
}

static void enter(struct ebpf_emitter *e)
{
	unsigned i;

	e->note = plan(e);
	for (i = 0; i < CALLEE_SAVED; i++) {
		if (e->note & callee_saved[i].mask)
			push(e, callee_saved[i].machine);
	}
	if (needs_padding(e))
		op_imm(e, OP_SUB, true, RSP, 8);
	if (e->note & 1u << EBPF_SCRATCH)
		mov_rr(e, true, FRAME, RDI);
	if (e->note & UNWINDS)
		store_field(e, FRAME_FIELD(saved_sp), RSP);
	if (e->note & 1u << EBPF_R10)
		op_rm(e, 0x8b, true, x86(EBPF_R10), RDI, FRAME_FIELD(stack_top));
	if (e->vm->live_at_entry & 1u << 2)
		op_rm(e, 0x8b, true, x86(2), RDI, FRAME_FIELD(context_bytes));
	if (e->vm->live_at_entry & 1u << 1) /* rdi itself, so it comes last */
		op_rm(e, 0x8b, true, x86(1), RDI, FRAME_FIELD(context));
}

static void leave(struct ebpf_emitter *e)
{
	unsigned i;

	if (e->note & UNWINDS)
		load_field(e, RSP, FRAME_FIELD(saved_sp));
	if (needs_padding(e))
		op_imm(e, OP_ADD, true, RSP, 8);
	for (i = CALLEE_SAVED; i-- > 0;) {
		if (e->note & callee_saved[i].mask)
			pop(e, callee_saved[i].machine);
	}
	ebpf_emit8(e, 0xc3);
}

static void clear(struct ebpf_emitter *e, uint16_t registers)
{
	unsigned reg;

	for (reg = 0; reg <= EBPF_R10; reg++) {
		if (registers & 1u << reg)
			set_register(e, x86(reg), 0);
	}
}

/* Memory. */

static void load(struct ebpf_emitter *e, struct ebpf_memory m, unsigned dst, bool sign_extend, bool swapped)
{
	unsigned reg = x86(dst), base = x86(m.base);

	if (swapped) {
		movbe_load(e, m.bytes, reg, base, m.offset);
		if (m.bytes == 2)
			ebpf_x86_truncate(e, 16, dst);
	} else if (m.bytes == 1) {
		op_rm(e, MAP_0F | (sign_extend ? 0xbe : 0xb6), sign_extend, reg, base, m.offset);
	} else if (m.bytes == 2) {
		op_rm(e, MAP_0F | (sign_extend ? 0xbf : 0xb7), sign_extend, reg, base, m.offset);
	} else if (m.bytes == 4 && sign_extend) {
		op_rm(e, 0x63, true, reg, base, m.offset);
	} else {
		op_rm(e, 0x8b, m.bytes == 8, reg, base, m.offset);
	}
}

static void store(struct ebpf_emitter *e, struct ebpf_memory m, unsigned src, bool swapped)
{
	unsigned reg = x86(src), base = x86(m.base);

	if (swapped)
		op_rm(e, MAP_0F38 | 0xf1 | (m.bytes == 2 ? P66 : 0), m.bytes == 8, reg, base, m.offset);
	else if (m.bytes == 1)
		op_rm(e, 0x88 | BYTE, false, reg, base, m.offset);
	else
		op_rm(e, 0x89 | (m.bytes == 2 ? P66 : 0), m.bytes == 8, reg, base, m.offset);
}

static bool store_immediate(struct ebpf_emitter *e, struct ebpf_memory m, int32_t imm)
{
	op_rm(e, m.bytes == 1 ? 0xc6 : 0xc7 | (m.bytes == 2 ? P66 : 0), m.bytes == 8, 0, x86(m.base), m.offset);
	if (m.bytes == 1)
		ebpf_emit8(e, (uint8_t)imm);
	else if (m.bytes == 2)
		ebpf_emit16(e, (uint16_t)imm);
	else
		ebpf_emit32(e, (uint32_t)imm);
	return true;
}

/*
 * x86-64 has no fetching or, and, xor: a loop of cmpxchg, which compares with rax. rax is saved in r10, the
 * address is in r11, the new value is made in rcx.
 */
static void atomic_loop(struct ebpf_emitter *e, struct ebpf_memory m, uint32_t op, unsigned src)
{
	bool wide = m.bytes == 8;
	unsigned operand = src == RAX ? R10 : src;
	uint32_t again;

	op_rm(e, 0x8d, true, R11, x86(m.base), m.offset);
	mov_rr(e, true, R10, RAX);
	op_rm(e, 0x8b, wide, RAX, R11, 0);
	again = e->at;
	mov_rr(e, wide, RCX, RAX);
	op_rr(e, op, wide, operand, RCX);
	ebpf_emit8(e, 0xf0);
	op_rm(e, MAP_0F | 0xb1, wide, RCX, R11, 0);
	back_if(e, CC_NE, again);
	if (src != RAX) {
		mov_rr(e, wide, src, RAX);
		mov_rr(e, true, RAX, R10);
	}
}

static void atomic(struct ebpf_emitter *e, struct ebpf_memory m, unsigned src, int32_t imm)
{
	static const uint8_t opcodes[16] = {
		[BPF_ADD >> 4] = 0x01,
		[BPF_OR >> 4] = 0x09,
		[BPF_AND >> 4] = 0x21,
		[BPF_XOR >> 4] = 0x31,
	};
	bool wide = m.bytes == 8;
	unsigned reg = x86(src), base = x86(m.base);

	switch (imm) {
	case BPF_OR | BPF_FETCH:
	case BPF_AND | BPF_FETCH:
	case BPF_XOR | BPF_FETCH:
		atomic_loop(e, m, opcodes[imm >> 4], reg);
		return;
	case BPF_XCHG: /* locks by itself */
		op_rm(e, 0x87, wide, reg, base, m.offset);
		return;
	}
	ebpf_emit8(e, 0xf0);
	switch (imm) {
	case BPF_ADD | BPF_FETCH:
		op_rm(e, MAP_0F | 0xc1, wide, reg, base, m.offset);
		break;
	case BPF_CMPXCHG:
		op_rm(e, MAP_0F | 0xb1, wide, reg, base, m.offset);
		if (!wide) /* a cmpxchg that stored has not written eax */
			mov_rr(e, false, RAX, RAX);
		break;
	default:
		op_rm(e, opcodes[imm >> 4], wide, reg, base, m.offset);
	}
}

/* Control. */

static const uint8_t condition_code[] = {
	[EBPF_EQ] = CC_E,  [EBPF_NE] = CC_NE,  [EBPF_GT] = CC_A,  [EBPF_GE] = CC_AE,  [EBPF_LT] = CC_B,	  [EBPF_LE] = CC_BE,
	[EBPF_SGT] = CC_G, [EBPF_SGE] = CC_GE, [EBPF_SLT] = CC_L, [EBPF_SLE] = CC_LE, [EBPF_SET] = CC_NE,
};

static void branch(struct ebpf_emitter *e, enum ebpf_condition condition, bool wide, unsigned a, unsigned b, ebpf_label target)
{
	op_rr(e, condition == EBPF_SET ? 0x85 : 0x39, wide, x86(b), x86(a));
	jump_if(e, condition_code[condition], target);
}

static bool branch_immediate(struct ebpf_emitter *e, enum ebpf_condition condition, bool wide, unsigned a, int32_t imm,
			     ebpf_label target)
{
	if (condition == EBPF_SET) {
		op_rr(e, 0xf7, wide, 0, x86(a));
		ebpf_emit32(e, (uint32_t)imm);
	} else if (imm == 0) {
		op_rr(e, 0x85, wide, x86(a), x86(a)); /* clears carry and overflow, so all conditions are right */
	} else {
		op_imm(e, OP_CMP, wide, x86(a), imm);
	}
	jump_if(e, condition_code[condition], target);
	return true;
}

/* Calls. */

static void call_local(struct ebpf_emitter *e, ebpf_label function)
{
	call_label(e, function);
}

static void function_enter(struct ebpf_emitter *e, uint16_t saved)
{
	unsigned reg;

	for (reg = 6; reg <= 9; reg++) {
		if (saved & 1u << reg)
			push(e, x86(reg));
	}
	if (ebpf_count_bits(saved) % 2 == 0) /* with the return address, an odd number of words */
		op_imm(e, OP_SUB, true, RSP, 8);
	op_imm(e, OP_SUB, true, x86(EBPF_R10), EBPF_FRAME_BYTES);
}

static void function_leave(struct ebpf_emitter *e, uint16_t saved)
{
	unsigned reg;

	op_imm(e, OP_ADD, true, x86(EBPF_R10), EBPF_FRAME_BYTES);
	if (ebpf_count_bits(saved) % 2 == 0)
		op_imm(e, OP_ADD, true, RSP, 8);
	for (reg = 9; reg >= 6; reg--) {
		if (saved & 1u << reg)
			pop(e, x86(reg));
	}
	ebpf_emit8(e, 0xc3);
}

/* r1 to r3 and r5 are in place already. */
static void place_arguments(struct ebpf_emitter *e)
{
	mov_rr(e, true, RCX, x86(4));
	load_field(e, R9, FRAME_FIELD(helper_context));
}

static void call_helper(struct ebpf_emitter *e, uint32_t number, bool unwinds)
{
	place_arguments(e);
	load_field(e, R10, FRAME_FIELD(helpers));
	op_rm(e, 0xff, false, 2, R10, (int32_t)(number * sizeof(struct ebpf_helper_entry)));
	if (unwinds) {
		op_rr(e, 0x85, true, RAX, RAX);
		jump_if(e, CC_E, ebpf_leave_label(e));
	}
}

static void call_register(struct ebpf_emitter *e, unsigned number, ebpf_label bad)
{
	uint32_t done;

	mov_rr(e, true, ADDRESS, x86(number));
	op_rm(e, 0x3b, true, ADDRESS, FRAME, FRAME_FIELD(helper_count));
	jump_if(e, CC_AE, bad);
	mov_rr(e, true, R10, ADDRESS);
	op_rr(e, 0xc1, true, 4, R10);
	ebpf_emit8(e, 4); /* sizeof(struct ebpf_helper_entry) is 16 */
	op_rm(e, 0x03, true, R10, FRAME, FRAME_FIELD(helpers));
	op_rm(e, 0x83, true, OP_CMP, R10, 0);
	ebpf_emit8(e, 0);
	jump_if(e, CC_E, bad);
	place_arguments(e);
	push(e, R10);
	push(e, R10);
	op_rm(e, 0xff, false, 2, R10, 0);
	pop(e, R10);
	pop(e, R10);
	op_rm(e, 0xf6, false, 0, R10, offsetof(struct ebpf_helper_entry, flags));
	ebpf_emit8(e, EBPF_HELPER_UNWIND);
	done = skip_if(e, CC_E);
	op_rr(e, 0x85, true, RAX, RAX);
	jump_if(e, CC_E, ebpf_leave_label(e));
	close_skip(e, done);
}

/* Checks. */

static void charge(struct ebpf_emitter *e, uint32_t instructions, ebpf_label bad)
{
	bool small = instructions <= 127;

	op_rm(e, small ? 0x83 : 0x81, true, OP_SUB, FRAME, FRAME_FIELD(budget));
	small ? ebpf_emit8(e, (uint8_t)instructions) : ebpf_emit32(e, instructions);
	jump_if(e, CC_B, bad);
}

static void check_alignment(struct ebpf_emitter *e, struct ebpf_memory m, ebpf_label bad)
{
	op_rm(e, 0x8d, true, ADDRESS, x86(m.base), m.offset);
	op_rr(e, 0xf6, false, 0, ADDRESS);
	ebpf_emit8(e, (uint8_t)(m.bytes - 1));
	jump_if(e, CC_NE, bad);
}

/*
 * Computes in rcx the distance from the region's start, which is at [base + start], to the end of the access; sets carry if
 * the access begins before the region or wraps around.
 */
static void distance_to_end(struct ebpf_emitter *e, unsigned base, int32_t start, unsigned bytes)
{
	mov_rr(e, true, RCX, ADDRESS);
	op_rm(e, 0x2b, true, RCX, base, start);
	op_imm(e, OP_ADD, true, RCX, (int32_t)bytes);
}

/*
 * Most accesses are of the context, which is the first region of ebpf_run's frames: that region is checked inline, the others
 * by the routine. Every routine looks at the first region, because one at least may be written. It is read from the
 * regions: in a frame of somebody else's, r1 may be in another one or in none.
 */
static void check_bounds(struct ebpf_emitter *e, struct ebpf_memory m, ebpf_label routine, ebpf_label bad)
{
	uint32_t before, inside;

	op_rm(e, 0x8d, true, ADDRESS, x86(m.base), m.offset);
	load_field(e, R10, FRAME_FIELD(regions));
	distance_to_end(e, R10, offsetof(struct ebpf_region, start), m.bytes);
	before = skip_if(e, CC_B);
	op_rm(e, 0x3b, true, RCX, R10, offsetof(struct ebpf_region, bytes));
	inside = skip_if(e, CC_BE);
	close_skip(e, before);
	call_label(e, routine);
	jump_if(e, CC_NE, bad);
	close_skip(e, inside);
}

/*
 * The address is in r11; returns with "equal" if it is good. For each region: rcx = address - start + bytes, and if that
 * does not carry and is at most the region's size, the access is inside.
 */
static void bounds_routine(struct ebpf_emitter *e, unsigned bytes, size_t end)
{
	uint32_t again, next;

	load_field(e, R10, FRAME_FIELD(regions));
	again = e->at;
	distance_to_end(e, R10, offsetof(struct ebpf_region, start), bytes);
	next = skip_if(e, CC_B);
	op_rm(e, 0x3b, true, RCX, R10, offsetof(struct ebpf_region, bytes));
	ebpf_emit8(e, 0x77); /* ja next */
	ebpf_emit8(e, 3);
	op_rr(e, 0x31, false, RCX, RCX);
	ebpf_emit8(e, 0xc3);
	close_skip(e, next);
	op_imm(e, OP_ADD, true, R10, sizeof(struct ebpf_region));
	op_rm(e, 0x3b, true, R10, FRAME, (int32_t)end);
	back_if(e, CC_B, again);
	op_rr(e, 0x85, true, RSP, RSP); /* never zero: not equal */
	ebpf_emit8(e, 0xc3);
}

static void fault(struct ebpf_emitter *e, enum ebpf_status status, uint32_t instruction, bool address)
{
	if (address)
		store_field(e, FRAME_FIELD(fault_address), ADDRESS);
	op_rm(e, 0xc7, true, 0, FRAME, FRAME_FIELD(status));
	ebpf_emit32(e, status);
	op_rm(e, 0xc7, true, 0, FRAME, FRAME_FIELD(fault_instruction));
	ebpf_emit32(e, instruction);
	jump(e, ebpf_leave_label(e));
}

const struct ebpf_backend ebpf_backend_x86_64 = {
	.name = "x86_64",
	.big_endian = false,
	.fusion_pays = false,
	.features_known = EBPF_X86_MOVBE | EBPF_X86_BMI2 | EBPF_X86_SSSE3,
	.swap_error = ebpf_x86_swap_error,
	.has_swapped_access = ebpf_x86_has_swapped_access,
	.enter = enter,
	.leave = leave,
	.clear = clear,
	.load_immediate = ebpf_x86_load_immediate,
	.move = ebpf_x86_move,
	.move_sign_extended = ebpf_x86_move_sign_extended,
	.negate = ebpf_x86_negate,
	.alu = ebpf_x86_alu,
	.alu_immediate = ebpf_x86_alu_immediate,
	.swap = ebpf_x86_swap,
	.truncate = ebpf_x86_truncate,
	.load = load,
	.store = store,
	.store_immediate = store_immediate,
	.atomic = atomic,
	.jump = jump,
	.branch = branch,
	.branch_immediate = branch_immediate,
	.call_local = call_local,
	.function_enter = function_enter,
	.function_leave = function_leave,
	.call_helper = call_helper,
	.call_register = call_register,
	.charge = charge,
	.check_alignment = check_alignment,
	.check_bounds = check_bounds,
	.bounds_routine = bounds_routine,
	.fault = fault,
	.align = align,
	.estimate = ebpf_x86_estimate,
	.straight = ebpf_x86_straight,
	.patch = patch,
};
