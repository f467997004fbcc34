/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * POWER instruction encodings for power.c: one line an instruction, named by its mnemonic, operands in the order of
 * the assembler.
 *
 * Every instruction is 32 bits. The forms used (Power ISA 3.1, book I, section 1.6):
 *   D    opcode 6 | RT 5 | RA 5 | 16-bit immediate        (the "DS" form keeps the low two bits for an extended opcode)
 *   X    31 | RT or RS | RA | RB | extended opcode 10 | Rc
 *   M    opcode | RS | RA | SH | MB | ME | Rc             rotates of a word and a mask
 *   MD   30 | RS | RA | sh 0:4 | mb 1:5 mb0 | xo 3 | sh5 | Rc   rotates of a doubleword
 *   B, I branches: displacement from the branch itself, in bytes, a multiple of 4
 */
#ifndef EBPF_POWER_ENCODE_H
#define EBPF_POWER_ENCODE_H

#include "../jit.h"

static inline void d_form(struct ebpf_emitter *e, unsigned op, unsigned t, unsigned a, int32_t imm)
{
	ebpf_emit32(e, op << 26 | t << 21 | a << 16 | ((uint32_t)imm & 0xffff));
}

static inline void x_form(struct ebpf_emitter *e, unsigned xo, unsigned t, unsigned a, unsigned b)
{
	ebpf_emit32(e, 31u << 26 | t << 21 | a << 16 | b << 11 | xo << 1);
}

static inline void x_record(struct ebpf_emitter *e, unsigned xo, unsigned t, unsigned a, unsigned b)
{
	ebpf_emit32(e, 31u << 26 | t << 21 | a << 16 | b << 11 | xo << 1 | 1);
}

/* clang-format off */
/* Opcodes of the D form. */
enum {
	MULLI = 7, CMPLI = 10, CMPI = 11, ADDI = 14, ADDIS = 15, ORI = 24, ORIS = 25, XORI = 26, XORIS = 27, ANDI_ = 28,
	ANDIS_ = 29, LWZ = 32, LBZ = 34, STW = 36, STB = 38, LHZ = 40, LHA = 42, STH = 44,
	DS_LOAD = 58, DS_STORE = 62,
};

/* Extended opcodes of primary opcode 31. */
enum {
	XO_CMP = 0, XO_CMPL = 32,
	XO_SUBF = 40, XO_NEG = 104, XO_MULLD = 233, XO_MULLW = 235, XO_ADD = 266,
	XO_DIVDU = 457, XO_DIVWU = 459, XO_DIVD = 489, XO_DIVW = 491,
	XO_MODUD = 265, XO_MODUW = 267, XO_MODSD = 777, XO_MODSW = 779,
	XO_AND = 28, XO_NOR = 124, XO_XOR = 316, XO_OR = 444,
	XO_SLW = 24, XO_SLD = 27, XO_SRW = 536, XO_SRD = 539, XO_SRAW = 792, XO_SRAD = 794, XO_SRAWI = 824,
	XO_EXTSH = 922, XO_EXTSB = 954, XO_EXTSW = 986,
	XO_LDX = 21, XO_LWZX = 23, XO_LBZX = 87, XO_LHZX = 279, XO_LWAX = 341, XO_LHAX = 343,
	XO_STDX = 149, XO_STWX = 151, XO_STBX = 215, XO_STHX = 407,
	XO_LDBRX = 532, XO_LWBRX = 534, XO_LHBRX = 790, XO_STDBRX = 660, XO_STWBRX = 662, XO_STHBRX = 918,
	XO_LWARX = 20, XO_LDARX = 84, XO_STWCX = 150, XO_STDCX = 214,
	XO_BRW = 155, XO_BRD = 187, XO_BRH = 219,
	XO_MFVSRD = 51, XO_MTVSRD = 179,
};

/* Instructions without operands that vary. */
enum {
	MFLR_R0 = 0x7c0802a6, MTLR_R0 = 0x7c0803a6, BLR = 0x4e800020, BCTRL = 0x4e800421, SYNC = 0x7c0004ac,
	ISYNC = 0x4c00012c,
};
/* clang-format on */

static inline void mtctr(struct ebpf_emitter *e, unsigned s)
{
	ebpf_emit32(e, 0x7c0903a6 | s << 21);
}

/* RA of 0 means the number 0 here, as in all of addi and the accesses. */
static inline void li(struct ebpf_emitter *e, unsigned t, int32_t imm)
{
	d_form(e, ADDI, t, 0, imm);
}

static inline void mr(struct ebpf_emitter *e, unsigned a, unsigned s)
{
	x_form(e, XO_OR, s, a, s);
}

static inline void ld(struct ebpf_emitter *e, unsigned t, int32_t displacement, unsigned a)
{
	d_form(e, DS_LOAD, t, a, displacement);
}

static inline void lwa(struct ebpf_emitter *e, unsigned t, int32_t displacement, unsigned a)
{
	d_form(e, DS_LOAD, t, a, displacement | 2);
}

static inline void std(struct ebpf_emitter *e, unsigned s, int32_t displacement, unsigned a)
{
	d_form(e, DS_STORE, s, a, displacement);
}

static inline void stdu(struct ebpf_emitter *e, unsigned s, int32_t displacement, unsigned a)
{
	d_form(e, DS_STORE, s, a, displacement | 1);
}

/* The low word rotated, ANDed with ones from bit `begin` to bit `end` of 0 to 31; clears the upper word if begin <= end. */
static inline void rlwinm(struct ebpf_emitter *e, unsigned a, unsigned s, unsigned rotate, unsigned begin, unsigned end)
{
	ebpf_emit32(e, 21u << 26 | s << 21 | a << 16 | rotate << 11 | begin << 6 | end << 1);
}

static inline void rlwinm_record(struct ebpf_emitter *e, unsigned a, unsigned s, unsigned rotate, unsigned begin, unsigned end)
{
	ebpf_emit32(e, 21u << 26 | s << 21 | a << 16 | rotate << 11 | begin << 6 | end << 1 | 1);
}

static inline void rlwimi(struct ebpf_emitter *e, unsigned a, unsigned s, unsigned rotate, unsigned begin, unsigned end)
{
	ebpf_emit32(e, 20u << 26 | s << 21 | a << 16 | rotate << 11 | begin << 6 | end << 1);
}

static inline void md_form(struct ebpf_emitter *e, unsigned xo, unsigned a, unsigned s, unsigned rotate, unsigned edge)
{
	ebpf_emit32(e, 30u << 26 | s << 21 | a << 16 | (rotate & 31) << 11 | (edge & 31) << 6 | (edge >> 5) << 5 | xo << 2 |
			       (rotate >> 5) << 1);
}

static inline void rldicl(struct ebpf_emitter *e, unsigned a, unsigned s, unsigned rotate, unsigned begin)
{
	md_form(e, 0, a, s, rotate, begin);
}

static inline void rldicr(struct ebpf_emitter *e, unsigned a, unsigned s, unsigned rotate, unsigned end)
{
	md_form(e, 1, a, s, rotate, end);
}

static inline void rldimi(struct ebpf_emitter *e, unsigned a, unsigned s, unsigned rotate, unsigned begin)
{
	md_form(e, 3, a, s, rotate, begin);
}

static inline void sradi(struct ebpf_emitter *e, unsigned a, unsigned s, unsigned count)
{
	ebpf_emit32(e, 31u << 26 | s << 21 | a << 16 | (count & 31) << 11 | 413u << 2 | (count >> 5) << 1);
}

/* Compares into CR0; `wide` is the L bit. */
static inline void cmp(struct ebpf_emitter *e, unsigned xo, bool wide, unsigned a, unsigned b)
{
	x_form(e, xo, wide, a, b);
}

static inline void cmp_imm(struct ebpf_emitter *e, unsigned op, bool wide, unsigned a, int32_t imm)
{
	d_form(e, op, wide, a, imm);
}

/* xxbrd of v0 (vs32) into itself: XX2 form, both high bits of the register numbers set. */
static inline void xxbrd_v0(struct ebpf_emitter *e)
{
	ebpf_emit32(e, 60u << 26 | 23u << 16 | 475u << 2 | 3);
}

/* Branch conditions: BO 12 (if true) or 4 (if false), and the bit of CR0: lt, gt, eq. */
enum {
	IF_LT = 12 << 5 | 0,
	IF_GT = 12 << 5 | 1,
	IF_EQ = 12 << 5 | 2,
	IF_GE = 4 << 5 | 0,
	IF_LE = 4 << 5 | 1,
	IF_NE = 4 << 5 | 2
};

/* The opposite condition: BO 12 and 4 differ in one bit. */
static inline unsigned opposite(unsigned condition)
{
	return condition ^ 8u << 5;
}

static inline void bc(struct ebpf_emitter *e, unsigned condition, int32_t displacement)
{
	ebpf_emit32(e, 16u << 26 | condition << 16 | ((uint32_t)displacement & 0xfffc));
}

static inline void b(struct ebpf_emitter *e, int32_t displacement)
{
	ebpf_emit32(e, 18u << 26 | ((uint32_t)displacement & 0x3fffffc));
}

#endif
