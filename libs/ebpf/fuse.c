/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Merges byte swaps with memory accesses, and leaves out work whose result is never read. Portable: it only marks slots.
 *
 * The idea is the last paragraph of the 2017 thread on powerpc's BPF_END: match a swap with the load before it or the
 * store after it, and let a byte-reversed access (lhbrx, movbe) do both. The rules:
 *
 *   load+swap    the swap has the load's register and width, and between them nothing is a jump target, leaves the
 *                block, or reads or writes the register.
 *   swap+store   every use of the register until it is redefined is a store of the swap's width, and it is dead where
 *                the block ends. A program that stored the swapped value and then also added it to a checksum (Katran)
 *                was once broken by looking only at the store.
 *
 * The same two analyses tell when a swap or truncation need not clear the upper bits (they are clear since the load, or
 * only the low bits are stored). On a machine without byte-reversed accesses that is the only gain.
 */
#include "jit.h"

#define R(n) ((uint16_t)(1u << (n)))

bool ebpf_end_swaps(const struct ebpf_insn *insn, bool target_is_big)
{
	return insn->opcode == BPF_OP_BSWAP || (insn->opcode == BPF_OP_BE) != target_is_big;
}

static bool is_entered_by_jump(const struct ebpf_insn *insn)
{
	return insn->flags & (EBPF_INSN_TARGET | EBPF_INSN_FUNCTION);
}

struct fuser {
	const struct ebpf_vm *vm;
	bool target_is_big;
	unsigned merge_bytes;
	uint8_t *marks;
	struct ebpf_code_stats *stats;
};

/*
 * The load whose next use, in straight-line code, is the BPF_END at `end`; UINT32_MAX if there is none. The search backwards
 * stops at another BPF_END of the register, so all searches together visit each instruction a few times at most.
 */
static uint32_t load_before(const struct fuser *f, uint32_t end)
{
	const struct ebpf_insn *program = f->vm->program;
	uint8_t reg = program[end].dst;
	uint32_t i = end;

	while (!is_entered_by_jump(&program[i]) && i-- > 0) {
		const struct ebpf_insn *insn = &program[i];

		if (insn->flags & EBPF_INSN_SECOND)
			continue;
		if (ebpf_kind(insn) & EBPF_KIND_LOAD && insn->dst == reg)
			return i;
		if (ebpf_kind(insn) & EBPF_KIND_CONTROL || (insn->reads | insn->writes) & R(reg))
			break;
	}
	return UINT32_MAX;
}

static void fuse_load(struct fuser *f, uint32_t at, uint32_t end)
{
	const struct ebpf_insn *program = f->vm->program;
	unsigned bytes = ebpf_access_bytes(program[at].opcode);

	if ((unsigned)program[end].imm < bytes * 8)
		return;
	if (!ebpf_end_swaps(&program[end], f->target_is_big)) {
		f->marks[end] |= EBPF_MARK_DROPPED;
	} else if ((unsigned)program[end].imm == bytes * 8 && f->merge_bytes & 1u << bytes) {
		f->marks[at] |= EBPF_MARK_LOAD_SWAPPED;
		f->marks[end] |= EBPF_MARK_DROPPED;
		f->stats->swaps_with_load++;
	} else {
		f->marks[end] |= EBPF_MARK_UPPER_KNOWN;
	}
}

/* Is the value of `reg` after the instruction at `at`, which ends a block, never read? */
static bool dead_after_block(const struct fuser *f, uint32_t at, uint8_t reg)
{
	const struct ebpf_insn *insn = &f->vm->program[at];
	uint16_t live = 0;

	if (insn->opcode == BPF_OP_EXIT) /* r1 to r5 of a local function are its caller's to read */
		return at < f->vm->functions[0].end || reg > 5;
	live = f->vm->program[insn->target].live;
	if (ebpf_is_conditional(insn))
		live |= insn[1].live;
	return !(live & R(reg));
}

static bool is_store_of(const struct ebpf_insn *insn, uint8_t reg, unsigned bits)
{
	return insn->opcode == (BPF_STX | BPF_MEM | BPF_SIZE(insn->opcode)) && insn->src == reg && insn->dst != reg &&
	       ebpf_access_bytes(insn->opcode) * 8 == bits;
}

/*
 * Whether every use of the register that the BPF_END at `at` changes is a store of the same width. If so, returns the slot
 * where the search ended and in *stores the number of stores; else 0.
 */
static uint32_t only_stores_after(const struct fuser *f, uint32_t at, unsigned *stores)
{
	const struct ebpf_insn *program = f->vm->program;
	uint8_t reg = program[at].dst;
	uint32_t i;

	*stores = 0;
	for (i = ebpf_next(program, at); i < f->vm->slots; i = ebpf_next(program, i)) {
		const struct ebpf_insn *insn = &program[i];

		if (is_entered_by_jump(insn))
			return insn->live & R(reg) ? 0 : i;
		if (is_store_of(insn, reg, (unsigned)program[at].imm)) {
			(*stores)++;
			continue;
		}
		if (insn->reads & R(reg))
			return 0;
		if (insn->writes & R(reg))
			return i;
		if (ebpf_ends_block(insn))
			return dead_after_block(f, i, reg) ? i : 0;
	}
	return 0;
}

static void fuse_stores(struct fuser *f, uint32_t at)
{
	const struct ebpf_insn *program = f->vm->program, *end = &program[at];
	unsigned stores, bits = (unsigned)end->imm;
	uint32_t i, stop = only_stores_after(f, at, &stores);

	if (!stop || !stores)
		return;
	if (!ebpf_end_swaps(end, f->target_is_big)) {
		f->marks[at] |= EBPF_MARK_DROPPED;
		return;
	}
	if (!(f->merge_bytes & 1u << bits / 8)) {
		f->marks[at] |= EBPF_MARK_UPPER_KNOWN;
		return;
	}
	f->marks[at] |= EBPF_MARK_DROPPED;
	f->stats->swaps_with_store++;
	for (i = ebpf_next(program, at); i < stop; i = ebpf_next(program, i)) {
		if (is_store_of(&program[i], end->dst, bits))
			f->marks[i] |= EBPF_MARK_STORE_SWAPPED;
	}
}

static void count(struct fuser *f, uint32_t at)
{
	const struct ebpf_insn *insn = &f->vm->program[at];
	bool dropped = f->marks[at] & EBPF_MARK_DROPPED;

	if (ebpf_end_swaps(insn, f->target_is_big)) {
		f->stats->swaps_in_register += !dropped;
		return;
	}
	f->stats->truncations++;
	f->stats->truncations_dropped += dropped || insn->imm == 64;
}

void ebpf_fuse(const struct ebpf_vm *vm, bool target_is_big, unsigned merge_bytes, uint8_t *marks,
	       struct ebpf_code_stats *stats)
{
	struct fuser f = { vm, target_is_big, merge_bytes, marks, stats };
	uint32_t end;

	ebpf_clear(stats, sizeof(*stats));
	for (end = vm->survey.first_swap; end != UINT32_MAX; end = vm->program[end].target) {
		uint32_t at = load_before(&f, end);

		if (at != UINT32_MAX)
			fuse_load(&f, at, end);
		if (!(marks[end] & EBPF_MARK_DROPPED))
			fuse_stores(&f, end);
		count(&f, end);
	}
}
