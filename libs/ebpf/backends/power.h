/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the parts of the POWER back end share: registers, constants, small pieces of code. power.c opens with how
 * the machine and its calling convention are used.
 */
#ifndef EBPF_POWER_H
#define EBPF_POWER_H

#include "power_encode.h"

static const uint8_t machine_register[] = {
	8, 3, 4, 5, 6, 7, 27, 28, 29, 30, 31, 9,
};

enum { SP = 1, TOC = 2, FIRST_ARGUMENT = 3, ARGUMENT_6 = 8, ADDRESS = 10, T1 = 11, T2 = 12, FRAME = 26 };

/* Offsets in a native frame: where ELFv2 keeps LR and TOC, and the first byte that is ours. */
enum { LINK_SAVE = 16, TOC_SAVE = 24, HEADER_BYTES = 32 };

/* In the protected zone, below the six registers that may be saved there: a doubleword for swaps. */
enum { PROTECTED_SCRATCH = -64 };

/* In struct ebpf_emitter's note: r26 is set, so swaps go through frame->scratch. */
enum { NOTE_FRAME = 1 };

#define R(n) ((uint16_t)(1u << (n)))

static inline unsigned gpr(unsigned reg)
{
	return machine_register[reg];
}

static inline void word(struct ebpf_emitter *e, uint32_t instruction)
{
	ebpf_emit32(e, instruction);
}

static inline void clear_upper_word(struct ebpf_emitter *e, unsigned reg)
{
	rldicl(e, reg, reg, 0, 32);
}

static inline void finish(struct ebpf_emitter *e, bool wide, unsigned reg)
{
	if (!wide)
		clear_upper_word(e, reg);
}

/* Displacement of a field of struct ebpf_frame from where r26 points. */
#define FIELD(field) ((int32_t)offsetof(struct ebpf_frame, field) - (int32_t)offsetof(struct ebpf_frame, scratch))

/* Sets a register to a sign-extended 32-bit number. */
static inline void set_signed32(struct ebpf_emitter *e, unsigned reg, int32_t value)
{
	if (value >= -0x8000 && value <= 0x7fff) {
		li(e, reg, value);
		return;
	}
	d_form(e, ADDIS, reg, 0, value >> 16);
	if (value & 0xffff)
		d_form(e, ORI, reg, reg, value);
}

static inline void or_low32(struct ebpf_emitter *e, unsigned reg, uint32_t value)
{
	if (value >> 16)
		d_form(e, ORIS, reg, reg, (int32_t)(value >> 16));
	if (value & 0xffff)
		d_form(e, ORI, reg, reg, (int32_t)(value & 0xffff));
}

static inline void set_register(struct ebpf_emitter *e, unsigned reg, uint64_t value)
{
	int64_t number = (int64_t)value;

	if (number >= INT32_MIN && number <= INT32_MAX && !(value >= 0x8000 && value <= 0xffff)) {
		set_signed32(e, reg, (int32_t)number);
	} else if (value <= UINT32_MAX) {
		li(e, reg, 0);
		or_low32(e, reg, (uint32_t)value);
	} else {
		set_signed32(e, reg, (int32_t)(number >> 32));
		rldicr(e, reg, reg, 32, 31);
		or_low32(e, reg, (uint32_t)value);
	}
}

static inline bool fits16(int32_t imm)
{
	return imm >= -0x8000 && imm <= 0x7fff;
}

/* Whether the ones in a word are one run; if so, gives its first and last bit in POWER's numbering. */
static inline bool is_run(uint32_t mask, unsigned *begin, unsigned *end)
{
	if (mask == 0)
		return false;
	for (*begin = 0; !(mask << *begin & 0x80000000); ++*begin)
		;
	for (*end = 31; !(mask >> (31 - *end) & 1); --*end)
		;
	return mask == (UINT32_MAX >> *begin & UINT32_MAX << (31 - *end));
}

/* power_arithmetic.c: the callbacks of struct ebpf_backend that compute. */
void ebpf_power_load_immediate(struct ebpf_emitter *e, unsigned dst, uint64_t value);
void ebpf_power_move(struct ebpf_emitter *e, bool wide, unsigned dst, unsigned src);
void ebpf_power_move_sign_extended(struct ebpf_emitter *e, bool wide, unsigned bits, unsigned dst, unsigned src);
void ebpf_power_negate(struct ebpf_emitter *e, bool wide, unsigned dst);
void ebpf_power_alu(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, unsigned src);
bool ebpf_power_alu_immediate(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, int32_t imm);
void ebpf_power_truncate_register(struct ebpf_emitter *e, unsigned bits, unsigned dst);
void ebpf_power_swap(struct ebpf_emitter *e, unsigned bits, unsigned dst, bool clear_upper);
const char *ebpf_power_swap_error(uint32_t features, enum ebpf_swap swap);
bool ebpf_power_has_swapped_access(uint32_t features, unsigned bytes);

/* power_memory.c: those that access memory. */
void ebpf_power_load(struct ebpf_emitter *e, struct ebpf_memory m, unsigned dst, bool sign_extend, bool swapped);
void ebpf_power_store(struct ebpf_emitter *e, struct ebpf_memory m, unsigned src, bool swapped);
bool ebpf_power_store_immediate(struct ebpf_emitter *e, struct ebpf_memory m, int32_t imm);
void ebpf_power_atomic(struct ebpf_emitter *e, struct ebpf_memory m, unsigned src, int32_t imm);
void ebpf_power_bounds_routine(struct ebpf_emitter *e, unsigned bytes, size_t end);

#endif
