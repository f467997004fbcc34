/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory on POWER: loads and stores in either byte order, atomic operations, and the routine that checks bounds. power.c
 * says how the machine is used.
 */
#include "power.h"

/* The indexed form: base + r11, or base alone, which an indexed access takes as its second register. */
static void indexed(struct ebpf_emitter *e, unsigned xo, unsigned reg, struct ebpf_memory m)
{
	if (m.offset == 0) {
		x_form(e, xo, reg, 0, gpr(m.base));
		return;
	}
	li(e, T1, m.offset);
	x_form(e, xo, reg, gpr(m.base), T1);
}

void ebpf_power_load(struct ebpf_emitter *e, struct ebpf_memory m, unsigned dst, bool sign_extend, bool swapped)
{
	unsigned reg = gpr(dst), base = gpr(m.base);

	if (swapped) {
		indexed(e, m.bytes == 2 ? XO_LHBRX : m.bytes == 4 ? XO_LWBRX : XO_LDBRX, reg, m);
	} else if (m.bytes == 1) {
		d_form(e, LBZ, reg, base, m.offset);
		if (sign_extend)
			x_form(e, XO_EXTSB, reg, reg, 0);
	} else if (m.bytes == 2) {
		d_form(e, sign_extend ? LHA : LHZ, reg, base, m.offset);
	} else if (m.bytes == 4 && !sign_extend) {
		d_form(e, LWZ, reg, base, m.offset);
	} else if (m.offset & 3) {
		indexed(e, m.bytes == 4 ? XO_LWAX : XO_LDX, reg, m);
	} else if (m.bytes == 4) {
		lwa(e, reg, m.offset, base);
	} else {
		ld(e, reg, m.offset, base);
	}
}

static void store_gpr(struct ebpf_emitter *e, struct ebpf_memory m, unsigned reg, bool swapped)
{
	if (swapped)
		indexed(e, m.bytes == 2 ? XO_STHBRX : m.bytes == 4 ? XO_STWBRX : XO_STDBRX, reg, m);
	else if (m.bytes == 8 && m.offset & 3)
		indexed(e, XO_STDX, reg, m);
	else if (m.bytes == 8)
		std(e, reg, m.offset, gpr(m.base));
	else
		d_form(e, m.bytes == 1 ? STB : m.bytes == 2 ? STH : STW, reg, gpr(m.base), m.offset);
}

void ebpf_power_store(struct ebpf_emitter *e, struct ebpf_memory m, unsigned src, bool swapped)
{
	store_gpr(e, m, gpr(src), swapped);
}

/* Of bytes and halfwords, li loads all the bits that are stored. */
bool ebpf_power_store_immediate(struct ebpf_emitter *e, struct ebpf_memory m, int32_t imm)
{
	if (m.bytes > 2)
		return false;
	li(e, gpr(EBPF_SCRATCH), (int16_t)imm);
	store_gpr(e, m, gpr(EBPF_SCRATCH), false);
	return true;
}

/*
 * A loop of load-and-reserve and store-conditional on the address in r10: the old value in r11 (zero-extended by
 * lwarx), the new one in r12. Operations with FETCH are fully ordered: sync before, and sync behind, as in the kernel, since
 * isync (Power ISA, book II, B.2) lets a later load pass the store-conditional. The others have isync, which costs less.
 */
void ebpf_power_atomic(struct ebpf_emitter *e, struct ebpf_memory m, unsigned src, int32_t imm)
{
	bool wide = m.bytes == 8;
	unsigned reg = gpr(src), result = reg, updated = T2;

	d_form(e, ADDI, ADDRESS, gpr(m.base), m.offset);
	word(e, SYNC);
	x_form(e, wide ? XO_LDARX : XO_LWARX, T1, 0, ADDRESS);
	switch (imm & ~BPF_FETCH) {
	case BPF_ADD:
		x_form(e, XO_ADD, T2, T1, reg);
		break;
	case BPF_OR:
		x_form(e, XO_OR, T1, T2, reg);
		break;
	case BPF_AND:
		x_form(e, XO_AND, T1, T2, reg);
		break;
	case BPF_XOR:
		x_form(e, XO_XOR, T1, T2, reg);
		break;
	case BPF_CMPXCHG & ~BPF_FETCH:
		cmp(e, XO_CMP, wide, T1, gpr(0));
		bc(e, IF_NE, 12);
		result = gpr(0);
		/* fall through */
	default: /* exchange */
		updated = reg;
	}
	x_record(e, wide ? XO_STDCX : XO_STWCX, updated, 0, ADDRESS);
	bc(e, IF_NE, imm == BPF_CMPXCHG ? -16 : imm == BPF_XCHG ? -8 : -12);
	word(e, imm & BPF_FETCH ? SYNC : ISYNC);
	if (imm & BPF_FETCH)
		mr(e, result, T1);
}

/*
 * The address is in r10; returns with "eq" if it is good. For each region at r9: if it has room for the access at all,
 * and address - start <= size - bytes, as unsigned numbers, the access is inside.
 */
void ebpf_power_bounds_routine(struct ebpf_emitter *e, unsigned bytes, size_t end)
{
	const unsigned region = gpr(EBPF_SCRATCH);

	ld(e, region, FIELD(regions), FRAME);
	ld(e, T2, offsetof(struct ebpf_region, bytes), region); /* the loop starts here */
	cmp_imm(e, CMPLI, true, T2, (int32_t)bytes);
	bc(e, IF_LT, 8 * 4);
	ld(e, T1, offsetof(struct ebpf_region, start), region);
	x_form(e, XO_SUBF, T1, T1, ADDRESS);
	d_form(e, ADDI, T2, T2, -(int32_t)bytes);
	cmp(e, XO_CMPL, true, T1, T2);
	bc(e, IF_GT, 3 * 4);
	cmp(e, XO_CMP, true, T1, T1);
	word(e, BLR);
	d_form(e, ADDI, region, region, sizeof(struct ebpf_region)); /* both skips end here */
	ld(e, T1, (int32_t)end - (int32_t)offsetof(struct ebpf_frame, scratch), FRAME);
	cmp(e, XO_CMPL, true, region, T1);
	bc(e, IF_LT, -13 * 4);
	cmp_imm(e, CMPI, true, SP, 0); /* never equal */
	word(e, BLR);
}
