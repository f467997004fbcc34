/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Is one instruction an instruction of RFC 9669? Its opcode must be defined and each field that the opcode does not use
 * must be zero (section 3: "unused fields SHALL be cleared to zero"). The whole program's rules are in verify.c.
 */
#include "internal.h"

static const char *const unknown = "unknown opcode";

/* Which fields an instruction may use; the others must be zero. */
enum { USES_DST = 1, USES_SRC = 2, USES_OFFSET = 4, USES_IMM = 8 };

static const char *reserved(const struct ebpf_insn *insn, unsigned uses)
{
	if (insn->dst > EBPF_R10)
		return "the destination register does not exist";
	if (insn->src > EBPF_R10 && (uses & USES_SRC))
		return "the source register does not exist";
	if (!(uses & USES_DST) && insn->dst)
		return "the destination register field is reserved and must be 0";
	if (!(uses & USES_SRC) && insn->src)
		return "the source register field is reserved and must be 0";
	if (!(uses & USES_OFFSET) && insn->offset)
		return "the offset field is reserved and must be 0";
	if (!(uses & USES_IMM) && insn->imm)
		return "the immediate field is reserved and must be 0";
	return NULL;
}

static unsigned operand_fields(const struct ebpf_insn *insn)
{
	return USES_DST | (BPF_SOURCE(insn->opcode) == BPF_X ? USES_SRC : USES_IMM);
}

/* Section 4.2: le and be in the ALU class, bswap in ALU64; the width is the immediate. */
static const char *end_error(const struct ebpf_insn *insn)
{
	if (BPF_CLASS(insn->opcode) == BPF_ALU64 && BPF_SOURCE(insn->opcode) == BPF_X)
		return unknown;
	if (insn->imm != 16 && insn->imm != 32 && insn->imm != 64)
		return "the width of a byte swap must be 16, 32 or 64";
	return reserved(insn, USES_DST | USES_IMM);
}

/* Section 4.1: a move with an offset is a sign extension from that many bits, of a register. */
static const char *move_error(const struct ebpf_insn *insn)
{
	bool wide = BPF_CLASS(insn->opcode) == BPF_ALU64;

	if (BPF_SOURCE(insn->opcode) == BPF_K || insn->offset == 0)
		return reserved(insn, operand_fields(insn));
	if (insn->offset != 8 && insn->offset != 16 && !(insn->offset == 32 && wide))
		return wide ? "a sign extension is from 8, 16 or 32 bits" : "a 32-bit sign extension is from 8 or 16 bits";
	return reserved(insn, operand_fields(insn) | USES_OFFSET);
}

static const char *arithmetic_error(const struct ebpf_insn *insn)
{
	switch (BPF_CODE(insn->opcode)) {
	case BPF_ADD:
	case BPF_SUB:
	case BPF_MUL:
	case BPF_OR:
	case BPF_AND:
	case BPF_LSH:
	case BPF_RSH:
	case BPF_XOR:
	case BPF_ARSH:
		return reserved(insn, operand_fields(insn));
	case BPF_DIV:
	case BPF_MOD:
		if (insn->offset != 0 && insn->offset != 1)
			return "the offset of a division must be 0 (unsigned) or 1 (signed)";
		return reserved(insn, operand_fields(insn) | USES_OFFSET);
	case BPF_NEG:
		return BPF_SOURCE(insn->opcode) == BPF_X ? unknown : reserved(insn, USES_DST);
	case BPF_MOV:
		return move_error(insn);
	case BPF_END:
		return end_error(insn);
	default:
		return unknown;
	}
}

static const char *call_error(const struct ebpf_insn *insn)
{
	if (BPF_SOURCE(insn->opcode) == BPF_X)
		return reserved(insn, USES_DST);
	if (insn->src == BPF_CALL_BTF)
		return "calls of kernel functions by BTF id are not supported";
	if (insn->src > BPF_CALL_BTF)
		return "the source register field of a call must be 0 (helper), 1 (local function) or 2 (BTF id)";
	return reserved(insn, USES_IMM | USES_SRC);
}

static const char *jump_error(const struct ebpf_insn *insn)
{
	bool narrow = BPF_CLASS(insn->opcode) == BPF_JMP32;

	switch (BPF_CODE(insn->opcode)) {
	case BPF_JA:
		if (BPF_SOURCE(insn->opcode) == BPF_X)
			return unknown;
		return reserved(insn, narrow ? USES_IMM : USES_OFFSET);
	case BPF_CALL:
		return narrow ? unknown : call_error(insn);
	case BPF_EXIT:
		return narrow || BPF_SOURCE(insn->opcode) == BPF_X ? unknown : reserved(insn, 0);
	case 0xe0:
	case 0xf0:
		return unknown;
	default:
		return reserved(insn, operand_fields(insn) | USES_OFFSET);
	}
}

/* Section 5.4: src selects the kind; the second slot carries next_imm and nothing else. */
static const char *wide_immediate_error(const struct ebpf_insn *insn, const struct ebpf_insn *next)
{
	const char *error;

	if (!next)
		return "lddw takes two slots, and the program ends after the first";
	if (insn->src > EBPF_LDDW_MAP_VALUE_BY_INDEX)
		return "the source register field of lddw must be 0 to 6";
	error = reserved(insn, USES_DST | USES_SRC | USES_IMM);
	if (error)
		return error;
	if (next->opcode || next->dst || next->src || next->offset)
		return "the second slot of lddw must be zero but for its immediate";
	if (next->imm && insn->src != EBPF_LDDW_VALUE && insn->src != EBPF_LDDW_MAP_VALUE_BY_FD &&
	    insn->src != EBPF_LDDW_MAP_VALUE_BY_INDEX)
		return "the second immediate of this kind of lddw is reserved and must be 0";
	return NULL;
}

static const char *load_error(const struct ebpf_insn *insn, const struct ebpf_insn *next)
{
	uint8_t mode = BPF_MODE(insn->opcode);

	if (insn->opcode == BPF_OP_LDDW)
		return wide_immediate_error(insn, next);
	if ((mode == BPF_ABS || mode == BPF_IND) && BPF_SIZE(insn->opcode) != BPF_DW)
		return "packet access (the RFC's group \"packet\": ld abs, ld ind) is not supported";
	return unknown;
}

static const char *atomic_error(const struct ebpf_insn *insn)
{
	if (BPF_SIZE(insn->opcode) != BPF_W && BPF_SIZE(insn->opcode) != BPF_DW)
		return "an atomic operation is on 4 or 8 bytes";
	switch (insn->imm) {
	case BPF_ADD:
	case BPF_OR:
	case BPF_AND:
	case BPF_XOR:
	case BPF_ADD | BPF_FETCH:
	case BPF_OR | BPF_FETCH:
	case BPF_AND | BPF_FETCH:
	case BPF_XOR | BPF_FETCH:
	case BPF_XCHG:
	case BPF_CMPXCHG:
		return reserved(insn, USES_DST | USES_SRC | USES_OFFSET | USES_IMM);
	default:
		return "unknown atomic operation";
	}
}

static const char *memory_error(const struct ebpf_insn *insn)
{
	uint8_t mode = BPF_MODE(insn->opcode);

	switch (BPF_CLASS(insn->opcode)) {
	case BPF_LDX:
		if (mode == BPF_MEM || (mode == BPF_MEMSX && BPF_SIZE(insn->opcode) != BPF_DW))
			return reserved(insn, USES_DST | USES_SRC | USES_OFFSET);
		return unknown;
	case BPF_ST:
		return mode == BPF_MEM ? reserved(insn, USES_DST | USES_OFFSET | USES_IMM) : unknown;
	default:
		if (mode == BPF_ATOMIC)
			return atomic_error(insn);
		return mode == BPF_MEM ? reserved(insn, USES_DST | USES_SRC | USES_OFFSET) : unknown;
	}
}

const char *ebpf_field_error(const struct ebpf_insn *insn, const struct ebpf_insn *next)
{
	switch (BPF_CLASS(insn->opcode)) {
	case BPF_ALU:
	case BPF_ALU64:
		return arithmetic_error(insn);
	case BPF_JMP:
	case BPF_JMP32:
		return jump_error(insn);
	case BPF_LD:
		return load_error(insn, next);
	default:
		return memory_error(insn);
	}
}

/* The table of opcodes. */

/* Effects, put above the kind. */
#define READS_DST 0x10000
#define WRITES_DST 0x20000
#define SRC 0x40000
#define READS_WRITES (READS_DST | WRITES_DST)
#define ALL_IF(kind, effect) ((kind) & (effect) ? UINT16_MAX : 0)
#define ENTRY(opcode, kind, src, offset, imm) \
	[opcode] = { EBPF_KIND_PLAIN | ((kind) & 0xffff), \
		     (src) ? EBPF_R10 : 0, \
		     (offset) ? 0 : -1, \
		     (imm) ? 0 : -1, \
		     ALL_IF(kind, READS_DST), \
		     ALL_IF(kind, SRC), \
		     ALL_IF(kind, WRITES_DST), \
		     0 }

/* A form with a constant and one with a register. Divisions and moves with an offset are judged by arithmetic_error. */
#define BOTH(class, code, kind, offset) \
	ENTRY((class) | (code) | BPF_K, kind, false, offset, true), \
		ENTRY((class) | (code) | BPF_X, (kind) | SRC, true, offset, false)
#define ARITHMETIC(code) BOTH(BPF_ALU, code, READS_WRITES, false), BOTH(BPF_ALU64, code, READS_WRITES, false)
#define NEGATE(class) ENTRY((class) | BPF_NEG | BPF_K, READS_WRITES, false, false, false)
#define MOVE(class) BOTH(class, BPF_MOV, WRITES_DST, false)

#define CONDITIONAL (EBPF_KIND_CONTROL | EBPF_KIND_JUMP | EBPF_KIND_CONDITIONAL)
#define CONDITION(code) BOTH(BPF_JMP, code, CONDITIONAL | READS_DST, true), BOTH(BPF_JMP32, code, CONDITIONAL | READS_DST, true)

#define ACCESS(class, mode, size, kind, src, imm) ENTRY((class) | (mode) | (size), EBPF_KIND_ACCESS | (kind), src, true, imm)
#define LOAD(mode, size, kind) ACCESS(BPF_LDX, mode, size, WRITES_DST | SRC | (kind), true, false)
#define STORES(size) \
	ACCESS(BPF_ST, BPF_MEM, size, READS_DST, false, true), ACCESS(BPF_STX, BPF_MEM, size, READS_DST | SRC, true, false)
#define ODD(opcode, kind) [opcode] = { kind, 0, 0, 0, 0, 0, 0, 0 } /* not plain */

const struct ebpf_opcode ebpf_opcodes[256] = {
	ARITHMETIC(BPF_ADD),
	ARITHMETIC(BPF_SUB),
	ARITHMETIC(BPF_MUL),
	ARITHMETIC(BPF_DIV),
	ARITHMETIC(BPF_OR),
	ARITHMETIC(BPF_AND),
	ARITHMETIC(BPF_LSH),
	ARITHMETIC(BPF_RSH),
	ARITHMETIC(BPF_MOD),
	ARITHMETIC(BPF_XOR),
	ARITHMETIC(BPF_ARSH),
	NEGATE(BPF_ALU),
	NEGATE(BPF_ALU64),
	MOVE(BPF_ALU),
	MOVE(BPF_ALU64),
	CONDITION(BPF_JEQ),
	CONDITION(BPF_JGT),
	CONDITION(BPF_JGE),
	CONDITION(BPF_JSET),
	CONDITION(BPF_JNE),
	CONDITION(BPF_JSGT),
	CONDITION(BPF_JSGE),
	CONDITION(BPF_JLT),
	CONDITION(BPF_JLE),
	CONDITION(BPF_JSLT),
	CONDITION(BPF_JSLE),
	LOAD(BPF_MEM, BPF_B, EBPF_KIND_LOAD),
	LOAD(BPF_MEM, BPF_H, EBPF_KIND_LOAD),
	LOAD(BPF_MEM, BPF_W, EBPF_KIND_LOAD),
	LOAD(BPF_MEM, BPF_DW, EBPF_KIND_LOAD),
	LOAD(BPF_MEMSX, BPF_B, 0),
	LOAD(BPF_MEMSX, BPF_H, 0),
	LOAD(BPF_MEMSX, BPF_W, 0),
	STORES(BPF_B),
	STORES(BPF_H),
	STORES(BPF_W),
	STORES(BPF_DW),
	ODD(BPF_OP_LE, EBPF_KIND_SWAP),
	ODD(BPF_OP_BE, EBPF_KIND_SWAP),
	ODD(BPF_OP_BSWAP, EBPF_KIND_SWAP),
	ODD(BPF_STX | BPF_ATOMIC | BPF_W, EBPF_KIND_ACCESS),
	ODD(BPF_STX | BPF_ATOMIC | BPF_DW, EBPF_KIND_ACCESS),
	ODD(BPF_OP_JA, EBPF_KIND_CONTROL | EBPF_KIND_JUMP),
	ODD(BPF_OP_JA32, EBPF_KIND_CONTROL | EBPF_KIND_JUMP),
	ODD(BPF_OP_CALL, EBPF_KIND_CONTROL),
	ODD(BPF_OP_CALLX, EBPF_KIND_CONTROL),
	ODD(BPF_OP_EXIT, EBPF_KIND_CONTROL),
};
