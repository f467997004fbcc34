/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The LoongArch back end's arithmetic, moves and byte swaps. loongarch64.c opens with how the machine is used.
 */
#include "loongarch64.h"

/* Moves and arithmetic. */

void ebpf_loongarch_load_immediate(struct ebpf_emitter *e, unsigned dst, uint64_t value)
{
	set_register(e, gpr(dst), value);
}

void ebpf_loongarch_move(struct ebpf_emitter *e, bool wide, unsigned dst, unsigned src)
{
	if (!wide)
		bstrpick(e, gpr(dst), gpr(src), 31, 0);
	else if (dst != src)
		move_register(e, gpr(dst), gpr(src));
}

void ebpf_loongarch_move_sign_extended(struct ebpf_emitter *e, bool wide, unsigned bits, unsigned dst, unsigned src)
{
	if (bits == 32)
		sign_extend_word(e, gpr(dst), gpr(src));
	else
		r2(e, bits == 8 ? EXT_W_B : EXT_W_H, gpr(dst), gpr(src));
	finish(e, wide, gpr(dst));
}

void ebpf_loongarch_negate(struct ebpf_emitter *e, bool wide, unsigned dst)
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
 * In 64 bits, because the result of a .w division is undefined for operands that are not sign-extended. In 64 bits,
 * -2^31 / -1 needs no special case.
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

void ebpf_loongarch_alu(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, unsigned src)
{
	/* sll.w and the like take the count modulo 32, the .d forms modulo 64 */
	static const uint32_t wide_ops[] = {
		[EBPF_ADD] = ADD_D, [EBPF_SUB] = SUB_D, [EBPF_MUL] = MUL_D, [EBPF_OR] = OR,	 [EBPF_AND] = AND,
		[EBPF_XOR] = XOR,   [EBPF_LSH] = SLL_D, [EBPF_RSH] = SRL_D, [EBPF_ARSH] = SRA_D,
	};
	static const uint32_t word_ops[] = {
		[EBPF_ADD] = ADD_D, [EBPF_SUB] = SUB_D, [EBPF_MUL] = MUL_D, [EBPF_OR] = OR,	 [EBPF_AND] = AND,
		[EBPF_XOR] = XOR,   [EBPF_LSH] = SLL_W, [EBPF_RSH] = SRL_W, [EBPF_ARSH] = SRA_W,
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
	return value && !(value & (value + 1)) ? ebpf_count_bits(value) : 0;
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
		[EBPF_UDIV] = DIV_DU,
		[EBPF_UMOD] = MOD_DU,
		[EBPF_SDIV] = DIV_D,
		[EBPF_SMOD] = MOD_D,
	};
	bool zero_extended = !wide && !is_signed(op);

	set_register(e, T4, zero_extended ? (uint32_t)imm : (uint64_t)(int64_t)imm);
	if (!wide)
		extend_word(e, is_signed(op), dst, dst);
	r3(e, ops[op], dst, dst, T4);
	finish(e, wide || zero_extended, dst);
}

bool ebpf_loongarch_alu_immediate(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, int32_t imm)
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

const char *ebpf_loongarch_swap_error(uint32_t features, enum ebpf_swap swap)
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

bool ebpf_loongarch_has_swapped_access(uint32_t features, unsigned bytes)
{
	(void)features;
	(void)bytes;
	return false;
}

void ebpf_loongarch_truncate_register(struct ebpf_emitter *e, unsigned bits, unsigned dst)
{
	bstrpick(e, gpr(dst), gpr(dst), bits - 1, 0);
}

/* With zeros above, revb.2h and revb.2w keep them: the halfword or word beside the operand is zero too. */
void ebpf_loongarch_swap(struct ebpf_emitter *e, unsigned bits, unsigned dst, bool clear_upper)
{
	r2(e, bits == 16 ? REVB_2H : bits == 32 ? REVB_2W : REVB_D, gpr(dst), gpr(dst));
	if (clear_upper)
		ebpf_loongarch_truncate_register(e, bits, dst);
}
