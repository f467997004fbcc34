/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The POWER back end's arithmetic, moves and byte swaps. power.c opens with how the machine is used.
 */
#include "power.h"

/* Byte order: the strategy for one width. */

enum { XXBRD_FEATURES = EBPF_POWER_ISA300 | EBPF_POWER_VSX };

static enum ebpf_swap strategy(const struct ebpf_emitter *e, unsigned bits)
{
	enum ebpf_swap wanted = ebpf_swap_strategy(e);

	if (wanted != EBPF_SWAP_AUTO)
		return wanted;
	if (ebpf_has_feature(e, EBPF_POWER_ISA310))
		return EBPF_SWAP_ISA31;
	if (bits < 64)
		return EBPF_SWAP_REGISTER;
	if (ebpf_has_feature(e, EBPF_POWER_ISA300) && ebpf_has_feature(e, EBPF_POWER_VSX))
		return EBPF_SWAP_VECTOR;
	return ebpf_has_feature(e, EBPF_POWER_ISA207) ? EBPF_SWAP_MEMORY : EBPF_SWAP_REGISTER;
}

const char *ebpf_power_swap_error(uint32_t features, enum ebpf_swap swap)
{
	if (swap == EBPF_SWAP_VECTOR && (features & XXBRD_FEATURES) != XXBRD_FEATURES)
		return "byte swaps in vector registers need isa300 and vsx (xxbrd)";
	if (swap == EBPF_SWAP_ISA31 && !(features & EBPF_POWER_ISA310))
		return "the isa31 byte swaps (brh, brw, brd) need isa310";
	return NULL;
}

bool ebpf_power_has_swapped_access(uint32_t features, unsigned bytes)
{
	return bytes < 8 || features & EBPF_POWER_ISA206;
}

/* Moves and arithmetic. */

void ebpf_power_load_immediate(struct ebpf_emitter *e, unsigned dst, uint64_t value)
{
	set_register(e, gpr(dst), value);
}

void ebpf_power_move(struct ebpf_emitter *e, bool wide, unsigned dst, unsigned src)
{
	if (!wide)
		rldicl(e, gpr(dst), gpr(src), 0, 32);
	else if (dst != src)
		mr(e, gpr(dst), gpr(src));
}

void ebpf_power_move_sign_extended(struct ebpf_emitter *e, bool wide, unsigned bits, unsigned dst, unsigned src)
{
	unsigned xo = bits == 8 ? XO_EXTSB : bits == 16 ? XO_EXTSH : XO_EXTSW;

	x_form(e, xo, gpr(src), gpr(dst), 0);
	finish(e, wide, gpr(dst));
}

void ebpf_power_negate(struct ebpf_emitter *e, bool wide, unsigned dst)
{
	x_form(e, XO_NEG, gpr(dst), gpr(dst), 0);
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

/* t = a / b, whatever b is. */
static void quotient(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned t, unsigned a, unsigned divisor)
{
	unsigned xo = is_signed(op) ? (wide ? XO_DIVD : XO_DIVW) : wide ? XO_DIVDU : XO_DIVWU;

	x_form(e, xo, t, a, divisor);
}

static void multiply(struct ebpf_emitter *e, bool wide, unsigned t, unsigned a, unsigned by)
{
	x_form(e, wide ? XO_MULLD : XO_MULLW, t, a, by);
}

/*
 * dst %= src, three instructions, for any divisor but -1 when signed. dst - dst / src * src: with a divisor of 0 the
 * quotient is undefined, but its product with 0 is 0, so the remainder is dst, as it should be. The modulo instructions
 * of ISA 3.0 leave the remainder undefined for 0 and are jumped over.
 */
enum { REMAINDER_BYTES = 12 };

static void remainder_any(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, unsigned src)
{
	if (ebpf_has_feature(e, EBPF_POWER_ISA300)) {
		unsigned xo = is_signed(op) ? (wide ? XO_MODSD : XO_MODSW) : wide ? XO_MODUD : XO_MODUW;

		cmp_imm(e, CMPI, wide, src, 0);
		bc(e, IF_EQ, 8);
		x_form(e, xo, dst, dst, src);
		return;
	}
	quotient(e, op, wide, T1, dst, src);
	multiply(e, wide, T1, T1, src);
	x_form(e, XO_SUBF, dst, T1, dst);
}

static void divide_unsigned(struct ebpf_emitter *e, bool wide, unsigned dst, unsigned src)
{
	cmp_imm(e, CMPLI, wide, src, 0);
	quotient(e, EBPF_UDIV, wide, dst, dst, src);
	bc(e, IF_NE, 8);
	li(e, dst, 0);
}

/* Divisors 0 and -1 are those for which divisor + 1 is at most 1, and for both the quotient is dst * divisor. */
static void divide_signed(struct ebpf_emitter *e, bool wide, unsigned dst, unsigned src)
{
	d_form(e, ADDI, T1, src, 1);
	cmp_imm(e, CMPLI, wide, T1, 1);
	bc(e, IF_GT, 12);
	multiply(e, wide, dst, dst, src);
	b(e, 8);
	quotient(e, EBPF_SDIV, wide, dst, dst, src);
}

static void remainder_signed(struct ebpf_emitter *e, bool wide, unsigned dst, unsigned src)
{
	cmp_imm(e, CMPI, wide, src, -1);
	bc(e, IF_NE, 12);
	li(e, dst, 0);
	b(e, 4 + REMAINDER_BYTES);
	remainder_any(e, EBPF_SMOD, wide, dst, src);
}

static void divide(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, unsigned src)
{
	switch (op) {
	case EBPF_UDIV:
		divide_unsigned(e, wide, dst, src);
		break;
	case EBPF_UMOD:
		remainder_any(e, op, wide, dst, src);
		break;
	case EBPF_SDIV:
		divide_signed(e, wide, dst, src);
		break;
	default:
		remainder_signed(e, wide, dst, src);
	}
}

/* The count is masked first: POWER's shifts look at one bit more and give 0 or the sign for large counts. */
static void shift(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, unsigned src)
{
	unsigned xo = op == EBPF_LSH ? (wide ? XO_SLD : XO_SLW) :
		      op == EBPF_RSH ? (wide ? XO_SRD : XO_SRW) :
		      wide	     ? XO_SRAD :
				       XO_SRAW;

	if (wide)
		rldicl(e, T1, src, 0, 58);
	else
		rlwinm(e, T1, src, 0, 27, 31);
	x_form(e, xo, dst, dst, T1);
	if (op == EBPF_ARSH) /* slw and srw clear the upper half themselves */
		finish(e, wide, dst);
}

void ebpf_power_alu(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, unsigned src)
{
	dst = gpr(dst);
	src = gpr(src);
	switch (op) {
	case EBPF_ADD:
		x_form(e, XO_ADD, dst, dst, src);
		break;
	case EBPF_SUB:
		x_form(e, XO_SUBF, dst, src, dst);
		break;
	case EBPF_MUL:
		multiply(e, wide, dst, dst, src);
		break;
	case EBPF_OR:
		x_form(e, XO_OR, dst, dst, src);
		break;
	case EBPF_AND:
		x_form(e, XO_AND, dst, dst, src);
		break;
	case EBPF_XOR:
		x_form(e, XO_XOR, dst, dst, src);
		break;
	case EBPF_LSH:
	case EBPF_RSH:
	case EBPF_ARSH:
		shift(e, op, wide, dst, src);
		return;
	default:
		divide(e, op, wide, dst, src);
	}
	finish(e, wide, dst);
}

/*
 * In one instruction or not at all. addis and addi are one instruction fewer than lis, ori and add, but both depend on
 * dst, and constants of 32 bits are mostly added in hashes, whose operations form one dependency chain.
 */
static bool add_immediate(struct ebpf_emitter *e, bool wide, unsigned dst, int32_t imm)
{
	if (fits16(imm))
		d_form(e, ADDI, dst, dst, imm);
	else if (!(imm & 0xffff))
		d_form(e, ADDIS, dst, dst, imm >> 16);
	else
		return false;
	finish(e, wide, dst);
	return true;
}

static bool and_immediate(struct ebpf_emitter *e, bool wide, unsigned dst, int32_t imm)
{
	uint32_t mask = (uint32_t)imm;
	unsigned begin, end;

	if (wide && imm < 0) {
		uint32_t cleared = ~mask;

		if (cleared & (cleared + 1)) /* not all in the low bits */
			return false;
		rldicr(e, dst, dst, 0, 63 - ebpf_count_bits(cleared));
	} else if (mask <= 0xffff) {
		d_form(e, ANDI_, dst, dst, imm);
	} else if (!(mask & 0xffff)) {
		d_form(e, ANDIS_, dst, dst, (int32_t)(mask >> 16));
	} else if (is_run(mask, &begin, &end)) {
		rlwinm(e, dst, dst, 0, begin, end);
	} else {
		return false;
	}
	return true; /* and the upper half is clear in all forms for 32 bits */
}

static bool or_immediate(struct ebpf_emitter *e, unsigned low_op, bool wide, unsigned dst, int32_t imm)
{
	if (wide && imm < 0)
		return false;
	if (imm & 0xffff)
		d_form(e, low_op, dst, dst, imm & 0xffff);
	if ((uint32_t)imm >> 16) /* oris and xoris are the next opcode */
		d_form(e, low_op + 1, dst, dst, (int32_t)((uint32_t)imm >> 16));
	finish(e, wide, dst);
	return true;
}

static bool shift_immediate(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, unsigned count)
{
	if (op == EBPF_LSH && wide)
		rldicr(e, dst, dst, count, 63 - count);
	else if (op == EBPF_LSH)
		rlwinm(e, dst, dst, count, 0, 31 - count);
	else if (op == EBPF_RSH && wide)
		rldicl(e, dst, dst, 64 - count, count);
	else if (op == EBPF_RSH)
		rlwinm(e, dst, dst, 32 - count, count, 31);
	else if (wide)
		sradi(e, dst, dst, count);
	else
		x_form(e, XO_SRAWI, dst, dst, count);
	if (op == EBPF_ARSH)
		finish(e, wide, dst);
	return true;
}

/* The divisor is neither 0 nor -1. */
static bool divide_immediate(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, int32_t imm)
{
	set_register(e, T2, wide ? (uint64_t)(int64_t)imm : (uint32_t)imm);
	if (is_remainder(op)) {
		quotient(e, op, wide, T1, dst, T2);
		multiply(e, wide, T1, T1, T2);
		x_form(e, XO_SUBF, dst, T1, dst);
	} else {
		quotient(e, op, wide, dst, dst, T2);
	}
	finish(e, wide, dst);
	return true;
}

bool ebpf_power_alu_immediate(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, int32_t imm)
{
	dst = gpr(dst);
	switch (op) {
	case EBPF_ADD:
		return add_immediate(e, wide, dst, imm);
	case EBPF_AND:
		return and_immediate(e, wide, dst, imm);
	case EBPF_OR:
		return or_immediate(e, ORI, wide, dst, imm);
	case EBPF_XOR:
		if (imm != -1)
			return or_immediate(e, XORI, wide, dst, imm);
		x_form(e, XO_NOR, dst, dst, dst);
		finish(e, wide, dst);
		return true;
	case EBPF_LSH:
	case EBPF_RSH:
	case EBPF_ARSH:
		return shift_immediate(e, op, wide, dst, (unsigned)imm);
	case EBPF_MUL:
		if (!fits16(imm))
			return false;
		d_form(e, MULLI, dst, dst, imm);
		finish(e, wide, dst);
		return true;
	case EBPF_SUB:
		return false;
	default:
		return divide_immediate(e, op, wide, dst, imm);
	}
}

/* Byte order. */

void ebpf_power_truncate_register(struct ebpf_emitter *e, unsigned bits, unsigned dst)
{
	rldicl(e, gpr(dst), gpr(dst), 0, 64 - bits);
}

/* Rotated by 8, a word has two bytes in their places; the other two come from it rotated by 24. Clears the upper half. */
static void reverse_word(struct ebpf_emitter *e, unsigned to, unsigned from)
{
	rlwinm(e, to, from, 8, 0, 31);
	rlwimi(e, to, from, 24, 0, 7);
	rlwimi(e, to, from, 24, 16, 23);
}

static void swap_register(struct ebpf_emitter *e, unsigned bits, unsigned reg)
{
	if (bits == 16) {
		/* Copy the low byte above the high one, then shift down by one byte. */
		rlwimi(e, reg, reg, 16, 8, 15);
		rlwinm(e, reg, reg, 24, 16, 31);
	} else if (bits == 32) {
		reverse_word(e, T1, reg);
		mr(e, reg, T1);
	} else {
		rldicl(e, T2, reg, 32, 32);
		reverse_word(e, T1, reg);
		reverse_word(e, reg, T2);
		rldimi(e, reg, T1, 32, 0);
	}
}

static void swap_memory(struct ebpf_emitter *e, unsigned bits, unsigned reg)
{
	bool big = e->backend->big_endian;
	unsigned base = e->note & NOTE_FRAME ? FRAME : SP, at = FRAME;
	int32_t displacement = e->note & NOTE_FRAME ? 0 : PROTECTED_SCRATCH;

	if (base == SP) { /* byte-reversed loads have no displacement */
		at = ADDRESS;
		d_form(e, ADDI, at, SP, displacement);
	}
	if (bits == 16) {
		d_form(e, STH, reg, base, displacement);
		x_form(e, XO_LHBRX, reg, 0, at);
	} else if (bits == 32) {
		d_form(e, STW, reg, base, displacement);
		x_form(e, XO_LWBRX, reg, 0, at);
	} else if (ebpf_has_feature(e, EBPF_POWER_ISA206)) {
		std(e, reg, displacement, base);
		x_form(e, XO_LDBRX, reg, 0, at);
	} else {
		/* The low word reversed becomes the high one. */
		std(e, reg, displacement, base);
		li(e, T2, 4);
		x_form(e, XO_LWBRX, T1, big ? at : 0, big ? T2 : at);
		x_form(e, XO_LWBRX, reg, big ? 0 : at, big ? at : T2);
		rldimi(e, reg, T1, 32, 0);
	}
}

static void swap_vector(struct ebpf_emitter *e, unsigned bits, unsigned reg)
{
	word(e, 31u << 26 | reg << 16 | XO_MTVSRD << 1 | 1); /* to v0 */
	xxbrd_v0(e);
	word(e, 31u << 26 | reg << 16 | XO_MFVSRD << 1 | 1);
	if (bits < 64)
		rldicl(e, reg, reg, bits, 64 - bits);
}

static void swap_isa31(struct ebpf_emitter *e, unsigned bits, unsigned reg, bool clear_upper)
{
	x_form(e, bits == 16 ? XO_BRH : bits == 32 ? XO_BRW : XO_BRD, reg, reg, 0);
	if (clear_upper) /* brh and brw reverse all halfwords or words */
		rldicl(e, reg, reg, 0, 64 - bits);
}

void ebpf_power_swap(struct ebpf_emitter *e, unsigned bits, unsigned dst, bool clear_upper)
{
	switch (strategy(e, bits)) {
	case EBPF_SWAP_MEMORY:
		swap_memory(e, bits, gpr(dst));
		break;
	case EBPF_SWAP_VECTOR:
		swap_vector(e, bits, gpr(dst));
		break;
	case EBPF_SWAP_ISA31:
		swap_isa31(e, bits, gpr(dst), clear_upper);
		break;
	default:
		swap_register(e, bits, gpr(dst));
	}
}
