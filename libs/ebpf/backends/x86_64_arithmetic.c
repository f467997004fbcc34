/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The x86-64 back end's arithmetic, moves and byte swaps. x86_64.c opens with how the machine is used. */
#include "x86_64_encode.h"

void ebpf_x86_load_immediate(struct ebpf_emitter *e, unsigned dst, uint64_t value)
{
	set_register(e, x86(dst), value);
}

void ebpf_x86_move(struct ebpf_emitter *e, bool wide, unsigned dst, unsigned src)
{
	if (!wide || dst != src)
		mov_rr(e, wide, x86(dst), x86(src));
}

void ebpf_x86_move_sign_extended(struct ebpf_emitter *e, bool wide, unsigned bits, unsigned dst, unsigned src)
{
	unsigned to = x86(dst), from = x86(src);

	if (bits == 32) {
		op_rr(e, 0x63, true, to, from); /* movsxd */
	} else if (bits == 16) {
		op_rr(e, MAP_0F | 0xbf, wide, to, from);
	} else {
		/* movsx from a byte register: rm is the byte operand, so sil and dil need the REX byte for it */
		if (!wide && to < R8 && from >= RSP && from < R8)
			ebpf_emit8(e, 0x40);
		op_rr(e, MAP_0F | 0xbe, wide, to, from);
	}
}

void ebpf_x86_negate(struct ebpf_emitter *e, bool wide, unsigned dst)
{
	op_rr(e, 0xf7, wide, 3, x86(dst));
}

static bool is_remainder(enum ebpf_alu op)
{
	return op == EBPF_UMOD || op == EBPF_SMOD;
}

/*
 * dst = dst / rcx or dst % rcx by div or idiv, which take rdx:rax and leave quotient and remainder there. rax and rdx are
 * saved in r11 and r10; r10, EBPF_SCRATCH, is free because the divisor has been copied to rcx.
 */
static void divide_nonzero(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst)
{
	bool is_signed = op == EBPF_SDIV || op == EBPF_SMOD;
	unsigned result = is_remainder(op) ? RDX : RAX;

	if (dst != RAX)
		mov_rr(e, true, R11, RAX);
	if (dst != RDX)
		mov_rr(e, true, R10, RDX);
	if (dst != RAX)
		mov_rr(e, wide, RAX, dst);
	if (is_signed) {
		if (wide)
			ebpf_emit8(e, 0x48);
		ebpf_emit8(e, 0x99); /* cdq, cqo */
	} else {
		op_rr(e, 0x31, false, RDX, RDX);
	}
	op_rr(e, 0xf7, wide, is_signed ? 7 : 6, RCX);
	if (dst != result)
		mov_rr(e, wide, dst, result);
	if (dst != RAX)
		mov_rr(e, true, RAX, R11);
	if (dst != RDX)
		mov_rr(e, true, RDX, R10);
}

/* A zero divisor: the quotient is 0, the remainder is the dividend. */
static void divide_zero(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst)
{
	if (!is_remainder(op))
		op_rr(e, 0x31, false, dst, dst);
	else if (!wide)
		mov_rr(e, false, dst, dst);
}

/* A divisor of -1, for which idiv would trap with the smallest number. */
static void divide_minus_one(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst)
{
	if (is_remainder(op))
		op_rr(e, 0x31, false, dst, dst);
	else
		op_rr(e, 0xf7, wide, 3, dst);
}

static void divide(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, unsigned src)
{
	bool is_signed = op == EBPF_SDIV || op == EBPF_SMOD;
	uint32_t nonzero, regular = 0, end[2], minus_one = 0;

	mov_rr(e, wide, RCX, src);
	op_rr(e, 0x85, wide, RCX, RCX);
	nonzero = skip_if(e, CC_NE);
	divide_zero(e, op, wide, dst);
	end[0] = skip_always(e);
	close_skip(e, nonzero);
	if (is_signed) {
		op_imm(e, OP_CMP, wide, RCX, -1);
		regular = skip_if(e, CC_NE);
		divide_minus_one(e, op, wide, dst);
		minus_one = skip_always(e);
		close_skip(e, regular);
	}
	divide_nonzero(e, op, wide, dst);
	close_skip(e, end[0]);
	if (is_signed)
		close_skip(e, minus_one);
}

static unsigned shift_extension(enum ebpf_alu op)
{
	return op == EBPF_LSH ? 4 : op == EBPF_RSH ? 5 : 7;
}

/* shlx, shrx, sarx: VEX.LZ.{66,F2,F3}.0F38.F7, count in vvvv; they mask the count like shl does. */
static void shift_bmi2(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, unsigned src)
{
	unsigned prefix = op == EBPF_LSH ? 1 : op == EBPF_RSH ? 3 : 2;

	ebpf_emit8(e, 0xc4);
	ebpf_emit8(e, (uint8_t)((dst & 8 ? 0 : 0x80) | 0x40 | (dst & 8 ? 0 : 0x20) | 0x02));
	ebpf_emit8(e, (uint8_t)((wide ? 0x80 : 0) | (~src & 15) << 3 | prefix));
	ebpf_emit8(e, 0xf7);
	ebpf_emit8(e, (uint8_t)(0xc0 | (dst & 7) << 3 | (dst & 7)));
}

static void shift(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, unsigned src)
{
	if (ebpf_has_feature(e, EBPF_X86_BMI2)) {
		shift_bmi2(e, op, wide, dst, src);
		return;
	}
	mov_rr(e, false, COUNT, src);
	op_rr(e, 0xd3, wide, shift_extension(op), dst);
}

void ebpf_x86_alu(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, unsigned src)
{
	static const uint8_t opcodes[] = {
		[EBPF_ADD] = 0x01, [EBPF_SUB] = 0x29, [EBPF_OR] = 0x09, [EBPF_AND] = 0x21, [EBPF_XOR] = 0x31,
	};

	dst = x86(dst);
	src = x86(src);
	switch (op) {
	case EBPF_MUL:
		op_rr(e, MAP_0F | 0xaf, wide, dst, src);
		break;
	case EBPF_UDIV:
	case EBPF_UMOD:
	case EBPF_SDIV:
	case EBPF_SMOD:
		divide(e, op, wide, dst, src);
		break;
	case EBPF_LSH:
	case EBPF_RSH:
	case EBPF_ARSH:
		shift(e, op, wide, dst, src);
		break;
	default:
		op_rr(e, opcodes[op], wide, src, dst);
	}
}

bool ebpf_x86_alu_immediate(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, int32_t imm)
{
	static const uint8_t extensions[] = {
		[EBPF_ADD] = OP_ADD, [EBPF_SUB] = OP_SUB, [EBPF_OR] = OP_OR, [EBPF_AND] = OP_AND, [EBPF_XOR] = OP_XOR,
	};
	bool small = imm >= -128 && imm <= 127;

	dst = x86(dst);
	switch (op) {
	case EBPF_MUL:
		op_rr(e, small ? 0x6b : 0x69, wide, dst, dst);
		small ? ebpf_emit8(e, (uint8_t)imm) : ebpf_emit32(e, (uint32_t)imm);
		break;
	case EBPF_UDIV:
	case EBPF_UMOD:
	case EBPF_SDIV:
	case EBPF_SMOD:
		set_register(e, RCX, wide ? (uint64_t)(int64_t)imm : (uint32_t)imm);
		divide_nonzero(e, op, wide, dst);
		break;
	case EBPF_LSH:
	case EBPF_RSH:
	case EBPF_ARSH:
		op_rr(e, 0xc1, wide, shift_extension(op), dst);
		ebpf_emit8(e, (uint8_t)imm);
		break;
	default:
		op_imm(e, extensions[op], wide, dst, imm);
	}
	return true;
}

/* Byte order. */

const char *ebpf_x86_swap_error(uint32_t features, enum ebpf_swap swap)
{
	if (swap == EBPF_SWAP_MEMORY && !(features & EBPF_X86_MOVBE))
		return "byte swaps through memory need movbe";
	if (swap == EBPF_SWAP_VECTOR && !(features & EBPF_X86_SSSE3))
		return "byte swaps in vector registers need ssse3 (pshufb)";
	if (swap == EBPF_SWAP_ISA31)
		return "the isa31 byte swaps (brh, brw, brd) are POWER10's";
	return NULL;
}

bool ebpf_x86_has_swapped_access(uint32_t features, unsigned bytes)
{
	(void)bytes;
	return features & EBPF_X86_MOVBE;
}

void ebpf_x86_truncate(struct ebpf_emitter *e, unsigned bits, unsigned dst)
{
	dst = x86(dst);
	if (bits == 16)
		op_rr(e, MAP_0F | 0xb7, false, dst, dst);
	else
		mov_rr(e, false, dst, dst);
}

static void swap_memory(struct ebpf_emitter *e, unsigned bits, unsigned reg)
{
	op_rm(e, 0x89 | (bits == 16 ? P66 : 0), bits == 64, reg, FRAME, FRAME_FIELD(scratch));
	movbe_load(e, bits / 8, reg, FRAME, FRAME_FIELD(scratch));
}

/* movq xmm0; pshufb xmm0, [rip + constant]; movq back; the constant lies in the code, jumped over. */
static void swap_vector(struct ebpf_emitter *e, unsigned bits, unsigned reg)
{
	unsigned bytes = bits / 8, i;
	uint32_t over;

	op_rr(e, P66 | MAP_0F | 0x6e, true, 0, reg);
	over = skip_always(e);
	for (i = 0; i < 16; i++) /* bytes above the width become 0 */
		ebpf_emit8(e, i < bytes ? (uint8_t)(bytes - 1 - i) : 0x80);
	close_skip(e, over);
	/* movdqu xmm1, [rip - 24]; pshufb xmm0, xmm1 */
	ebpf_emit32(e, 0x0d6f0ff3);
	ebpf_emit32(e, (uint32_t)-24);
	op_rr(e, P66 | MAP_0F38 | 0x00, false, 0, 1);
	op_rr(e, P66 | MAP_0F | 0x7e, true, 0, reg);
}

void ebpf_x86_swap(struct ebpf_emitter *e, unsigned bits, unsigned dst, bool clear_upper)
{
	unsigned reg = x86(dst);

	if (ebpf_swap_strategy(e) == EBPF_SWAP_VECTOR) {
		swap_vector(e, bits, reg);
		return;
	}
	if (ebpf_swap_strategy(e) == EBPF_SWAP_MEMORY) {
		swap_memory(e, bits, reg);
	} else if (bits == 16) {
		op_rr(e, P66 | 0xc1, false, 0, reg); /* rol reg16, 8 */
		ebpf_emit8(e, 8);
	} else {
		opcode(e, MAP_0F | 0xc8 | (reg & 7), bits == 64, 0, reg); /* bswap; 32 bits clear the upper half */
	}
	if (bits == 16 && clear_upper)
		ebpf_x86_truncate(e, 16, dst);
}
