/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The machine code that iovisor/ubpf's x86-64 JIT emits (vm/ubpf_jit_x86_64.c at commit 2a8edd1 of 2026-07-01, without
 * constant blinding), re-created for the instructions of the bench's programs, so that the bench can compare without
 * that library. Taken over from reading it: the register map; 32-bit immediates for mov, add, and ..., whatever their value;
 * 64-bit moves of immediates sign-extended; swaps of 16 bits as "rol" and "and"; multiplication by mul with rax and rdx pushed;
 * comparison with a 32-bit immediate; conditional jumps with 32-bit displacements. The stack frame that it sets up is left
 * out, in its favour.
 */
#include "ubpf_sequences.h"

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

static const uint8_t registers[] = { RAX, RDI, RSI, RDX, R10, R8, RBX, R13, R14, R15, RBP };

#define SLOTS_MAX 256

struct code {
	uint8_t *at;
	size_t used, capacity;
	size_t starts[SLOTS_MAX + 1];
	struct {
		size_t at, slot;
	} jumps[SLOTS_MAX];
	size_t jump_count;
};

static void byte(struct code *c, unsigned value)
{
	if (c->used < c->capacity)
		c->at[c->used] = (uint8_t)value;
	c->used++;
}

static void word(struct code *c, uint32_t value)
{
	unsigned i;

	for (i = 0; i < 4; i++)
		byte(c, value >> 8 * i & 0xff);
}

static void rex(struct code *c, bool wide, unsigned reg, unsigned rm)
{
	unsigned value = (wide ? 8u : 0) | (reg & 8 ? 4u : 0) | (rm & 8 ? 1u : 0);

	if (value)
		byte(c, 0x40 | value);
}

static void alu(struct code *c, bool wide, unsigned op, unsigned reg, unsigned rm)
{
	rex(c, wide, reg, rm);
	byte(c, op);
	byte(c, 0xc0 | (reg & 7) << 3 | (rm & 7));
}

static void alu_imm32(struct code *c, bool wide, unsigned op, unsigned extension, unsigned rm, int32_t imm)
{
	alu(c, wide, op, extension, rm);
	word(c, (uint32_t)imm);
}

static void memory_operand(struct code *c, unsigned reg, unsigned base, int32_t offset)
{
	bool none = offset == 0 && (base & 7) != RBP, small = offset >= -128 && offset <= 127;

	byte(c, (none ? 0 : small ? 0x40 : 0x80) | (reg & 7) << 3 | (base & 7));
	if ((base & 7) == RSP)
		byte(c, 0x24);
	if (none)
		return;
	if (small)
		byte(c, (unsigned)offset & 0xff);
	else
		word(c, (uint32_t)offset);
}

static void load(struct code *c, unsigned size, unsigned reg, unsigned base, int32_t offset)
{
	rex(c, size == BPF_DW, reg, base);
	if (size == BPF_B || size == BPF_H) {
		byte(c, 0x0f);
		byte(c, size == BPF_B ? 0xb6 : 0xb7);
	} else {
		byte(c, 0x8b);
	}
	memory_operand(c, reg, base, offset);
}

static void store(struct code *c, unsigned size, unsigned reg, unsigned base, int32_t offset)
{
	if (size == BPF_H)
		byte(c, 0x66);
	rex(c, size == BPF_DW, reg, base);
	byte(c, size == BPF_B ? 0x88 : 0x89);
	memory_operand(c, reg, base, offset);
}

static void push(struct code *c, unsigned reg)
{
	rex(c, false, 0, reg);
	byte(c, 0x50 | (reg & 7));
}

static void pop(struct code *c, unsigned reg)
{
	rex(c, false, 0, reg);
	byte(c, 0x58 | (reg & 7));
}

static void multiply(struct code *c, bool by_register, unsigned dst, unsigned src, int32_t imm)
{
	if (dst != RAX)
		push(c, RAX);
	if (dst != RDX)
		push(c, RDX);
	if (by_register)
		alu(c, true, 0x89, src, RCX);
	else
		alu_imm32(c, true, 0xc7, 0, RCX, imm);
	alu(c, true, 0x89, dst, RAX);
	alu(c, true, 0xf7, 4, RCX);
	if (dst != RDX)
		pop(c, RDX);
	if (dst != RAX) {
		alu(c, true, 0x89, RAX, dst);
		pop(c, RAX);
	}
}

static void swap(struct code *c, unsigned dst, int32_t bits)
{
	if (bits == 16) {
		byte(c, 0x66);
		alu(c, false, 0xc1, 0, dst);
		byte(c, 8);
		alu_imm32(c, false, 0x81, 4, dst, 0xffff);
		return;
	}
	rex(c, bits == 64, 0, dst);
	byte(c, 0x0f);
	byte(c, 0xc8 | (dst & 7));
}

static bool arithmetic(struct code *c, const struct bench_slot *slot)
{
	static const uint8_t by_register[16] = { [BPF_ADD >> 4] = 0x01, [BPF_SUB >> 4] = 0x29, [BPF_OR >> 4] = 0x09,
						 [BPF_AND >> 4] = 0x21, [BPF_XOR >> 4] = 0x31, [BPF_MOV >> 4] = 0x89 };
	static const uint8_t extension[16] = { [BPF_SUB >> 4] = 5, [BPF_OR >> 4] = 1, [BPF_AND >> 4] = 4, [BPF_XOR >> 4] = 6 };
	unsigned dst = registers[slot->dst], src = registers[slot->src], code = BPF_CODE(slot->opcode);
	bool wide = BPF_CLASS(slot->opcode) == BPF_ALU64, reg = BPF_SOURCE(slot->opcode) == BPF_X;

	if (code == BPF_END) {
		swap(c, dst, slot->imm);
	} else if (code == BPF_MUL && wide) {
		multiply(c, reg, dst, src, slot->imm);
	} else if ((code == BPF_LSH || code == BPF_RSH) && !reg) {
		alu(c, wide, 0xc1, code == BPF_LSH ? 4 : 5, dst);
		byte(c, (unsigned)slot->imm & 0xff);
	} else if (code == BPF_MOV && !reg) {
		alu_imm32(c, wide, 0xc7, 0, dst, slot->imm);
	} else if (reg && (code == BPF_ADD || by_register[code >> 4])) {
		alu(c, wide, by_register[code >> 4], src, dst);
	} else if (!reg && (code == BPF_ADD || extension[code >> 4])) {
		alu_imm32(c, wide, 0x81, extension[code >> 4], dst, slot->imm);
	} else {
		return false;
	}
	return true;
}

static void jump_target(struct code *c, size_t slot)
{
	c->jumps[c->jump_count].at = c->used;
	c->jumps[c->jump_count++].slot = slot;
	word(c, 0);
}

static bool jump(struct code *c, const struct bench_slot *slot, size_t at)
{
	size_t target = at + 1 + (size_t)(int64_t)slot->offset;

	if (slot->opcode == BPF_OP_JA) {
		byte(c, 0xe9);
	} else if (BPF_CODE(slot->opcode) == BPF_JEQ || BPF_CODE(slot->opcode) == BPF_JNE) {
		if (BPF_SOURCE(slot->opcode) == BPF_X)
			alu(c, true, 0x39, registers[slot->src], registers[slot->dst]);
		else
			alu_imm32(c, true, 0x81, 7, registers[slot->dst], slot->imm);
		byte(c, 0x0f);
		byte(c, BPF_CODE(slot->opcode) == BPF_JEQ ? 0x84 : 0x85);
	} else {
		return false;
	}
	jump_target(c, target);
	return true;
}

static const uint8_t saved[] = { RBP, RBX, R12, R13, R14, R15 };

/* r1 and r2 are where C passes them; the stack's top goes to rbp. */
static void enter(struct code *c)
{
	unsigned i;

	for (i = 0; i < sizeof(saved); i++)
		push(c, saved[i]);
	alu(c, true, 0x89, RDX, RBP);
	alu_imm32(c, true, 0x81, 0, RBP, 512);
}

static void leave(struct code *c)
{
	unsigned i;

	for (i = sizeof(saved); i-- > 0;)
		pop(c, saved[i]);
	byte(c, 0xc3);
}

static bool instruction(struct code *c, const struct bench_slot *slot, size_t at)
{
	switch (BPF_CLASS(slot->opcode)) {
	case BPF_ALU:
	case BPF_ALU64:
		return arithmetic(c, slot);
	case BPF_LDX:
		load(c, BPF_SIZE(slot->opcode), registers[slot->dst], registers[slot->src], slot->offset);
		return true;
	case BPF_STX:
		store(c, BPF_SIZE(slot->opcode), registers[slot->src], registers[slot->dst], slot->offset);
		return true;
	case BPF_JMP:
		if (slot->opcode != BPF_OP_EXIT)
			return jump(c, slot, at);
		leave(c);
		return true;
	default:
		return false;
	}
}

size_t ubpf_sequences(const struct bench_slot *slots, size_t count, uint8_t *code, size_t capacity)
{
	static struct code c;
	size_t i, byte_;

	c = (struct code){ .at = code, .capacity = capacity };
	if (count > SLOTS_MAX)
		return 0;
	enter(&c);
	for (i = 0; i < count; i++) {
		c.starts[i] = c.used;
		if (!instruction(&c, &slots[i], i))
			return 0;
	}
	for (i = 0; c.used <= capacity && i < c.jump_count; i++) {
		uint32_t displacement = (uint32_t)(c.starts[c.jumps[i].slot] - (c.jumps[i].at + 4));

		for (byte_ = 0; byte_ < 4; byte_++)
			code[c.jumps[i].at + byte_] = (uint8_t)(displacement >> 8 * byte_);
	}
	return c.used <= capacity ? c.used : 0;
}
