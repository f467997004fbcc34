/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The x86-64 back end's registers and instruction encodings, and what its files share. x86_64.c opens with how the
 * encoding works and how the machine is used.
 */
#ifndef EBPF_X86_64_ENCODE_H
#define EBPF_X86_64_ENCODE_H

#include "../jit.h"

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

static const uint8_t machine_register[] = {
	RAX, RDI, RSI, RDX, R9, R8, RBX, R13, R14, R15, RBP, R10,
};

#define SCRATCH R10
#define COUNT RCX /* shift counts, divisors */
#define ADDRESS R11 /* the fault-address temporary */
#define FRAME R12

/* Condition codes of jcc and setcc. */
enum { CC_O, CC_NO, CC_B, CC_AE, CC_E, CC_NE, CC_BE, CC_A, CC_S, CC_NS, CC_P, CC_NP, CC_L, CC_GE, CC_LE, CC_G };

/* Kinds of reference: a signed displacement at the place of reference, counted from its end. */
enum { REL8 = 1, REL32 = 4 };

static inline unsigned x86(unsigned reg)
{
	return machine_register[reg];
}

/* Encoding. */

/* Opcode maps, put above the opcode byte; P66 asks for the 16-bit prefix, BYTE for a REX byte on sil and the like. */
#define MAP_0F 0x0f00
#define MAP_0F38 0x0f3800
#define P66 0x1000000
#define BYTE 0x2000000

/* The bytes of an instruction that is being put together, the first one lowest. */
struct instruction {
	uint64_t bytes;
	unsigned count;
};

static inline void append(struct instruction *i, uint32_t value, unsigned count)
{
	i->bytes |= (uint64_t)value << 8 * i->count;
	i->count += count;
}

static inline struct instruction prefixes_and_opcode(uint32_t op, bool wide, unsigned reg, unsigned rm)
{
	unsigned rex = (wide ? 8u : 0) | (reg & 8 ? 4u : 0) | (rm & 8 ? 1u : 0);
	struct instruction i = { 0, 0 };

	if (op & P66)
		append(&i, 0x66, 1);
	if (rex || (op & BYTE && reg >= RSP))
		append(&i, 0x40 | rex, 1);
	if (op & 0xff0000)
		append(&i, op >> 16 & 0xff, 1);
	if (op & 0xff00)
		append(&i, op >> 8 & 0xff, 1);
	append(&i, op & 0xff, 1);
	return i;
}

static inline void opcode(struct ebpf_emitter *e, uint32_t op, bool wide, unsigned reg, unsigned rm)
{
	struct instruction i = prefixes_and_opcode(op, wide, reg, rm);

	ebpf_emit_low(e, i.bytes, i.count);
}

/* op reg, rm or op rm, reg, both registers */
static inline void op_rr(struct ebpf_emitter *e, uint32_t op, bool wide, unsigned reg, unsigned rm)
{
	struct instruction i = prefixes_and_opcode(op, wide, reg, rm);

	append(&i, 0xc0 | (reg & 7) << 3 | (rm & 7), 1);
	ebpf_emit_low(e, i.bytes, i.count);
}

/* op reg, [base + displacement] or the other way round */
static inline void op_rm(struct ebpf_emitter *e, uint32_t op, bool wide, unsigned reg, unsigned base, int32_t displacement)
{
	bool none = displacement == 0 && (base & 7) != RBP;
	bool small = displacement >= -128 && displacement <= 127;
	unsigned mod = none ? 0x00 : small ? 0x40 : 0x80, bytes = none ? 0 : small ? 1 : 4;
	struct instruction i = prefixes_and_opcode(op, wide, reg, base);

	append(&i, mod | (reg & 7) << 3 | (base & 7), 1);
	if ((base & 7) == RSP)
		append(&i, 0x24, 1);
	ebpf_emit_low2(e, i.bytes, i.count, (uint32_t)displacement & (small ? 0xff : UINT32_MAX), bytes);
}

/*
 * Loop heads are aligned to 16: how a short loop lies in the fetch windows changes its time by up to a third (measured on
 * a Sapphire Rapids class core).
 */
#define LOOP_ALIGNMENT 16

#define FRAME_FIELD(field) ((int32_t)offsetof(struct ebpf_frame, field))

static inline void load_field(struct ebpf_emitter *e, unsigned reg, int32_t field)
{
	op_rm(e, 0x8b, true, reg, FRAME, field);
}

static inline void store_field(struct ebpf_emitter *e, int32_t field, unsigned reg)
{
	op_rm(e, 0x89, true, reg, FRAME, field);
}

static inline void mov_rr(struct ebpf_emitter *e, bool wide, unsigned to, unsigned from)
{
	op_rr(e, 0x89, wide, from, to);
}

enum { OP_ADD = 0, OP_OR = 1, OP_AND = 4, OP_SUB = 5, OP_XOR = 6, OP_CMP = 7 };

/*
 * The add/or/and/sub/xor/cmp family: /n selects, the immediate is short if it can be. 128 is added as -128 is subtracted, which
 * fits a byte, and the other way round: ebpf_x86_estimate counts on a byte for what is -128 in the program. Carry and overflow
 * are then others.
 */
static inline void op_imm(struct ebpf_emitter *e, unsigned n, bool wide, unsigned rm, int32_t imm)
{
	bool negated = imm == 128 && (n == OP_ADD || n == OP_SUB);
	bool small = negated || (imm >= -128 && imm <= 127);
	struct instruction i;

	n = negated ? n ^ OP_ADD ^ OP_SUB : n;
	i = prefixes_and_opcode(small ? 0x83 : 0x81, wide, n, rm);
	append(&i, 0xc0 | (n & 7) << 3 | (rm & 7), 1);
	ebpf_emit_low2(e, i.bytes, i.count, (uint32_t)imm & (small ? 0xff : UINT32_MAX), small ? 1 : 4);
}

static inline void push(struct ebpf_emitter *e, unsigned reg)
{
	opcode(e, 0x50 | (reg & 7), false, 0, reg);
}

static inline void pop(struct ebpf_emitter *e, unsigned reg)
{
	opcode(e, 0x58 | (reg & 7), false, 0, reg);
}

/* Sets a machine register. xor is shorter for 0, and no flags are live between eBPF instructions. */
static inline void set_register(struct ebpf_emitter *e, unsigned reg, uint64_t value)
{
	if (value == 0) {
		op_rr(e, 0x31, false, reg, reg);
	} else if (value <= UINT32_MAX) {
		opcode(e, 0xb8 | (reg & 7), false, 0, reg);
		ebpf_emit_low(e, (uint32_t)value, 4);
	} else if ((int64_t)value >= INT32_MIN && (int64_t)value < 0) {
		op_rr(e, 0xc7, true, 0, reg);
		ebpf_emit_low(e, (uint32_t)value, 4);
	} else {
		opcode(e, 0xb8 | (reg & 7), true, 0, reg);
		ebpf_emit_low(e, value, 8);
	}
}

/* Labels: rel8 where the distance is known to fit, with room for the instruction's own bytes. */

static inline bool is_near(struct ebpf_emitter *e, ebpf_label label)
{
	return ebpf_distance_max(e, label) <= 120;
}

static inline void displacement(struct ebpf_emitter *e, ebpf_label label, unsigned kind)
{
	uint32_t distance;

	/* its number is its size */
	if (ebpf_is_behind(e, label, &distance)) {
		ebpf_emit_low(e, (kind == REL8 ? 0xff : UINT32_MAX) & -(distance + kind), kind);
		return;
	}
	ebpf_reference(e, label, kind);
	ebpf_emit_low(e, 0, kind);
}

static inline void jump_if(struct ebpf_emitter *e, unsigned cc, ebpf_label label)
{
	if (is_near(e, label)) {
		ebpf_emit8(e, (uint8_t)(0x70 | cc));
		displacement(e, label, REL8);
	} else {
		ebpf_emit_low(e, 0x0f | (0x80 | cc) << 8, 2);
		displacement(e, label, REL32);
	}
}

static inline void call_label(struct ebpf_emitter *e, ebpf_label label)
{
	ebpf_emit8(e, 0xe8);
	displacement(e, label, REL32);
}

/* Short jumps within an instruction's code: emitted without a displacement, which is filled in at the target. */
static inline uint32_t skip_if(struct ebpf_emitter *e, unsigned cc)
{
	ebpf_emit8(e, (uint8_t)(0x70 | cc));
	ebpf_emit8(e, 0);
	return e->at;
}

static inline uint32_t skip_always(struct ebpf_emitter *e)
{
	ebpf_emit8(e, 0xeb);
	ebpf_emit8(e, 0);
	return e->at;
}

static inline void close_skip(struct ebpf_emitter *e, uint32_t from)
{
	if (from <= e->capacity)
		e->code[from - 1] = (uint8_t)(e->at - from);
}

static inline void back_if(struct ebpf_emitter *e, unsigned cc, uint32_t to)
{
	ebpf_emit8(e, (uint8_t)(0x70 | cc));
	ebpf_emit8(e, (uint8_t)(to - (e->at + 1)));
}

/* movbe between a register and memory; the 16-bit load leaves the register's upper bits. */
static inline void movbe_load(struct ebpf_emitter *e, unsigned bytes, unsigned reg, unsigned base, int32_t offset)
{
	op_rm(e, MAP_0F38 | 0xf0 | (bytes == 2 ? P66 : 0), bytes == 8, reg, base, offset);
}

/* x86_64_arithmetic.c: the callbacks of struct ebpf_backend that compute. */
void ebpf_x86_load_immediate(struct ebpf_emitter *e, unsigned dst, uint64_t value);
void ebpf_x86_move(struct ebpf_emitter *e, bool wide, unsigned dst, unsigned src);
void ebpf_x86_move_sign_extended(struct ebpf_emitter *e, bool wide, unsigned bits, unsigned dst, unsigned src);
void ebpf_x86_negate(struct ebpf_emitter *e, bool wide, unsigned dst);
void ebpf_x86_alu(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, unsigned src);
bool ebpf_x86_alu_immediate(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, int32_t imm);
const char *ebpf_x86_swap_error(uint32_t features, enum ebpf_swap swap);
bool ebpf_x86_has_swapped_access(uint32_t features, unsigned bytes);
void ebpf_x86_swap(struct ebpf_emitter *e, unsigned bits, unsigned dst, bool clear_upper);
void ebpf_x86_truncate(struct ebpf_emitter *e, unsigned bits, unsigned dst);

/* x86_64_straight.c */
uint32_t ebpf_x86_estimate(struct ebpf_emitter *e, uint32_t start);
uint32_t ebpf_x86_straight(struct ebpf_emitter *e, uint32_t at, uint32_t end);

#endif
