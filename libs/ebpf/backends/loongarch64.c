/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The back end for 64-bit LoongArch, lp64d calling convention: this essay, entry and exit, control, calls and
 * checks. Memory is in loongarch64_memory.c, arithmetic and byte swaps in loongarch64_arithmetic.c, encodings in
 * loongarch64_encode.h.
 *
 * LoongArch, for a first code generator. All instructions are 32 bits: an opcode at the top, then
 * rk, rj, rd of 5 bits each at bits 10, 5 and 0, or an immediate in place of rk and more. $r0 is zero. There are no
 * flags: branches compare two registers, or one with zero. 32-bit operations (.w) sign-extend their results, eBPF wants
 * zeros above, so each is followed by bstrpick.d d, d, 31, 0, which picks bits 31 to 0; where it can, the code picks
 * other bits and shifts or masks in the same instruction. Divisions by zero and -2^63 / -1 do not trap; their result is
 * undefined. Displacements have 12 bits (signed), branches on two registers reach 128 kB, b and bl 128 MB.
 * (LoongArch Reference Manual, volume 1, chapter 2.)
 *
 * Registers. r1 to r5 are $a0 to $a4, C's arguments. r0 is $a5, moved to $a0 to return; after a helper the other way.
 * r6 to r9 and r10 are $s0 to $s4, which C preserves, and $s5 points to struct ebpf_frame. $t0 is EBPF_SCRATCH, $t1
 * holds the address that a failed check reports, $t2 to $t4 are temporaries.
 *
 * Byte swaps. revb.2h, revb.2w and revb.d need one instruction, and one more to clear the upper bits, which is left out
 * where fuse.c knows that they are clear or do not matter. There is no byte-reversed load or store to merge with.
 */
#include "loongarch64.h"
#include "shape.h"

/* Branch forms that patch fills in: 16, 21 and 26 bits of displacement in words. */
enum { BRANCH_16 = 1, BRANCH_21 = 2, BRANCH_26 = 3 };

/* Conditional branches are taken to be short below this; the narrower field reaches 131068. */
#define SHORT_BRANCH_BYTES 130000

/* Branches to labels. */

static void jump(struct ebpf_emitter *e, ebpf_label label)
{
	ebpf_reference(e, label, BRANCH_26);
	ebpf_emit32(e, B);
}

static void call_label(struct ebpf_emitter *e, ebpf_label label)
{
	ebpf_reference(e, label, BRANCH_26);
	ebpf_emit32(e, BL);
}

/* Compares rj with rd, or rj with zero for BEQZ and BNEZ, whose encoding has no rd. */
static void jump_if(struct ebpf_emitter *e, uint32_t op, unsigned j, unsigned d, ebpf_label label)
{
	bool with_zero = op == BEQZ || op == BNEZ;

	if (ebpf_distance_max(e, label) <= SHORT_BRANCH_BYTES) {
		ebpf_reference(e, label, with_zero ? BRANCH_21 : BRANCH_16);
		branch_by(e, op, j, d, 0);
	} else {
		branch_by(e, op ^ OPPOSITE, j, d, 8);
		jump(e, label);
	}
}

static bool patch(uint8_t *at, unsigned kind, int64_t displacement)
{
	int64_t words = displacement / 4, reach = kind == BRANCH_16 ? 1 << 15 : kind == BRANCH_21 ? 1 << 20 : 1 << 25;
	uint32_t field = ((uint32_t)words & 0xffff) << 10;

	if (kind == BRANCH_21)
		field |= (uint32_t)words >> 16 & 0x1f;
	if (kind == BRANCH_26)
		field |= (uint32_t)words >> 16 & 0x3ff;
	ebpf_put32(at, false, ebpf_get32(at, false) | field);
	return words >= -reach && words < reach;
}

/* Entry and exit. There is no protected zone below the stack pointer. */

static unsigned saved_count(const struct shape *shape)
{
	return ebpf_count_bits(shape->saved) + shape->frame + shape->link;
}

static int32_t frame_bytes(unsigned registers)
{
	return (int32_t)(registers * 8 + 15) & ~15;
}

/* st.d or ld.d of each of registers 6 to 10 in the mask, upwards from `offset`; returns the offset after the last. */
static int32_t transfer_registers(struct ebpf_emitter *e, uint32_t op, uint16_t registers, int32_t offset)
{
	unsigned reg;

	for (reg = 6; reg <= EBPF_R10; reg++) {
		if (registers & R(reg)) {
			i12(e, op, gpr(reg), SP, offset);
			offset += 8;
		}
	}
	return offset;
}

static void transfer_saved(struct ebpf_emitter *e, uint32_t op, const struct shape *shape)
{
	int32_t offset = transfer_registers(e, op, shape->saved, 0);

	if (shape->frame) {
		i12(e, op, FRAME, SP, offset);
		offset += 8;
	}
	if (shape->link)
		i12(e, op, RA, SP, offset);
}

static void enter(struct ebpf_emitter *e)
{
	struct shape shape = program_shape(e);

	if (saved_count(&shape))
		i12(e, ADDI_D, SP, SP, -frame_bytes(saved_count(&shape)));
	transfer_saved(e, ST_D, &shape);
	if (shape.frame)
		move_register(e, FRAME, A0);
	if (shape.calls)
		i12(e, ST_D, SP, FRAME, FIELD(saved_sp));
	if (shape.saved & R(EBPF_R10))
		i12(e, LD_D, gpr(EBPF_R10), A0, FIELD(stack_top));
	if (e->vm->live_at_entry & R(2))
		i12(e, LD_D, gpr(2), A0, FIELD(context_bytes));
	if (e->vm->live_at_entry & R(1))
		i12(e, LD_D, gpr(1), A0, FIELD(context));
}

static void leave(struct ebpf_emitter *e)
{
	struct shape shape = program_shape(e);

	move_register(e, A0, gpr(0));
	if (shape.calls)
		i12(e, LD_D, SP, FRAME, FIELD(saved_sp));
	transfer_saved(e, LD_D, &shape);
	if (saved_count(&shape))
		i12(e, ADDI_D, SP, SP, frame_bytes(saved_count(&shape)));
	ebpf_emit32(e, JR_RA);
}

static void clear(struct ebpf_emitter *e, uint16_t registers)
{
	unsigned reg;

	for (reg = 0; reg <= EBPF_R10; reg++) {
		if (registers & R(reg))
			move_register(e, gpr(reg), ZERO);
	}
}

/* Control. */

/* a condition b, both 64 bits wide; the machine has "less" and "not less", so "greater" exchanges the operands. */
static void branch_wide(struct ebpf_emitter *e, enum ebpf_condition condition, unsigned a, unsigned b, ebpf_label target)
{
	switch (condition) {
	case EBPF_EQ:
		jump_if(e, BEQ, a, b, target);
		break;
	case EBPF_NE:
		jump_if(e, BNE, a, b, target);
		break;
	case EBPF_GT:
		jump_if(e, BLTU, b, a, target);
		break;
	case EBPF_GE:
		jump_if(e, BGEU, a, b, target);
		break;
	case EBPF_LT:
		jump_if(e, BLTU, a, b, target);
		break;
	case EBPF_LE:
		jump_if(e, BGEU, b, a, target);
		break;
	case EBPF_SGT:
		jump_if(e, BLT, b, a, target);
		break;
	case EBPF_SGE:
		jump_if(e, BGE, a, b, target);
		break;
	case EBPF_SLT:
		jump_if(e, BLT, a, b, target);
		break;
	case EBPF_SLE:
		jump_if(e, BGE, b, a, target);
		break;
	default:
		r3(e, AND, T2, a, b);
		jump_if(e, BNEZ, T2, 0, target);
	}
}

/* 32 bits are compared sign-extended, which keeps the unsigned order as well as the signed one. */
static void branch(struct ebpf_emitter *e, enum ebpf_condition condition, bool wide, unsigned a, unsigned b, ebpf_label target)
{
	if (wide) {
		branch_wide(e, condition, gpr(a), gpr(b), target);
	} else if (condition == EBPF_SET) {
		r3(e, AND, T2, gpr(a), gpr(b));
		clear_upper_word(e, T2);
		jump_if(e, BNEZ, T2, 0, target);
	} else {
		sign_extend_word(e, T3, gpr(a));
		sign_extend_word(e, T4, gpr(b));
		branch_wide(e, condition, T3, T4, target);
	}
}

static bool branch_immediate(struct ebpf_emitter *e, enum ebpf_condition condition, bool wide, unsigned a, int32_t imm,
			     ebpf_label target)
{
	unsigned reg = gpr(a), constant = ZERO;

	if (condition == EBPF_SET) {
		if (imm < 0 || imm > 0xfff)
			return false;
		i12(e, ANDI, T2, reg, imm);
		jump_if(e, BNEZ, T2, 0, target);
		return true;
	}
	if (!wide) {
		sign_extend_word(e, T3, reg);
		reg = T3;
	}
	if (imm == 0 && (condition == EBPF_EQ || condition == EBPF_NE)) {
		jump_if(e, condition == EBPF_EQ ? BEQZ : BNEZ, reg, 0, target);
		return true;
	}
	if (imm) {
		set_register(e, T4, (uint64_t)(int64_t)imm);
		constant = T4;
	}
	branch_wide(e, condition, reg, constant, target);
	return true;
}

/* Calls. */

static void call_local(struct ebpf_emitter *e, ebpf_label function)
{
	call_label(e, function);
}

static int32_t function_frame_bytes(uint16_t saved)
{
	return frame_bytes(ebpf_count_bits(saved) + 1);
}

static void function_enter(struct ebpf_emitter *e, uint16_t saved)
{
	int32_t offset;

	i12(e, ADDI_D, SP, SP, -function_frame_bytes(saved));
	offset = transfer_registers(e, ST_D, saved, 0);
	i12(e, ST_D, RA, SP, offset);
	i12(e, ADDI_D, gpr(EBPF_R10), gpr(EBPF_R10), -EBPF_FRAME_BYTES);
}

static void function_leave(struct ebpf_emitter *e, uint16_t saved)
{
	int32_t offset;

	i12(e, ADDI_D, gpr(EBPF_R10), gpr(EBPF_R10), EBPF_FRAME_BYTES);
	offset = transfer_registers(e, LD_D, saved, 0);
	i12(e, LD_D, RA, SP, offset);
	i12(e, ADDI_D, SP, SP, function_frame_bytes(saved));
	ebpf_emit32(e, JR_RA);
}

/* The function's address is in $t2; all arguments except the sixth are in place. */
static void call_address(struct ebpf_emitter *e)
{
	i12(e, LD_D, ARGUMENT_6, FRAME, FIELD(helper_context));
	jirl(e, RA, T2);
	move_register(e, gpr(0), A0);
}

static void call_helper(struct ebpf_emitter *e, uint32_t number, bool unwinds)
{
	uint32_t offset = number * (uint32_t)sizeof(struct ebpf_helper_entry);

	i12(e, LD_D, T2, FRAME, FIELD(helpers));
	if (fits12(offset)) {
		i12(e, LD_D, T2, T2, (int32_t)offset);
	} else {
		set_register(e, T3, offset);
		r3(e, LDX_D, T2, T2, T3);
	}
	call_address(e);
	if (unwinds)
		jump_if(e, BEQZ, gpr(0), 0, ebpf_leave_label(e));
}

/* Keeps the entry's address in frame->scratch until its flags are read after the call. */
static void call_register(struct ebpf_emitter *e, unsigned number, ebpf_label bad)
{
	move_register(e, ADDRESS, gpr(number));
	i12(e, LD_D, T2, FRAME, FIELD(helper_count));
	jump_if(e, BGEU, ADDRESS, T2, bad);
	shift_by(e, SLLI_D, T3, ADDRESS, 4); /* sizeof(struct ebpf_helper_entry) is 16 */
	i12(e, LD_D, T2, FRAME, FIELD(helpers));
	r3(e, ADD_D, T3, T3, T2);
	i12(e, ST_D, T3, FRAME, FIELD(scratch));
	i12(e, LD_D, T2, T3, 0);
	jump_if(e, BEQZ, T2, 0, bad);
	call_address(e);
	i12(e, LD_D, T2, FRAME, FIELD(scratch));
	i12(e, LD_D, T2, T2, offsetof(struct ebpf_helper_entry, flags));
	i12(e, ANDI, T2, T2, EBPF_HELPER_UNWIND);
	/* result | (flag - 1) is 0 only if the flag is 1 and the result 0 */
	i12(e, ADDI_D, T2, T2, -1);
	r3(e, OR, T2, T2, gpr(0));
	jump_if(e, BEQZ, T2, 0, ebpf_leave_label(e));
}

/* Checks. */

static void charge(struct ebpf_emitter *e, uint32_t instructions, ebpf_label bad)
{
	i12(e, LD_D, T2, FRAME, FIELD(budget));
	set_register(e, T3, instructions);
	jump_if(e, BLTU, T2, T3, bad);
	r3(e, SUB_D, T2, T2, T3);
	i12(e, ST_D, T2, FRAME, FIELD(budget));
}

static void check_alignment(struct ebpf_emitter *e, struct ebpf_memory m, ebpf_label bad)
{
	address_of(e, m);
	i12(e, ANDI, T2, ADDRESS, (int32_t)m.bytes - 1);
	jump_if(e, BNEZ, T2, 0, bad);
}

static void check_bounds(struct ebpf_emitter *e, struct ebpf_memory m, ebpf_label routine, ebpf_label bad)
{
	address_of(e, m);
	call_label(e, routine);
	jump_if(e, BNEZ, T2, 0, bad);
}

static void fault(struct ebpf_emitter *e, enum ebpf_status status, uint32_t instruction, bool address)
{
	if (address)
		i12(e, ST_D, ADDRESS, FRAME, FIELD(fault_address));
	set_register(e, T2, status);
	i12(e, ST_D, T2, FRAME, FIELD(status));
	set_register(e, T2, instruction);
	i12(e, ST_D, T2, FRAME, FIELD(fault_instruction));
	jump(e, ebpf_leave_label(e));
}

const struct ebpf_backend ebpf_backend_loongarch64 = {
	.name = "loongarch64",
	.big_endian = false,
	.fusion_pays = true,
	.extension_costs = true,
	.features_known = EBPF_LOONGARCH_LAM,
	.swap_error = ebpf_loongarch_swap_error,
	.has_swapped_access = ebpf_loongarch_has_swapped_access,
	.enter = enter,
	.leave = leave,
	.clear = clear,
	.load_immediate = ebpf_loongarch_load_immediate,
	.move = ebpf_loongarch_move,
	.move_sign_extended = ebpf_loongarch_move_sign_extended,
	.negate = ebpf_loongarch_negate,
	.alu = ebpf_loongarch_alu,
	.alu_immediate = ebpf_loongarch_alu_immediate,
	.swap = ebpf_loongarch_swap,
	.truncate = ebpf_loongarch_truncate_register,
	.load = ebpf_loongarch_load,
	.store = ebpf_loongarch_store,
	.store_immediate = ebpf_loongarch_store_immediate,
	.atomic = ebpf_loongarch_atomic,
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
	.bounds_routine = ebpf_loongarch_bounds_routine,
	.fault = fault,
	.patch = patch,
};
