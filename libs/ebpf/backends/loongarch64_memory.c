/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory on LoongArch: loads and stores, atomic operations, and the routine that checks bounds. loongarch64.c says how the
 * machine is used.
 */
#include "loongarch64.h"

/* The displaced form, or the indexed one with the displacement in $t2. */
static void access(struct ebpf_emitter *e, uint32_t displaced, uint32_t by_index, unsigned reg, struct ebpf_memory m)
{
	if (fits12(m.offset)) {
		i12(e, displaced, reg, gpr(m.base), m.offset);
		return;
	}
	set_register(e, T2, (uint64_t)(int64_t)m.offset);
	r3(e, by_index, reg, gpr(m.base), T2);
}

void ebpf_loongarch_load(struct ebpf_emitter *e, struct ebpf_memory m, unsigned dst, bool sign_extend, bool swapped)
{
	(void)swapped;
	switch (m.bytes) {
	case 1:
		access(e, sign_extend ? LD_B : LD_BU, sign_extend ? LDX_B : LDX_BU, gpr(dst), m);
		break;
	case 2:
		access(e, sign_extend ? LD_H : LD_HU, sign_extend ? LDX_H : LDX_HU, gpr(dst), m);
		break;
	case 4:
		access(e, sign_extend ? LD_W : LD_WU, sign_extend ? LDX_W : LDX_WU, gpr(dst), m);
		break;
	default:
		access(e, LD_D, LDX_D, gpr(dst), m);
	}
}

static void store_gpr(struct ebpf_emitter *e, struct ebpf_memory m, unsigned reg)
{
	switch (m.bytes) {
	case 1:
		access(e, ST_B, STX_B, reg, m);
		break;
	case 2:
		access(e, ST_H, STX_H, reg, m);
		break;
	case 4:
		access(e, ST_W, STX_W, reg, m);
		break;
	default:
		access(e, ST_D, STX_D, reg, m);
	}
}

void ebpf_loongarch_store(struct ebpf_emitter *e, struct ebpf_memory m, unsigned src, bool swapped)
{
	(void)swapped;
	store_gpr(e, m, gpr(src));
}

bool ebpf_loongarch_store_immediate(struct ebpf_emitter *e, struct ebpf_memory m, int32_t imm)
{
	if (imm == 0) {
		store_gpr(e, m, ZERO);
		return true;
	}
	if (m.bytes > 2)
		return false;
	set_register(e, gpr(EBPF_SCRATCH), (uint64_t)(int64_t)(int16_t)imm);
	store_gpr(e, m, gpr(EBPF_SCRATCH));
	return true;
}

/* ll sign-extends a word, so it is compared with r0 sign-extended. */
static void compare_and_exchange(struct ebpf_emitter *e, bool wide, unsigned src)
{
	unsigned expected = gpr(0);

	if (!wide) {
		sign_extend_word(e, T4, expected);
		expected = T4;
	}
	ebpf_emit32(e, DBAR_0);
	r2(e, wide ? LL_D : LL_W, T2, ADDRESS);
	branch_by(e, BNE, T2, expected, 16);
	move_register(e, T3, src);
	r2(e, wide ? SC_D : SC_W, T3, ADDRESS);
	branch_by(e, BEQZ, T3, 0, -16);
	ebpf_emit32(e, DBAR_0);
	if (wide)
		move_register(e, gpr(0), T2);
	else
		bstrpick(e, gpr(0), T2, 31, 0);
}

/* For cores without LAM: the old value in $t2. `op` computes the new one; 0 stores src itself. */
static void update_in_loop(struct ebpf_emitter *e, bool wide, uint32_t op, unsigned src)
{
	ebpf_emit32(e, DBAR_0);
	r2(e, wide ? LL_D : LL_W, T2, ADDRESS);
	if (op)
		r3(e, op, T3, T2, src);
	else
		move_register(e, T3, src);
	r2(e, wide ? SC_D : SC_W, T3, ADDRESS);
	branch_by(e, BEQZ, T3, 0, -12);
	ebpf_emit32(e, DBAR_0);
}

/* The am*_db instructions are atomic and ordered by themselves; their rd may be neither rj nor rk. */
void ebpf_loongarch_atomic(struct ebpf_emitter *e, struct ebpf_memory m, unsigned src, int32_t imm)
{
	bool wide = m.bytes == 8;
	uint32_t op, in_loop;

	address_of(e, m);
	switch (imm & ~BPF_FETCH) {
	case BPF_ADD:
		op = wide ? AMADD_DB_D : AMADD_DB_W;
		in_loop = ADD_D;
		break;
	case BPF_OR:
		op = wide ? AMOR_DB_D : AMOR_DB_W;
		in_loop = OR;
		break;
	case BPF_AND:
		op = wide ? AMAND_DB_D : AMAND_DB_W;
		in_loop = AND;
		break;
	case BPF_XOR:
		op = wide ? AMXOR_DB_D : AMXOR_DB_W;
		in_loop = XOR;
		break;
	case BPF_XCHG & ~BPF_FETCH:
		op = wide ? AMSWAP_DB_D : AMSWAP_DB_W;
		in_loop = 0;
		break;
	default:
		compare_and_exchange(e, wide, gpr(src));
		return;
	}
	if (ebpf_has_feature(e, EBPF_LOONGARCH_LAM))
		r3(e, op, T2, ADDRESS, gpr(src));
	else
		update_in_loop(e, wide, in_loop, gpr(src));
	if (!(imm & BPF_FETCH))
		return;
	if (wide)
		move_register(e, gpr(src), T2);
	else
		bstrpick(e, gpr(src), T2, 31, 0);
}

/*
 * The address is in $t1; returns 0 in $t2 if it is good. For each region at $t0: if it has room for the access at all, and
 * address - start <= size - bytes, as unsigned numbers, the access is inside.
 */
void ebpf_loongarch_bounds_routine(struct ebpf_emitter *e, unsigned bytes, size_t end)
{
	const unsigned region = gpr(EBPF_SCRATCH);

	i12(e, LD_D, region, FRAME, FIELD(regions));
	i12(e, LD_D, T2, region, offsetof(struct ebpf_region, bytes)); /* the loop starts here */
	i12(e, SLTUI, T3, T2, (int32_t)bytes);
	branch_by(e, BNEZ, T3, 0, 7 * 4);
	i12(e, LD_D, T3, region, offsetof(struct ebpf_region, start));
	r3(e, SUB_D, T3, ADDRESS, T3);
	i12(e, ADDI_D, T2, T2, -(int32_t)bytes);
	branch_by(e, BLTU, T2, T3, 3 * 4);
	move_register(e, T2, ZERO);
	ebpf_emit32(e, JR_RA);
	i12(e, ADDI_D, region, region, sizeof(struct ebpf_region)); /* both skips end here */
	i12(e, LD_D, T3, FRAME, (int32_t)end);
	branch_by(e, BLTU, region, T3, -11 * 4);
	i12(e, ADDI_D, T2, ZERO, 1);
	ebpf_emit32(e, JR_RA);
}
