/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One instruction as text, in the syntax that LLVM's BPF assembler reads and llvm-objdump writes, so that a listing can
 * be assembled again. What has no syntax there (an unknown opcode) is shown in angle brackets. Reserved fields are neither
 * shown nor judged.
 */
#include "internal.h"

struct text {
	char *at;
	size_t bytes;
};

#define WRITE(t, ...) ebpf_format((t)->at, (t)->bytes, __VA_ARGS__)

static const char *width_name(unsigned bytes)
{
	return bytes == 1 ? "u8" : bytes == 2 ? "u16" : bytes == 4 ? "u32" : "u64";
}

static const char *signed_width_name(unsigned bytes)
{
	return bytes == 1 ? "s8" : bytes == 2 ? "s16" : "s32";
}

/* 32-bit operations name the low halves of registers, w0 to w9. */
static const char *reg(bool wide)
{
	return wide ? "r" : "w";
}

static void unknown(struct text *t, const struct ebpf_insn *insn)
{
	WRITE(t, "<unknown opcode %x>", (unsigned)insn->opcode);
}

static const char *alu_operator(uint8_t code, int16_t offset)
{
	switch (code) {
	case BPF_ADD:
		return "+=";
	case BPF_SUB:
		return "-=";
	case BPF_MUL:
		return "*=";
	case BPF_DIV:
		return offset == 1 ? "s/=" : "/=";
	case BPF_OR:
		return "|=";
	case BPF_AND:
		return "&=";
	case BPF_LSH:
		return "<<=";
	case BPF_RSH:
		return ">>=";
	case BPF_MOD:
		return offset == 1 ? "s%=" : "%=";
	case BPF_XOR:
		return "^=";
	case BPF_MOV:
		return "=";
	case BPF_ARSH:
		return "s>>=";
	default:
		return NULL;
	}
}

static void end(struct text *t, const struct ebpf_insn *insn)
{
	const char *order = insn->opcode == BPF_OP_LE ? "le" : insn->opcode == BPF_OP_BE ? "be" : "bswap";
	unsigned dst = insn->dst;

	if (insn->opcode == (BPF_OP_BSWAP | BPF_X) || (insn->imm != 16 && insn->imm != 32 && insn->imm != 64))
		unknown(t, insn);
	else
		WRITE(t, "r%u = %s%d r%u", dst, order, insn->imm, dst);
}

static void arithmetic(struct text *t, const struct ebpf_insn *insn)
{
	uint8_t code = BPF_CODE(insn->opcode);
	bool wide = BPF_CLASS(insn->opcode) == BPF_ALU64, by_register = BPF_SOURCE(insn->opcode) == BPF_X;
	const char *op = alu_operator(code, insn->offset), *r = reg(wide);
	unsigned dst = insn->dst, src = insn->src;

	if (code == BPF_END)
		end(t, insn);
	else if (code == BPF_NEG && !by_register)
		WRITE(t, "%s%u = -%s%u", r, dst, r, dst);
	else if (!op)
		unknown(t, insn);
	else if (code == BPF_MOV && by_register && insn->offset)
		WRITE(t, "%s%u = (s%d)%s%u", r, dst, insn->offset, r, src);
	else if (by_register)
		WRITE(t, "%s%u %s %s%u", r, dst, op, r, src);
	else
		WRITE(t, "%s%u %s %d", r, dst, op, insn->imm);
}

static const char *comparison(uint8_t code)
{
	static const char *const names[16] = {
		[BPF_JEQ >> 4] = "==", [BPF_JGT >> 4] = ">",   [BPF_JGE >> 4] = ">=",	[BPF_JSET >> 4] = "&",
		[BPF_JNE >> 4] = "!=", [BPF_JSGT >> 4] = "s>", [BPF_JSGE >> 4] = "s>=", [BPF_JLT >> 4] = "<",
		[BPF_JLE >> 4] = "<=", [BPF_JSLT >> 4] = "s<", [BPF_JSLE >> 4] = "s<=",
	};

	return names[code >> 4];
}

/* Jump distances always show their sign. */
static void distance(struct text *t, const char *before, int value)
{
	WRITE(t, value < 0 ? "%s %d" : "%s +%d", before, value);
}

static void conditional(struct text *t, const struct ebpf_insn *insn)
{
	const char *op = comparison(BPF_CODE(insn->opcode)), *r = reg(BPF_CLASS(insn->opcode) == BPF_JMP);
	const char *sign = insn->offset < 0 ? "" : "+";
	unsigned dst = insn->dst, src = insn->src;

	if (!op)
		unknown(t, insn);
	else if (BPF_SOURCE(insn->opcode) == BPF_X)
		WRITE(t, "if %s%u %s %s%u goto %s%d", r, dst, op, r, src, sign, insn->offset);
	else
		WRITE(t, "if %s%u %s %d goto %s%d", r, dst, op, insn->imm, sign, insn->offset);
}

static void jump(struct text *t, const struct ebpf_insn *insn)
{
	switch (insn->opcode) {
	case BPF_OP_JA:
		distance(t, "goto", insn->offset);
		break;
	case BPF_OP_JA32:
		distance(t, "gotol", insn->imm);
		break;
	case BPF_OP_CALL:
		if (insn->src == BPF_CALL_LOCAL)
			WRITE(t, "call pc%s%d", insn->imm < 0 ? "" : "+", insn->imm);
		else
			WRITE(t, insn->src == BPF_CALL_BTF ? "call btf %d" : "call %d", insn->imm);
		break;
	case BPF_OP_CALLX:
		WRITE(t, "callx r%u", insn->dst);
		break;
	case BPF_OP_EXIT:
		WRITE(t, "exit");
		break;
	default:
		conditional(t, insn);
	}
}

static void atomic(struct text *t, const struct ebpf_insn *insn, const char *sign, unsigned offset)
{
	static const char *const names[16] = {
		[BPF_ADD >> 4] = "add",
		[BPF_OR >> 4] = "or",
		[BPF_AND >> 4] = "and",
		[BPF_XOR >> 4] = "xor",
	};
	static const char *const operators[16] = {
		[BPF_ADD >> 4] = "+=",
		[BPF_OR >> 4] = "|=",
		[BPF_AND >> 4] = "&=",
		[BPF_XOR >> 4] = "^=",
	};
	bool wide = BPF_SIZE(insn->opcode) == BPF_DW;
	const char *u = wide ? "u64" : "u32", *r = reg(wide), *cast = wide ? "" : "32";
	unsigned code = (unsigned)(insn->imm >> 4 & 15), dst = insn->dst, src = insn->src;

	if (insn->imm == BPF_XCHG)
		WRITE(t, "%s%u = xchg%s_%s(r%u %s %u, %s%u)", r, src, cast, wide ? "64" : "32", dst, sign, offset, r, src);
	else if (insn->imm == BPF_CMPXCHG)
		WRITE(t, "%s0 = cmpxchg%s_%s(r%u %s %u, %s0, %s%u)", r, cast, wide ? "64" : "32", dst, sign, offset, r, r, src);
	else if ((insn->imm & ~0xf1) || !names[code])
		WRITE(t, "<unknown atomic operation %x>", (unsigned)insn->imm);
	else if (insn->imm & BPF_FETCH)
		WRITE(t, "%s%u = atomic_fetch_%s((%s *)(r%u %s %u), %s%u)", r, src, names[code], u, dst, sign, offset, r, src);
	else
		WRITE(t, "lock *(%s *)(r%u %s %u) %s %s%u", u, dst, sign, offset, operators[code], r, src);
}

static void memory(struct text *t, const struct ebpf_insn *insn)
{
	unsigned bytes = ebpf_access_bytes(insn->opcode), dst = insn->dst, src = insn->src;
	unsigned offset = insn->offset < 0 ? 0u - (unsigned)insn->offset : (unsigned)insn->offset;
	uint8_t mode = BPF_MODE(insn->opcode), class = BPF_CLASS(insn->opcode);
	const char *sign = insn->offset < 0 ? "-" : "+", *r = bytes == 8 ? "r" : "w";

	if (class == BPF_LDX && mode == BPF_MEM)
		WRITE(t, "%s%u = *(%s *)(r%u %s %u)", r, dst, width_name(bytes), src, sign, offset);
	else if (class == BPF_LDX && mode == BPF_MEMSX && bytes < 8)
		WRITE(t, "r%u = *(%s *)(r%u %s %u)", dst, signed_width_name(bytes), src, sign, offset);
	else if (class == BPF_ST && mode == BPF_MEM)
		WRITE(t, "*(%s *)(r%u %s %u) = %d", width_name(bytes), dst, sign, offset, insn->imm);
	else if (class == BPF_STX && mode == BPF_MEM)
		WRITE(t, "*(%s *)(r%u %s %u) = %s%u", width_name(bytes), dst, sign, offset, r, src);
	else if (class == BPF_STX && mode == BPF_ATOMIC && bytes >= 4)
		atomic(t, insn, sign, offset);
	else
		unknown(t, insn);
}

static void wide_immediate(struct text *t, const struct ebpf_insn *insn, uint32_t next_imm)
{
	static const char *const kinds[] = { "",	  "map_by_fd",	"map_val_by_fd", "var_addr",
					     "code_addr", "map_by_idx", "map_val_by_idx" };
	uint64_t value = (uint32_t)insn->imm | (uint64_t)next_imm << 32;
	unsigned dst = insn->dst;

	if (insn->src == EBPF_LDDW_VALUE)
		WRITE(t, "r%u = %X ll", dst, value);
	else if (insn->src > EBPF_LDDW_MAP_VALUE_BY_INDEX)
		unknown(t, insn);
	else
		WRITE(t, "r%u = %s(%u)+%u ll", dst, kinds[insn->src], (unsigned)insn->imm, (unsigned)next_imm);
}

/* The group "packet": what the verifier refuses by name can be read. Classic BPF adds the immediate to the register. */
static void packet(struct text *t, const struct ebpf_insn *insn)
{
	const char *width = width_name(ebpf_access_bytes(insn->opcode));

	if (BPF_MODE(insn->opcode) == BPF_ABS)
		WRITE(t, "r0 = *(%s *)skb[%d]", width, insn->imm);
	else if (insn->imm)
		WRITE(t, "r0 = *(%s *)skb[r%u %s %u]", width, (unsigned)insn->src, insn->imm < 0 ? "-" : "+",
		      insn->imm < 0 ? 0u - (unsigned)insn->imm : (unsigned)insn->imm);
	else
		WRITE(t, "r0 = *(%s *)skb[r%u]", width, (unsigned)insn->src);
}

static bool is_packet(uint8_t opcode)
{
	return (BPF_MODE(opcode) == BPF_ABS || BPF_MODE(opcode) == BPF_IND) && BPF_SIZE(opcode) != BPF_DW;
}

unsigned ebpf_disassemble(const void *bytecode, size_t bytes, enum ebpf_byte_order order, char *text, size_t text_bytes)
{
	const uint8_t *slots = bytecode;
	struct text t = { text, text_bytes };
	struct ebpf_insn insn, next;

	if (order != EBPF_LITTLE_ENDIAN && order != EBPF_BIG_ENDIAN) {
		WRITE(&t, "<unknown byte order>");
		return 1;
	}
	if (bytes < BPF_SLOT_BYTES) {
		WRITE(&t, "<truncated>");
		return 1;
	}
	ebpf_decode_slot(slots, order, &insn);
	switch (BPF_CLASS(insn.opcode)) {
	case BPF_ALU:
	case BPF_ALU64:
		arithmetic(&t, &insn);
		return 1;
	case BPF_JMP:
	case BPF_JMP32:
		jump(&t, &insn);
		return 1;
	case BPF_LD:
		if (is_packet(insn.opcode)) {
			packet(&t, &insn);
			return 1;
		}
		if (insn.opcode != BPF_OP_LDDW || bytes < 2 * BPF_SLOT_BYTES) {
			insn.opcode == BPF_OP_LDDW ? (void)WRITE(&t, "<truncated lddw>") : unknown(&t, &insn);
			return 1;
		}
		ebpf_decode_slot(slots + BPF_SLOT_BYTES, order, &next);
		wide_immediate(&t, &insn, (uint32_t)next.imm);
		return 2;
	default:
		memory(&t, &insn);
		return 1;
	}
}
