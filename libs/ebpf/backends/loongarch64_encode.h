/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * LoongArch instruction encodings for loongarch64.c: opcodes already in place at the top of the word, and one function
 * for each form (LoongArch Reference Manual, volume 1, section 1.2 and appendix B).
 *
 *   2R      opcode | rj << 5 | rd
 *   3R      opcode | rk << 10 | rj << 5 | rd
 *   2RI12   opcode | 12 bits << 10 | rj << 5 | rd
 *   2RI16   opcode | displacement in words, 16 bits << 10 | rj << 5 | rd
 *   1RI21   opcode | its low 16 bits << 10 | rj << 5 | its high 5 bits
 *   I26     opcode | low 16 bits << 10 | high 10 bits
 */
#ifndef EBPF_LOONGARCH64_ENCODE_H
#define EBPF_LOONGARCH64_ENCODE_H

#include "../jit.h"

/* clang-format off */
enum {
	/* 2R */
	REVB_2H = 0x00003000, REVB_2W = 0x00003800, REVB_D = 0x00003c00, EXT_W_H = 0x00005800, EXT_W_B = 0x00005c00,
	/* and, with a displacement of 0 */
	LL_W = 0x20000000, SC_W = 0x21000000, LL_D = 0x22000000, SC_D = 0x23000000,
	/* 3R */
	ADD_D = 0x00108000, SUB_D = 0x00118000, MASKEQZ = 0x00130000, MASKNEZ = 0x00138000, NOR = 0x00140000, AND = 0x00148000,
	OR = 0x00150000, XOR = 0x00158000, SLL_W = 0x00170000, SRL_W = 0x00178000, SRA_W = 0x00180000,
	SLL_D = 0x00188000, SRL_D = 0x00190000, SRA_D = 0x00198000, MUL_D = 0x001d8000, DIV_D = 0x00220000,
	MOD_D = 0x00228000, DIV_DU = 0x00230000, MOD_DU = 0x00238000,
	LDX_B = 0x38000000, LDX_H = 0x38040000, LDX_W = 0x38080000, LDX_D = 0x380c0000, STX_B = 0x38100000,
	STX_H = 0x38140000, STX_W = 0x38180000, STX_D = 0x381c0000, LDX_BU = 0x38200000, LDX_HU = 0x38240000,
	LDX_WU = 0x38280000,
	AMSWAP_DB_W = 0x38690000, AMSWAP_DB_D = 0x38698000, AMADD_DB_W = 0x386a0000, AMADD_DB_D = 0x386a8000,
	AMAND_DB_W = 0x386b0000, AMAND_DB_D = 0x386b8000, AMOR_DB_W = 0x386c0000, AMOR_DB_D = 0x386c8000,
	AMXOR_DB_W = 0x386d0000, AMXOR_DB_D = 0x386d8000,
	/* 2RI12 */
	SLTUI = 0x02400000, ADDI_W = 0x02800000, ADDI_D = 0x02c00000, LU52I_D = 0x03000000, ANDI = 0x03400000,
	ORI = 0x03800000, XORI = 0x03c00000,
	LD_B = 0x28000000, LD_H = 0x28400000, LD_W = 0x28800000, LD_D = 0x28c00000, ST_B = 0x29000000,
	ST_H = 0x29400000, ST_W = 0x29800000, ST_D = 0x29c00000, LD_BU = 0x2a000000, LD_HU = 0x2a400000,
	LD_WU = 0x2a800000,
	/* shifts by a constant */
	SLLI_W = 0x00408000, SLLI_D = 0x00410000, SRLI_D = 0x00450000, SRAI_W = 0x00488000, SRAI_D = 0x00490000,
	/* branches; the opposite differs in one bit */
	BEQZ = 0x40000000, BNEZ = 0x44000000, B = 0x50000000, BL = 0x54000000, BEQ = 0x58000000, BNE = 0x5c000000,
	BLT = 0x60000000, BGE = 0x64000000, BLTU = 0x68000000, BGEU = 0x6c000000, OPPOSITE = 0x04000000,
	/* without operands that vary */
	JR_RA = 0x4c000020, DBAR_0 = 0x38720000,
};
/* clang-format on */

static inline void r2(struct ebpf_emitter *e, uint32_t op, unsigned d, unsigned j)
{
	ebpf_emit32(e, op | j << 5 | d);
}

static inline void r3(struct ebpf_emitter *e, uint32_t op, unsigned d, unsigned j, unsigned k)
{
	ebpf_emit32(e, op | k << 10 | j << 5 | d);
}

static inline void i12(struct ebpf_emitter *e, uint32_t op, unsigned d, unsigned j, int32_t imm)
{
	ebpf_emit32(e, op | ((uint32_t)imm & 0xfff) << 10 | j << 5 | d);
}

/* A shift count of 5 or 6 bits stands in the place of rk and, for the sixth bit, one above it. */
static inline void shift_by(struct ebpf_emitter *e, uint32_t op, unsigned d, unsigned j, unsigned count)
{
	ebpf_emit32(e, op | count << 10 | j << 5 | d);
}

static inline void lu12i_w(struct ebpf_emitter *e, unsigned d, uint32_t bits)
{
	ebpf_emit32(e, 0x14000000 | (bits & 0xfffff) << 5 | d);
}

static inline void lu32i_d(struct ebpf_emitter *e, unsigned d, uint32_t bits)
{
	ebpf_emit32(e, 0x16000000 | (bits & 0xfffff) << 5 | d);
}

/* d = bits high to low of j, zero-extended. */
static inline void bstrpick(struct ebpf_emitter *e, unsigned d, unsigned j, unsigned high, unsigned low)
{
	ebpf_emit32(e, 0x00c00000 | high << 16 | low << 10 | j << 5 | d);
}

/* Bits high to low of d = the low bits of j. */
static inline void bstrins(struct ebpf_emitter *e, unsigned d, unsigned j, unsigned high, unsigned low)
{
	ebpf_emit32(e, 0x00800000 | high << 16 | low << 10 | j << 5 | d);
}

static inline void jirl(struct ebpf_emitter *e, unsigned d, unsigned j)
{
	ebpf_emit32(e, 0x4c000000 | j << 5 | d);
}

/* A conditional branch within an instruction's own code, near enough for 16 bits; d is 0 for BEQZ and BNEZ. */
static inline void branch_by(struct ebpf_emitter *e, uint32_t op, unsigned j, unsigned d, int32_t displacement)
{
	uint32_t words = (uint32_t)(displacement / 4);
	/* beqz and bnez: the displacement's sign extends into the bits of rd */
	uint32_t high = (op == BEQZ || op == BNEZ) && displacement < 0 ? 0x1f : d;

	ebpf_emit32(e, op | (words & 0xffff) << 10 | j << 5 | high);
}

static inline void branch_always(struct ebpf_emitter *e, int32_t displacement)
{
	ebpf_emit32(e, B | ((uint32_t)(displacement / 4) & 0xffff) << 10);
}

#endif
