/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The code generator's two halves. jit.c and lower.c, the portable half, walk the verified program and decide what
 * each instruction needs; a back end, one file in backends/, knows how its machine does it.
 *
 * A port is one `struct ebpf_backend`: fill it from the top, running the tests as you go. A back end runs on any host:
 * it may not look at the host's byte order, word size or CPU, and writes code only through ebpf_emit8/16/32, which use
 * the target's byte order. backends/x86_64.c is the example.
 *
 * Registers. eBPF registers are passed as numbers 0 to 10; 11, EBPF_SCRATCH, is one more register of the back end's
 * choice in which jit.c holds immediates for operations that take none. It is written and consumed within one eBPF
 * instruction. A back end needs further temporaries of its own that no eBPF register lives in. r6 to r9 and r10 must be
 * in registers that the C calling convention preserves, so must be the pointer to struct ebpf_frame; r1 to r5 are best
 * placed where C passes the first five arguments, r0 where C returns.
 *
 * Values. Every register holds 64 bits. The result of each 32-bit operation (wide == false) has to be zero-extended to
 * 64 bits; the operands' upper halves are arbitrary and may not matter. Nothing may be assumed about them that is not
 * said in a parameter.
 *
 * Passes. The program is generated twice. The first pass writes nothing and only finds where labels are; a back end that can
 * bound the code's size from the instructions alone (`estimate`) saves it. The second pass may choose shorter branches by
 * ebpf_distance_max, so a back end's code for an instruction may shrink in the second pass, and must not grow.
 */
#ifndef EBPF_JIT_H
#define EBPF_JIT_H

#include "internal.h"

#define EBPF_SCRATCH 11

struct ebpf_emitter;
typedef uint32_t ebpf_label;

enum ebpf_alu {
	EBPF_ADD,
	EBPF_SUB,
	EBPF_MUL,
	EBPF_UDIV,
	EBPF_UMOD,
	EBPF_SDIV,
	EBPF_SMOD,
	EBPF_OR,
	EBPF_AND,
	EBPF_XOR,
	EBPF_LSH,
	EBPF_RSH,
	EBPF_ARSH,
};

enum ebpf_condition {
	EBPF_EQ,
	EBPF_NE,
	EBPF_GT,
	EBPF_GE,
	EBPF_LT,
	EBPF_LE, /* unsigned */
	EBPF_SGT,
	EBPF_SGE,
	EBPF_SLT,
	EBPF_SLE,
	EBPF_SET, /* (a & b) != 0 */
};

/* A memory operand: base register (0 to 10) plus a signed 16-bit offset. */
struct ebpf_memory {
	unsigned base;
	int16_t offset;
	unsigned bytes; /* 1, 2, 4, 8 */
};

struct ebpf_backend {
	/* 1. Identity. `name` is an architecture's GNU name. */
	const char *name;
	bool big_endian;
	bool fusion_pays; /* what EBPF_FUSION_AUTO means here */
	bool extension_costs; /* zero-extending a 32-bit result takes an instruction: avoided where the upper half is not read */
	uint32_t features_known;
	/* NULL if the strategy can be had with these features, else why not, e.g. "swaps in vector registers need ssse3". */
	const char *(*swap_error)(uint32_t features, enum ebpf_swap swap);
	/* Can a load or store of `bytes` swap bytes in the access itself? Loads and stores are then asked to. */
	bool (*has_swapped_access)(uint32_t features, unsigned bytes);

	/* 2. Entry and exit, in the C calling convention: uint64_t program(struct ebpf_frame *). */
	/* Saves what C preserves; as far as needed keeps the frame pointer, stores the stack pointer in frame->saved_sp, loads r1, r2, r10. */
	void (*enter)(struct ebpf_emitter *);
	/* Reached by jumps from any call depth: restores the stack pointer from frame->saved_sp and returns r0. */
	void (*leave)(struct ebpf_emitter *);
	/* Sets each register in the mask (bit n: rn) to 0. */
	void (*clear)(struct ebpf_emitter *, uint16_t registers);

	/* 3. Moves and arithmetic. dst op= src; dst and src may be the same register. */
	void (*load_immediate)(struct ebpf_emitter *, unsigned dst, uint64_t value);
	void (*move)(struct ebpf_emitter *, bool wide, unsigned dst, unsigned src);
	void (*move_sign_extended)(struct ebpf_emitter *, bool wide, unsigned bits, unsigned dst, unsigned src);
	void (*negate)(struct ebpf_emitter *, bool wide, unsigned dst);
	/*
	 * Shift counts are masked to the width. Divisions: x / 0 is 0, x % 0 is x (in 32 bits: zero-extended), and signed,
	 * the smallest number / -1 is itself and % -1 is 0.
	 */
	void (*alu)(struct ebpf_emitter *, enum ebpf_alu, bool wide, unsigned dst, unsigned src);
	/*
	 * The same with a constant, false if the machine has no good form for it: then jit.c puts it in EBPF_SCRATCH and
	 * calls alu. A shift count is already masked, a divisor is never 0, division and remainder by a power of two do not
	 * come here when unsigned. In 64-bit operations the constant is sign-extended.
	 */
	bool (*alu_immediate)(struct ebpf_emitter *, enum ebpf_alu, bool wide, unsigned dst, int32_t imm);

	/* 4. Byte order. Reverses the low `bits` (16, 32, 64) of dst by the target's strategy, ebpf_swap_strategy(e). */
	/* clear_upper: the bits above must become 0; else they are 0 already and must stay 0, or are never read. */
	void (*swap)(struct ebpf_emitter *, unsigned bits, unsigned dst, bool clear_upper);
	/* Clears all but the low `bits` (16, 32). */
	void (*truncate)(struct ebpf_emitter *, unsigned bits, unsigned dst);

	/* 5. Memory, in the target's own byte order, or reversed if `swapped` (only where has_swapped_access says so). */
	/* Addresses are not aligned. Loads extend to 64 bits, by zeros or the sign; a swapped load is never sign-extended. */
	void (*load)(struct ebpf_emitter *, struct ebpf_memory, unsigned dst, bool sign_extend, bool swapped);
	void (*store)(struct ebpf_emitter *, struct ebpf_memory, unsigned src, bool swapped);
	/* Stores the low bytes of the sign-extended constant; false as in alu_immediate. */
	bool (*store_immediate)(struct ebpf_emitter *, struct ebpf_memory, int32_t imm);
	/* `imm` of RFC 9669 section 5.3; sequentially consistent. 4-byte results are zero-extended. Aligned by now. */
	void (*atomic)(struct ebpf_emitter *, struct ebpf_memory, unsigned src, int32_t imm);

	/* 6. Control. Conditions on the low 32 bits if not wide. */
	void (*jump)(struct ebpf_emitter *, ebpf_label target);
	void (*branch)(struct ebpf_emitter *, enum ebpf_condition, bool wide, unsigned a, unsigned b, ebpf_label target);
	bool (*branch_immediate)(struct ebpf_emitter *, enum ebpf_condition, bool wide, unsigned a, int32_t imm,
				 ebpf_label target); /* false as in alu_immediate */

	/* 7. Calls. Local functions: `saved` is the mask of r6 to r9 that the function writes and has to preserve. */
	void (*call_local)(struct ebpf_emitter *, ebpf_label function);
	void (*function_enter)(struct ebpf_emitter *, uint16_t saved); /* r10 -= EBPF_FRAME_BYTES */
	void (*function_leave)(struct ebpf_emitter *, uint16_t saved); /* r10 += EBPF_FRAME_BYTES, return */
	/* frame->helpers[number].function(r1..r5, frame->helper_context), result to r0; may clobber r1 to r5. */
	/* unwinds: the program ends (ebpf_leave_label) if the result is 0. */
	void (*call_helper)(struct ebpf_emitter *, uint32_t number, bool unwinds);
	/* The number is in a register: jump to `bad`, with the number in the fault-address temporary, if it is not less than */
	/* frame->helper_count or function is 0. EBPF_HELPER_UNWIND in the entry's flags is obeyed. */
	void (*call_register)(struct ebpf_emitter *, unsigned number, ebpf_label bad);

	/* 8. Checks. Each jumps to `bad` when it fails. */
	/* frame->budget -= instructions, failing if there are fewer. */
	void (*charge)(struct ebpf_emitter *, uint32_t instructions, ebpf_label bad);
	/* The address must be a multiple of memory.bytes; leaves it in the fault-address temporary. */
	void (*check_alignment)(struct ebpf_emitter *, struct ebpf_memory, ebpf_label bad);
	/* Puts the address in the fault-address temporary and calls `routine`, which tells whether it is good. The first region, */
	/* which each routine allows, may be checked before the call. */
	void (*check_bounds)(struct ebpf_emitter *, struct ebpf_memory, ebpf_label routine, ebpf_label bad);
	/* That routine, for accesses of `bytes`: good if in one of the regions from frame->regions up to the one whose address */
	/* is in the frame at `end`. A region does not wrap around; the sum of address and bytes may. No eBPF register changes. */
	void (*bounds_routine)(struct ebpf_emitter *, unsigned bytes, size_t end);
	/* Where the checks' jumps end: writes frame->status, fault_instruction and, if `address`, fault_address from the */
	/* temporary; then jumps to ebpf_leave_label. May clobber every register. */
	void (*fault)(struct ebpf_emitter *, enum ebpf_status, uint32_t instruction, bool address);

	/*
	 * 9. Optional. Aligns a loop's head with no-operations to where it is best fetched. The first pass emits as many as there
	 * can be, so that the code does not grow in the second. The code's start is a multiple of 64.
	 */
	void (*align)(struct ebpf_emitter *);

	/*
	 * 10. Optional, in place of the first pass: with slot 0 at `start` at most, fills position[] of each slot with an upper
	 * bound of the bytes before it, and returns the bound of the whole; 0 if the first pass is needed after all, because a swap
	 * strategy makes long code. Not called for programs with checks.
	 */
	uint32_t (*estimate)(struct ebpf_emitter *, uint32_t start);

	/*
	 * 11. Optional, for the speed of compilation: generates the slots from `at` on, and binds their labels, as long as the
	 * opcode alone gives the code, the slot has no mark and heads no loop. Returns the first slot that it leaves to the functions
	 * above, or `end`. Not called for programs with checks.
	 */
	uint32_t (*straight)(struct ebpf_emitter *, uint32_t at, uint32_t end);

	/* 12. Fills a reference made by ebpf_reference: `displacement` is from `at` to the label; false if it does not fit. */
	bool (*patch)(uint8_t *at, unsigned kind, int64_t displacement);
};

/* A place in the code that refers to a label. */
struct ebpf_reference {
	uint32_t at;
	ebpf_label label;
	uint32_t kind;
};

/* Code out of the way for a check that fails. */
struct ebpf_cold {
	ebpf_label label;
	uint32_t instruction;
	enum ebpf_status status;
};

struct ebpf_emitter {
	const struct ebpf_backend *backend;
	const struct ebpf_target *target;
	uint8_t *code; /* NULL in the first pass, or when only the size is asked for */
	uint32_t capacity; /* bytes at code; what does not fit is counted, not written */
	uint32_t at; /* bytes generated so far in this pass */
	bool second_pass;

	uint32_t *position; /* of each label: from the first pass until it is bound, then from this one */
	uint32_t label_count;
	uint32_t estimate_here; /* of the last label bound: its position in the first pass, at least that in this one */
	struct ebpf_reference *references;
	uint32_t reference_count;
	uint32_t reference_capacity;

	uint32_t note; /* the back end's own: set in `enter`, to know in later callbacks what it decided there */

	/* jit.c's own. */
	struct ebpf_vm *vm;
	uint8_t *marks;
	struct ebpf_cold *cold;
	uint32_t cold_count;
	uint32_t cold_capacity;
	uint8_t routines_used; /* bit n: the bounds routine number n */
};

/* For back ends: writing code, in the target's byte order. */
static inline void ebpf_emit8(struct ebpf_emitter *e, uint8_t value)
{
	if (e->at < e->capacity)
		e->code[e->at] = value;
	e->at++;
}

/* The low `count` bytes of `bytes`, the least significant first; what is above them must be 0. At most 8. */
static inline void ebpf_emit_low(struct ebpf_emitter *e, uint64_t bytes, unsigned count)
{
	uint32_t at = e->at;
	unsigned i;

	e->at = at + count;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	/* In one store: the bytes that it writes in excess are overwritten by the next store, or lie past the code's end. */
	if (at + (uint64_t)sizeof(bytes) <= e->capacity) {
		__builtin_memcpy(e->code + at, &bytes, sizeof(bytes));
		return;
	}
#endif
	for (i = 0; i < count && at + i < e->capacity; i++)
		e->code[at + i] = (uint8_t)(bytes >> 8 * i);
}

/* Two of these, one after the other: an instruction and its displacement or constant. */
static inline void ebpf_emit_low2(struct ebpf_emitter *e, uint64_t first, unsigned first_count, uint64_t second,
				  unsigned second_count)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint32_t at = e->at;

	if (at + 2 * (uint64_t)sizeof(first) <= e->capacity) {
		__builtin_memcpy(e->code + at, &first, sizeof(first));
		__builtin_memcpy(e->code + at + first_count, &second, sizeof(second));
		e->at = at + first_count + second_count;
		return;
	}
#endif
	ebpf_emit_low(e, first, first_count);
	ebpf_emit_low(e, second, second_count);
}

static inline void ebpf_emit16(struct ebpf_emitter *e, uint16_t value)
{
	bool big = e->backend->big_endian;

	ebpf_emit8(e, (uint8_t)(big ? value >> 8 : value));
	ebpf_emit8(e, (uint8_t)(big ? value : value >> 8));
}

static inline void ebpf_emit32(struct ebpf_emitter *e, uint32_t value)
{
	bool big = e->backend->big_endian;

	ebpf_emit16(e, (uint16_t)(big ? value >> 16 : value));
	ebpf_emit16(e, (uint16_t)(big ? value : value >> 16));
}

static inline void ebpf_emit64(struct ebpf_emitter *e, uint64_t value)
{
	bool big = e->backend->big_endian;

	ebpf_emit32(e, (uint32_t)(big ? value >> 32 : value));
	ebpf_emit32(e, (uint32_t)(big ? value : value >> 32));
}

/* Notes that the code to be emitted next refers to `label`; patch is called with `kind` and this place at the end. */
void ebpf_reference(struct ebpf_emitter *e, ebpf_label label, unsigned kind);
/* Upper bound of the absolute distance in bytes from here to the label; UINT32_MAX in the first pass. */
uint32_t ebpf_distance_max(const struct ebpf_emitter *e, ebpf_label label);
/* Whether the label is bound already, so that its place is final; *distance is how far back it is. */
static inline bool ebpf_is_behind(const struct ebpf_emitter *e, ebpf_label label, uint32_t *distance)
{
	*distance = e->at - e->position[label];
	return e->second_pass && e->position[label] <= e->estimate_here;
}
/* Puts the label here. */
static inline void ebpf_bind(struct ebpf_emitter *e, ebpf_label label)
{
	e->estimate_here = e->position[label];
	e->position[label] = e->at;
}
/* The end of the program, which restores and returns. */
ebpf_label ebpf_leave_label(const struct ebpf_emitter *e);

/* By hand: where no instruction counts bits, compilers call their own library for it, which a kernel does not link. */
static inline unsigned ebpf_count_bits(uint32_t mask)
{
	unsigned count = 0;

	for (; mask; mask &= mask - 1)
		count++;
	return count;
}

/* The strategy to use, already checked by swap_error; EBPF_SWAP_AUTO is the back end's to choose. */
static inline enum ebpf_swap ebpf_swap_strategy(const struct ebpf_emitter *e)
{
	return e->target->swap;
}

static inline bool ebpf_has_feature(const struct ebpf_emitter *e, uint32_t feature)
{
	return (e->target->features & feature) != 0;
}

/* For patch: 32-bit words in either order. */
static inline uint32_t ebpf_get32(const uint8_t *at, bool big)
{
	uint32_t a = at[0], b = at[1], c = at[2], d = at[3];

	return big ? a << 24 | b << 16 | c << 8 | d : d << 24 | c << 16 | b << 8 | a;
}

static inline void ebpf_put32(uint8_t *at, bool big, uint32_t value)
{
	at[big ? 3 : 0] = (uint8_t)value;
	at[big ? 2 : 1] = (uint8_t)(value >> 8);
	at[big ? 1 : 2] = (uint8_t)(value >> 16);
	at[big ? 0 : 3] = (uint8_t)(value >> 24);
}

/* The back ends, NULL-terminated; jit.c lists them. */
extern const struct ebpf_backend ebpf_backend_x86_64;
extern const struct ebpf_backend ebpf_backend_powerpc64le;
extern const struct ebpf_backend ebpf_backend_powerpc64;
extern const struct ebpf_backend ebpf_backend_loongarch64;

/* One byte of marks for each slot: what fuse.c found may be merged, and what narrow.c found. */
enum ebpf_mark {
	EBPF_MARK_LOAD_SWAPPED = 1, /* the load reverses, its swap is dropped */
	EBPF_MARK_STORE_SWAPPED = 2, /* the store reverses, its swap is dropped */
	EBPF_MARK_DROPPED = 4, /* this swap or truncation emits nothing */
	EBPF_MARK_UPPER_KNOWN = 8, /* this swap need not clear the upper bits */
	EBPF_MARK_UPPER_UNUSED = 16, /* the upper 32 bits of this 32-bit result are never read (narrow.c) */
};
/* `merge_bytes`: bit n set if accesses of n bytes can swap and merging is wanted. */
void ebpf_fuse(const struct ebpf_vm *vm, bool target_is_big, unsigned merge_bytes, uint8_t *marks,
	       struct ebpf_code_stats *stats);
/* narrow.c: sets EBPF_MARK_UPPER_UNUSED; false without memory. */
bool ebpf_narrow(struct ebpf_vm *vm, uint8_t *marks);
/* Whether BPF_END at `insn` reverses bytes on a target of this byte order, or only truncates. */
bool ebpf_end_swaps(const struct ebpf_insn *insn, bool target_is_big);

#endif
