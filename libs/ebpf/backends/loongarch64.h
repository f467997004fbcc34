/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the parts of the LoongArch back end share: registers, constants, small pieces of code. loongarch64.c opens
 * with how the machine and its calling convention are used.
 */
#ifndef EBPF_LOONGARCH64_H
#define EBPF_LOONGARCH64_H

#include "loongarch64_encode.h"

static const uint8_t machine_register[] = {
	9, 4, 5, 6, 7, 8, 23, 24, 25, 26, 27, 12,
};

enum { ZERO = 0, RA = 1, SP = 3, A0 = 4, ARGUMENT_6 = 9, ADDRESS = 13, T2 = 14, T3 = 15, T4 = 16, FRAME = 28 };

#define R(n) ((uint16_t)(1u << (n)))
#define FIELD(field) ((int32_t)offsetof(struct ebpf_frame, field))

static inline unsigned gpr(unsigned reg)
{
	return machine_register[reg];
}

static inline void move_register(struct ebpf_emitter *e, unsigned d, unsigned j)
{
	r3(e, OR, d, j, ZERO);
}

static inline void clear_upper_word(struct ebpf_emitter *e, unsigned reg)
{
	bstrpick(e, reg, reg, 31, 0);
}

static inline void finish(struct ebpf_emitter *e, bool wide, unsigned reg)
{
	if (!wide)
		clear_upper_word(e, reg);
}

static inline bool fits12(int64_t value)
{
	return value >= -2048 && value <= 2047;
}

/* From the bottom up: 12, 20, 20 and 12 bits, each step extending the sign, so that upper steps are often not needed. */
static inline void set_register(struct ebpf_emitter *e, unsigned reg, uint64_t value)
{
	int64_t number = (int64_t)value;

	if (fits12(number)) {
		i12(e, ADDI_D, reg, ZERO, (int32_t)number);
		return;
	}
	if (value <= 0xfff) {
		i12(e, ORI, reg, ZERO, (int32_t)value);
		return;
	}
	lu12i_w(e, reg, (uint32_t)(value >> 12));
	if (value & 0xfff)
		i12(e, ORI, reg, reg, (int32_t)(value & 0xfff));
	if (number >> 31 != number >> 63)
		lu32i_d(e, reg, (uint32_t)(value >> 32));
	if (number >> 51 != number >> 63)
		i12(e, LU52I_D, reg, reg, (int32_t)(value >> 52));
}

static inline void sign_extend_word(struct ebpf_emitter *e, unsigned d, unsigned j)
{
	i12(e, ADDI_W, d, j, 0);
}

static inline void address_of(struct ebpf_emitter *e, struct ebpf_memory m)
{
	if (fits12(m.offset)) {
		i12(e, ADDI_D, ADDRESS, gpr(m.base), m.offset);
		return;
	}
	set_register(e, ADDRESS, (uint64_t)(int64_t)m.offset);
	r3(e, ADD_D, ADDRESS, ADDRESS, gpr(m.base));
}

/* loongarch64_arithmetic.c: the callbacks of struct ebpf_backend that compute. */
void ebpf_loongarch_load_immediate(struct ebpf_emitter *e, unsigned dst, uint64_t value);
void ebpf_loongarch_move(struct ebpf_emitter *e, bool wide, unsigned dst, unsigned src);
void ebpf_loongarch_move_sign_extended(struct ebpf_emitter *e, bool wide, unsigned bits, unsigned dst, unsigned src);
void ebpf_loongarch_negate(struct ebpf_emitter *e, bool wide, unsigned dst);
void ebpf_loongarch_alu(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, unsigned src);
bool ebpf_loongarch_alu_immediate(struct ebpf_emitter *e, enum ebpf_alu op, bool wide, unsigned dst, int32_t imm);
void ebpf_loongarch_truncate_register(struct ebpf_emitter *e, unsigned bits, unsigned dst);
void ebpf_loongarch_swap(struct ebpf_emitter *e, unsigned bits, unsigned dst, bool clear_upper);
const char *ebpf_loongarch_swap_error(uint32_t features, enum ebpf_swap swap);
bool ebpf_loongarch_has_swapped_access(uint32_t features, unsigned bytes);

/* loongarch64_memory.c: those that access memory. */
void ebpf_loongarch_load(struct ebpf_emitter *e, struct ebpf_memory m, unsigned dst, bool sign_extend, bool swapped);
void ebpf_loongarch_store(struct ebpf_emitter *e, struct ebpf_memory m, unsigned src, bool swapped);
bool ebpf_loongarch_store_immediate(struct ebpf_emitter *e, struct ebpf_memory m, int32_t imm);
void ebpf_loongarch_atomic(struct ebpf_emitter *e, struct ebpf_memory m, unsigned src, int32_t imm);
void ebpf_loongarch_bounds_routine(struct ebpf_emitter *e, unsigned bytes, size_t end);

#endif
