/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The back end for 64-bit LoongArch, lp64d calling convention.
 *
 * LoongArch for who has not written a code generator for it. All instructions are 32 bits: an opcode at the top, then
 * rk, rj, rd of 5 bits each at bits 10, 5 and 0, or an immediate in place of rk and more. $r0 is zero. There are no
 * flags: branches compare two registers, or one with zero. 32-bit operations (.w) sign-extend their results, eBPF wants
 * zeros above, so each is followed by bstrpick.d d, d, 31, 0, which picks bits 31 to 0; where it can, the code picks
 * other bits and shifts or masks in the same instruction. Divisions by zero and -2^63 / -1 do not trap; what they give is
 * not to be relied on. Displacements have 12 bits (signed), branches on two registers reach 128 kB, b and bl 128 MB.
 * (LoongArch Reference Manual, volume 1, chapter 2.)
 *
 * Registers. r1 to r5 are $a0 to $a4, C's arguments. r0 is $a5, moved to $a0 to return; after a helper the other way.
 * r6 to r9 and r10 are $s0 to $s4, which C preserves, and $s5 points to struct ebpf_frame. $t0 is EBPF_SCRATCH, $t1
 * holds the address that a failed check reports, $t2 to $t4 are temporaries.
 *
 * Byte swaps. revb.2h, revb.2w and revb.d need one instruction, and one more to clear the upper bits, which is left out
 * where fuse.c knows that they are clear or do not matter. There is no byte-reversed load or store to merge with.
 */
#include "loongarch64_encode.h"
#include "shape.h"

static const uint8_t machine_register[] = {
	9, 4, 5, 6, 7, 8, 23, 24, 25, 26, 27, 12,
};

enum { ZERO = 0, RA = 1, SP = 3, A0 = 4, ARGUMENT_6 = 9, ADDRESS = 13, T2 = 14, T3 = 15, T4 = 16, FRAME = 28 };

/* Branch forms that patch fills in: 16, 21 and 26 bits of displacement in words. */
enum { BRANCH_16 = 1, BRANCH_21 = 2, BRANCH_26 = 3 };

/* Conditional branches are taken to be short below this; the narrower field reaches 131068. */
#define SHORT_BRANCH_BYTES 130000

#define R(n) ((uint16_t)(1u << (n)))
#define FIELD(field) ((int32_t)offsetof(struct ebpf_frame, field))

static unsigned gpr(unsigned reg)
{
	return machine_register[reg];
}

static void move_register(struct ebpf_emitter *e, unsigned d, unsigned j)
{
	r3(e, OR, d, j, ZERO);
}

static void clear_upper_word(struct ebpf_emitter *e, unsigned reg)
{
	bstrpick(e, reg, reg, 31, 0);
}

static void finish(struct ebpf_emitter *e, bool wide, unsigned reg)
{
	if (!wide)
		clear_upper_word(e, reg);
}

static bool fits12(int64_t value)
{
	return value >= -2048 && value <= 2047;
}

/* From the bottom up: 12, 20, 20 and 12 bits, each step extending the sign, so that upper steps are often not needed. */
static void set_register(struct ebpf_emitter *e, unsigned reg, uint64_t value)
{
	int64_t number = (int64_t)value;

	if (fits12(number)) {
		i12(e, ADDI_D, reg, ZERO, (int32_t)number);
		return;
	}
	if (value <= 0xfff) {
		i12(e, ORI, reg, ZERO, (int32_t)value);
		return;
	}
	lu12i_w(e, reg, (uint32_t)(value >> 12));
	if (value & 0xfff)
		i12(e, ORI, reg, reg, (int32_t)(value & 0xfff));
	if (number >> 31 != number >> 63)
		lu32i_d(e, reg, (uint32_t)(value >> 32));
	if (number >> 51 != number >> 63)
		i12(e, LU52I_D, reg, reg, (int32_t)(value >> 52));
}

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
	return (unsigned)__builtin_popcount(shape->saved) + shape->frame + shape->link;
}

static int32_t frame_bytes(unsigned registers)
{
	return (int32_t)(registers * 8 + 15) & ~15;
}

/* st.d or ld.d of a mask of registers 6 to 10, upwards from `offset`; returns where it ends. */
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

/* Moves and arithmetic. */

static void load_immediate(struct ebpf_emitter *e, unsigned dst, uint64_t value)
{
	set_register(e, gpr(dst), value);
}

static void move(struct ebpf_emitter *e, bool wide, unsigned dst, unsigned src)
{
	if (!wide)
		bstrpick(e, gpr(dst), gpr(src), 31, 0);
	else if (dst != src)
		move_register(e, gpr(dst), gpr(src));
}

static void sign_extend_word(struct ebpf_emitter *e, unsigned d, unsigned j)
{
	i12(e, ADDI_W, d, j, 0);
}

static void move_sign_extended(struct ebpf_emitter *e, bool wide, unsigned bits, unsigned dst, unsigned src)
{
	if (bits == 32)
		sign_extend_word(e, gpr(dst), gpr(src));
	else
		r2(e, bits == 8 ? EXT_W_B : EXT_W_H, gpr(dst), gpr(src));
	finish(e, wide, gpr(dst));
}

static void negate(struct ebpf_emitter *e, bool wide, unsigned dst)
{
	r3(e, SUB_D, gpr(dst), ZERO, gpr(dst));
	finish(e, wide, gpr(dst));
}

static bool is_remainder(enum ebpf_alu op)
{
	return op == EBPF_UMOD || op == EBPF_SMOD;
}

static bool is_signed(enum ebpf_alu op)
{
	return op == EBPF_SDIV || op == EBPF_SMOD;
}

/* d = a / b for any b but -1 when signed: 0 if b is 0. */
static void quotient(struct ebpf_emitter *e, bool is_signed, unsigned d, unsigned a, unsigned divisor)
{
	r3(e, is_signed ? DIV_D : DIV_DU, T2, a, divisor);
	r3(e, MASKEQZ, d, T2, divisor);
}

/* d = a % b for any b but -1 when signed: a if b is 0. Four instructions. */
enum { REMAINDER_BYTES = 16 };

static void remainder_any(struct ebpf_emitter *e, bool is_signed, unsigned d, unsigned a, unsigned divisor)
{
	r3(e, is_signed ? MOD_D : MOD_DU, T2, a, divisor);
	r3(e, MASKEQZ, T2, T2, divisor);
	r3(e, MASKNEZ, d, a, divisor);
	r3(e, OR, d, d, T2);
}

/* Divisors 0 and -1 are those for which divisor + 1 is below 2, and for both the quotient is a * divisor. */
static void quotient_signed(struct ebpf_emitter *e, unsigned d, unsigned a, unsigned divisor)
{
	i12(e, ADDI_D, T2, divisor, 1);
	i12(e, SLTUI, T2, T2, 2);
	branch_by(e, BEQZ, T2, 0, 12);
	r3(e, MUL_D, d, a, divisor);
	branch_always(e, 8);
	r3(e, DIV_D, d, a, divisor);
}

static void remainder_signed(struct ebpf_emitter *e, unsigned d, unsigned a, unsigned divisor)
{
	i12(e, ADDI_D, T2, divisor, 1);
	branch_by(e, BNEZ, T2, 0, 12);
	move_register(e, d, ZERO);
	branch_always(e, 4 + REMAINDER_BYTES);
	remainder_any(e, true, d, a, divisor);
}

static void divide_wide(struct ebpf_emitter *e, enum ebpf_alu op, unsigned dst, unsigned src)
{
	if (op == EBPF_SDIV)
		quotient_signed(e, dst, dst, src);
	else if (op == EBPF_SMOD)
		remainder_signed(e, dst, dst, src);
	else if (op == EBPF_UMOD)
		remainder_any(e, false, dst, dst, src);
	else
		quotient(e, false, dst, dst, src);
}

static void extend_word(struct ebpf_emitter *e, bool is_signed, unsigned d, unsigned j)
{
	if (is_signed)
		sign_extend_word(e, d, j);
	else
		bstrpick(e, d, j, 31, 0);
}

/*
 * In 64 bits, because the .w divisions leave open what they give for operands that are not sign-extended. -2^31 / -1 is
 * no exception there.
 */
static void divide_word(struct ebpf_emitter *e, enum ebpf_alu op, unsigned dst, unsigned src)
{
	extend_word(e, is_signed(op), T3, dst);
	extend_word(e, is_signed(op), T4, src);
	if (is_remainder(op))
		remainder_any(e, is_signed(op), dst, T3, T4);
	else
		quotient(e, is_signed(op), dst, T3, T4);
	if (is_signed(op))
		clear_upper_word(e, dst);
}

static void alu(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, unsigned src)
{
	/* sll.w and the like take the count modulo 32, the .d forms modulo 64 */
	static const uint32_t wide_ops[] = {
		[EBPF_ADD] = ADD_D, [EBPF_SUB] = SUB_D,  [EBPF_MUL] = MUL_D,  [EBPF_OR] = OR,	   [EBPF_AND] = AND,
		[EBPF_XOR] = XOR,   [EBPF_LSH] = SLL_D,  [EBPF_RSH] = SRL_D,  [EBPF_ARSH] = SRA_D,
	};
	static const uint32_t word_ops[] = {
		[EBPF_ADD] = ADD_D, [EBPF_SUB] = SUB_D,  [EBPF_MUL] = MUL_D,  [EBPF_OR] = OR,	   [EBPF_AND] = AND,
		[EBPF_XOR] = XOR,   [EBPF_LSH] = SLL_W,  [EBPF_RSH] = SRL_W,  [EBPF_ARSH] = SRA_W,
	};

	dst = gpr(dst);
	src = gpr(src);
	switch (op) {
	case EBPF_UDIV:
	case EBPF_UMOD:
	case EBPF_SDIV:
	case EBPF_SMOD:
		if (wide)
			divide_wide(e, op, dst, src);
		else
			divide_word(e, op, dst, src);
		break;
	default:
		r3(e, wide ? wide_ops[op] : word_ops[op], dst, dst, src);
		finish(e, wide, dst);
	}
}

/* n if value is 2^n - 1 with n from 1, else 0. */
static unsigned ones(uint32_t value)
{
	return value && !(value & (value + 1)) ? (unsigned)__builtin_popcount(value) : 0;
}

static bool and_immediate(struct ebpf_emitter *e, bool wide, unsigned dst, int32_t imm)
{
	uint32_t mask = (uint32_t)imm;

	if (mask <= 0xfff) {
		i12(e, ANDI, dst, dst, imm);
	} else if (ones(mask) && !(wide && imm < 0)) {
		bstrpick(e, dst, dst, ones(mask) - 1, 0);
	} else if (ones(~mask) && imm < 0) {
		bstrins(e, dst, ZERO, ones(~mask) - 1, 0);
		finish(e, wide, dst);
	} else {
		return false;
	}
	return true;
}

static void shift_immediate(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, unsigned count)
{
	if (wide) {
		shift_by(e, op == EBPF_LSH ? SLLI_D : op == EBPF_RSH ? SRLI_D : SRAI_D, dst, dst, count);
	} else if (op == EBPF_RSH) {
		bstrpick(e, dst, dst, 31, count);
	} else {
		shift_by(e, op == EBPF_LSH ? SLLI_W : SRAI_W, dst, dst, count);
		clear_upper_word(e, dst);
	}
}

/* The divisor is neither 0 nor -1. */
static void divide_immediate(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, int32_t imm)
{
	static const uint32_t ops[] = {
		[EBPF_UDIV] = DIV_DU, [EBPF_UMOD] = MOD_DU, [EBPF_SDIV] = DIV_D, [EBPF_SMOD] = MOD_D,
	};
	bool zero_extended = !wide && !is_signed(op);

	set_register(e, T4, zero_extended ? (uint32_t)imm : (uint64_t)(int64_t)imm);
	if (!wide)
		extend_word(e, is_signed(op), dst, dst);
	r3(e, ops[op], dst, dst, T4);
	finish(e, wide || zero_extended, dst);
}

static bool alu_immediate(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, int32_t imm)
{
	dst = gpr(dst);
	switch (op) {
	case EBPF_ADD:
		if (!fits12(imm))
			return false;
		i12(e, ADDI_D, dst, dst, imm);
		finish(e, wide, dst);
		return true;
	case EBPF_AND:
		return and_immediate(e, wide, dst, imm);
	case EBPF_OR:
	case EBPF_XOR:
		if (op == EBPF_XOR && imm == -1) {
			r3(e, NOR, dst, dst, ZERO);
			finish(e, wide, dst);
			return true;
		}
		if (imm < 0 || imm > 0xfff)
			return false;
		i12(e, op == EBPF_OR ? ORI : XORI, dst, dst, imm);
		finish(e, wide, dst);
		return true;
	case EBPF_LSH:
	case EBPF_RSH:
	case EBPF_ARSH:
		shift_immediate(e, op, wide, dst, (unsigned)imm);
		return true;
	case EBPF_UDIV:
	case EBPF_UMOD:
	case EBPF_SDIV:
	case EBPF_SMOD:
		divide_immediate(e, op, wide, dst, imm);
		return true;
	default:
		return false;
	}
}

/* Byte order. */

static const char *swap_error(uint32_t features, enum ebpf_swap swap)
{
	(void)features;
	switch (swap) {
	case EBPF_SWAP_MEMORY:
		return "byte swaps through memory need a byte-reversed load, which LoongArch has not";
	case EBPF_SWAP_VECTOR:
		return "byte swaps in vector registers are not generated; revb takes one instruction";
	case EBPF_SWAP_ISA31:
		return "the isa31 byte swaps (brh, brw, brd) are POWER10's";
	default:
		return NULL;
	}
}

static bool has_swapped_access(uint32_t features, unsigned bytes)
{
	(void)features;
	(void)bytes;
	return false;
}

static void truncate_register(struct ebpf_emitter *e, unsigned bits, unsigned dst)
{
	bstrpick(e, gpr(dst), gpr(dst), bits - 1, 0);
}

/* With zeros above, revb.2h and revb.2w keep them: the halfword or word beside the operand is zero too. */
static void swap(struct ebpf_emitter *e, unsigned bits, unsigned dst, bool clear_upper)
{
	r2(e, bits == 16 ? REVB_2H : bits == 32 ? REVB_2W : REVB_D, gpr(dst), gpr(dst));
	if (clear_upper)
		truncate_register(e, bits, dst);
}

/* Memory. */

/* The displaced form, or the indexed one with the displacement in $t2. */
static void access(struct ebpf_emitter *e, uint32_t displaced, uint32_t by_index, unsigned reg, struct ebpf_memory m)
{
	if (fits12(m.offset)) {
		i12(e, displaced, reg, gpr(m.base), m.offset);
		return;
	}
	set_register(e, T2, (uint64_t)(int64_t)m.offset);
	r3(e, by_index, reg, gpr(m.base), T2);
}

static void load(struct ebpf_emitter *e, struct ebpf_memory m, unsigned dst, bool sign_extend, bool swapped)
{
	(void)swapped;
	switch (m.bytes) {
	case 1:
		access(e, sign_extend ? LD_B : LD_BU, sign_extend ? LDX_B : LDX_BU, gpr(dst), m);
		break;
	case 2:
		access(e, sign_extend ? LD_H : LD_HU, sign_extend ? LDX_H : LDX_HU, gpr(dst), m);
		break;
	case 4:
		access(e, sign_extend ? LD_W : LD_WU, sign_extend ? LDX_W : LDX_WU, gpr(dst), m);
		break;
	default:
		access(e, LD_D, LDX_D, gpr(dst), m);
	}
}

static void store_gpr(struct ebpf_emitter *e, struct ebpf_memory m, unsigned reg)
{
	switch (m.bytes) {
	case 1:
		access(e, ST_B, STX_B, reg, m);
		break;
	case 2:
		access(e, ST_H, STX_H, reg, m);
		break;
	case 4:
		access(e, ST_W, STX_W, reg, m);
		break;
	default:
		access(e, ST_D, STX_D, reg, m);
	}
}

static void store(struct ebpf_emitter *e, struct ebpf_memory m, unsigned src, bool swapped)
{
	(void)swapped;
	store_gpr(e, m, gpr(src));
}

static bool store_immediate(struct ebpf_emitter *e, struct ebpf_memory m, int32_t imm)
{
	if (imm == 0) {
		store_gpr(e, m, ZERO);
		return true;
	}
	if (m.bytes > 2)
		return false;
	set_register(e, gpr(EBPF_SCRATCH), (uint64_t)(int64_t)(int16_t)imm);
	store_gpr(e, m, gpr(EBPF_SCRATCH));
	return true;
}

static void address_of(struct ebpf_emitter *e, struct ebpf_memory m)
{
	if (fits12(m.offset)) {
		i12(e, ADDI_D, ADDRESS, gpr(m.base), m.offset);
		return;
	}
	set_register(e, ADDRESS, (uint64_t)(int64_t)m.offset);
	r3(e, ADD_D, ADDRESS, ADDRESS, gpr(m.base));
}

/* ll sign-extends a word, so it is compared with r0 sign-extended. */
static void compare_and_exchange(struct ebpf_emitter *e, bool wide, unsigned src)
{
	unsigned expected = gpr(0);

	if (!wide) {
		sign_extend_word(e, T4, expected);
		expected = T4;
	}
	ebpf_emit32(e, DBAR_0);
	r2(e, wide ? LL_D : LL_W, T2, ADDRESS);
	branch_by(e, BNE, T2, expected, 16);
	move_register(e, T3, src);
	r2(e, wide ? SC_D : SC_W, T3, ADDRESS);
	branch_by(e, BEQZ, T3, 0, -16);
	ebpf_emit32(e, DBAR_0);
	if (wide)
		move_register(e, gpr(0), T2);
	else
		bstrpick(e, gpr(0), T2, 31, 0);
}

/* The am*_db instructions are atomic and ordered by themselves; their rd may be neither rj nor rk. */
static void atomic(struct ebpf_emitter *e, struct ebpf_memory m, unsigned src, int32_t imm)
{
	bool wide = m.bytes == 8;
	uint32_t op;

	address_of(e, m);
	switch (imm & ~BPF_FETCH) {
	case BPF_ADD:
		op = wide ? AMADD_DB_D : AMADD_DB_W;
		break;
	case BPF_OR:
		op = wide ? AMOR_DB_D : AMOR_DB_W;
		break;
	case BPF_AND:
		op = wide ? AMAND_DB_D : AMAND_DB_W;
		break;
	case BPF_XOR:
		op = wide ? AMXOR_DB_D : AMXOR_DB_W;
		break;
	case BPF_XCHG & ~BPF_FETCH:
		op = wide ? AMSWAP_DB_D : AMSWAP_DB_W;
		break;
	default:
		compare_and_exchange(e, wide, gpr(src));
		return;
	}
	r3(e, op, T2, ADDRESS, gpr(src));
	if (!(imm & BPF_FETCH))
		return;
	if (wide)
		move_register(e, gpr(src), T2);
	else
		bstrpick(e, gpr(src), T2, 31, 0);
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
static void branch(struct ebpf_emitter *e, enum ebpf_condition condition, bool wide, unsigned a, unsigned b,
		   ebpf_label target)
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
	return frame_bytes((unsigned)__builtin_popcount(saved) + 1);
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

/* The function's address is in $t2; the arguments but the sixth are in place. */
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

/* The entry's address waits in frame->scratch for its flags to be looked at. */
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

/*
 * The address is in $t1; returns 0 in $t2 if it is good. For each region at $t0: if it has room for the access at all, and
 * address - start <= size - bytes, as unsigned numbers, the access is inside.
 */
static void bounds_routine(struct ebpf_emitter *e, unsigned bytes)
{
	const unsigned region = gpr(EBPF_SCRATCH);

	i12(e, LD_D, region, FRAME, FIELD(regions));
	i12(e, LD_D, T2, region, offsetof(struct ebpf_region, bytes)); /* the loop starts here */
	i12(e, SLTUI, T3, T2, (int32_t)bytes);
	branch_by(e, BNEZ, T3, 0, 7 * 4);
	i12(e, LD_D, T3, region, offsetof(struct ebpf_region, start));
	r3(e, SUB_D, T3, ADDRESS, T3);
	i12(e, ADDI_D, T2, T2, -(int32_t)bytes);
	branch_by(e, BLTU, T2, T3, 3 * 4);
	move_register(e, T2, ZERO);
	ebpf_emit32(e, JR_RA);
	i12(e, ADDI_D, region, region, sizeof(struct ebpf_region)); /* both skips end here */
	i12(e, LD_D, T3, FRAME, FIELD(regions_end));
	branch_by(e, BLTU, region, T3, -11 * 4);
	i12(e, ADDI_D, T2, ZERO, 1);
	ebpf_emit32(e, JR_RA);
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
	.features_known = 0,
	.swap_error = swap_error,
	.has_swapped_access = has_swapped_access,
	.enter = enter,
	.leave = leave,
	.clear = clear,
	.load_immediate = load_immediate,
	.move = move,
	.move_sign_extended = move_sign_extended,
	.negate = negate,
	.alu = alu,
	.alu_immediate = alu_immediate,
	.swap = swap,
	.truncate = truncate_register,
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
	.patch = patch,
};
