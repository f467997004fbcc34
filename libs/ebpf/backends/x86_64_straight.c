/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The fast path of compilation for x86-64: two tables by opcode. One bounds the length of an instruction's code, which makes
 * the first pass unnecessary; the other holds the code itself where that is one machine instruction, as most of a long
 * program's are.
 */
#include "x86_64_encode.h"

/*
 * Upper bounds, from which follows which jumps can be short: the most bytes that x86_64.c and x86_64_arithmetic.c emit for
 * an opcode whose constant and offset fit a byte each; either that does not fit takes three more.
 */
#define ARITHMETIC_BYTES(code, k, x) \
	[BPF_ALU | (code) | BPF_K] = (k), [BPF_ALU64 | (code) | BPF_K] = (k), [BPF_ALU | (code) | BPF_X] = (x), \
			    [BPF_ALU64 | (code) | BPF_X] = (x)
#define BRANCH_BYTES(code, k) \
	[BPF_JMP | (code) | BPF_K] = (k), [BPF_JMP32 | (code) | BPF_K] = (k), [BPF_JMP | (code) | BPF_X] = 9, \
			    [BPF_JMP32 | (code) | BPF_X] = 9
#define ACCESS_BYTES(size) \
	[BPF_LDX | BPF_MEM | (size)] = 5, [BPF_LDX | BPF_MEMSX | (size)] = 5, [BPF_ST | BPF_MEM | (size)] = 9, \
			     [BPF_STX | BPF_MEM | (size)] = 5

static const uint8_t bytes_max[256] = {
	ARITHMETIC_BYTES(BPF_ADD, 4, 3),
	ARITHMETIC_BYTES(BPF_SUB, 4, 3),
	ARITHMETIC_BYTES(BPF_MUL, 4, 4),
	ARITHMETIC_BYTES(BPF_DIV, 64, 64),
	ARITHMETIC_BYTES(BPF_MOD, 64, 64),
	ARITHMETIC_BYTES(BPF_OR, 4, 3),
	ARITHMETIC_BYTES(BPF_AND, 4, 3),
	ARITHMETIC_BYTES(BPF_XOR, 4, 3),
	ARITHMETIC_BYTES(BPF_LSH, 4, 6),
	ARITHMETIC_BYTES(BPF_RSH, 4, 6),
	ARITHMETIC_BYTES(BPF_ARSH, 4, 6),
	ARITHMETIC_BYTES(BPF_NEG, 3, 3),
	ARITHMETIC_BYTES(BPF_MOV, 7, 4),
	ARITHMETIC_BYTES(BPF_END, 9, 9),
	BRANCH_BYTES(BPF_JEQ, 10),
	BRANCH_BYTES(BPF_JGT, 10),
	BRANCH_BYTES(BPF_JGE, 10),
	BRANCH_BYTES(BPF_JSET, 13),
	BRANCH_BYTES(BPF_JNE, 10),
	BRANCH_BYTES(BPF_JSGT, 10),
	BRANCH_BYTES(BPF_JSGE, 10),
	BRANCH_BYTES(BPF_JLT, 10),
	BRANCH_BYTES(BPF_JLE, 10),
	BRANCH_BYTES(BPF_JSLT, 10),
	BRANCH_BYTES(BPF_JSLE, 10),
	ACCESS_BYTES(BPF_B),
	ACCESS_BYTES(BPF_H),
	ACCESS_BYTES(BPF_W),
	ACCESS_BYTES(BPF_DW),
	[BPF_STX | BPF_ATOMIC | BPF_W] = 72,
	[BPF_STX | BPF_ATOMIC | BPF_DW] = 72,
	[BPF_OP_JA] = 5,
	[BPF_OP_JA32] = 5,
	[BPF_OP_CALL] = 64,
	[BPF_OP_CALLX] = 128,
	[BPF_OP_EXIT] = 32,
	[BPF_OP_LDDW] = 10,
};

/* function_enter: four registers pushed, the stack aligned, r10 moved. function_leave and `ret` are in an exit's 32 and these. */
#define FUNCTION_ENTER_BYTES_MAX 18

static bool fits8(int32_t value)
{
	return value >= -128 && value <= 127;
}

uint32_t ebpf_x86_estimate(struct ebpf_emitter *e, uint32_t start)
{
	const struct ebpf_insn *insn = e->vm->program, *const end = insn + e->vm->slots;
	uint32_t *at = e->position, bytes = start;

	if (e->target->swap != EBPF_SWAP_AUTO || e->target->fusion == EBPF_FUSION_ON)
		return 0;
	for (; insn < end; insn++) {
		bytes += insn->flags & EBPF_INSN_FUNCTION ? FUNCTION_ENTER_BYTES_MAX : 0;
		bytes += insn->flags & EBPF_INSN_LOOP ? LOOP_ALIGNMENT - 1 : 0;
		*at++ = bytes;
		bytes += bytes_max[insn->opcode] + (fits8(insn->imm) ? 0 : 3) + (fits8(insn->offset) ? 0 : 3);
	}
	return bytes;
}

/*
 * An eBPF instruction that is one machine instruction: the opcode, with the prefix bits that op_rr and op_rm take above it,
 * and one of these forms. The code is the same as from the functions in x86_64.c and x86_64_arithmetic.c, which also handle
 * the cases that this table leaves out.
 */
enum form {
	ALU_REGISTER = 1u << 27,
	ALU_CONSTANT = 2u << 27, /* the opcode is the extension for op_imm */
	MOVE_REGISTER = 3u << 27,
	MOVE_CONSTANT = 4u << 27,
	LOAD = 5u << 27,
	STORE = 6u << 27,
	FORM_MASK = 7u << 27,
};
#define WIDE 0x4000000

#define ALU(code, by_register, extension) \
	[BPF_ALU | (code) | BPF_X] = ALU_REGISTER | (by_register), [BPF_ALU | (code) | BPF_K] = ALU_CONSTANT | (extension), \
			    [BPF_ALU64 | (code) | BPF_X] = ALU_REGISTER | WIDE | (by_register), \
			    [BPF_ALU64 | (code) | BPF_K] = ALU_CONSTANT | WIDE | (extension)
#define ACCESS(size, load, store) [BPF_LDX | BPF_MEM | (size)] = LOAD | (load), [BPF_STX | BPF_MEM | (size)] = STORE | (store)

static const uint32_t straight_code[256] = {
	ALU(BPF_ADD, 0x01, OP_ADD),
	ALU(BPF_OR, 0x09, OP_OR),
	ALU(BPF_AND, 0x21, OP_AND),
	ALU(BPF_XOR, 0x31, OP_XOR),
	[BPF_ALU | BPF_SUB | BPF_X] = ALU_REGISTER | 0x29, /* with a constant, it is an addition */
	[BPF_ALU64 | BPF_SUB | BPF_X] = ALU_REGISTER | WIDE | 0x29,
	[BPF_ALU | BPF_MOV | BPF_X] = MOVE_REGISTER | 0x89,
	[BPF_ALU64 | BPF_MOV | BPF_X] = MOVE_REGISTER | WIDE | 0x89,
	[BPF_ALU | BPF_MOV | BPF_K] = MOVE_CONSTANT,
	[BPF_ALU64 | BPF_MOV | BPF_K] = MOVE_CONSTANT | WIDE,
	ACCESS(BPF_B, MAP_0F | 0xb6, BYTE | 0x88),
	ACCESS(BPF_H, MAP_0F | 0xb7, P66 | 0x89),
	ACCESS(BPF_W, 0x8b, 0x89),
	ACCESS(BPF_DW, WIDE | 0x8b, WIDE | 0x89),
};

uint32_t ebpf_x86_straight(struct ebpf_emitter *e, uint32_t at, uint32_t end)
{
	for (; at < end; at++) {
		const struct ebpf_insn *insn = &e->vm->program[at];
		uint32_t code = straight_code[insn->opcode];
		unsigned dst = x86(insn->dst), src = x86(insn->src);
		bool wide = code & WIDE;

		if (!code || e->marks[at] || insn->flags & EBPF_INSN_LOOP)
			break;
		if ((code & FORM_MASK) == MOVE_REGISTER && (insn->offset || (wide && dst == src)))
			break;
		ebpf_bind(e, at);
		switch (code & FORM_MASK) {
		case ALU_REGISTER:
		case MOVE_REGISTER:
			op_rr(e, code, wide, src, dst);
			break;
		case ALU_CONSTANT:
			op_imm(e, code & 7, wide, dst, insn->imm);
			break;
		case MOVE_CONSTANT:
			set_register(e, dst, wide ? (uint64_t)(int64_t)insn->imm : (uint32_t)insn->imm);
			break;
		case LOAD:
			op_rm(e, code, wide, dst, src, insn->offset);
			break;
		default:
			op_rm(e, code, wide, src, dst, insn->offset);
		}
	}
	return at;
}
