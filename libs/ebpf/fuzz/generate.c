/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How the programs are made: a main program and up to three local functions, each a sequence of random instructions
 * with jumps that are aimed at the end. One of r6 to r9 keeps the context's address, so that accesses can be made good
 * on purpose. Without a budget another one counts the turns of each function's loops, since the program has to end by itself:
 * nothing else writes it, and all jumps back take one from it and want it positive. A function may end by storing some
 * registers, so that every bit of them counts; where it does not, values die, which the fusion pass needs to have anything to do.
 */
#include "generate.h"

#define STORED_REGISTERS_AT 512 /* in the context */

/* A flag of this generator in struct ebpf_insn.flags: depends on the instruction before, so no jump may go to it. */
#define GLUED 0x80
/* Another one: a jump back that a counter limits. */
#define COUNTED 0x40

uint64_t generate_bits(struct generator *g)
{
	uint64_t z = g->state += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 (Steele, Lea, Flood 2014) */

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

uint32_t generate_below(struct generator *g, uint32_t limit)
{
	return (uint32_t)((generate_bits(g) >> 32) * limit >> 32);
}

static bool chance(struct generator *g, unsigned percent)
{
	return generate_below(g, 100) < percent;
}

static int32_t constant(struct generator *g)
{
	/* clang-format off */
	static const int32_t edges[] = {
		0, 1, -1, 2, -2, 3, 7, 8, 31, 32, 33, 63, 64, 65, 127, 128, -128, -129, 255, 256, 2047, 2048, -2048, -2049,
		4095, 4096, 32767, 32768, -32768, -32769, 65535, 65536, 0x7fffffff, INT32_MIN, INT32_MIN + 1, 0x00ff00ff,
	};
	/* clang-format on */

	if (chance(g, 60))
		return edges[generate_below(g, sizeof(edges) / sizeof(edges[0]))];
	return (int32_t)generate_bits(g);
}

/* The list of all kinds of instruction. */

static void kind(struct generator *g, uint8_t opcode, uint8_t src, int16_t offset, int32_t imm)
{
	g->kinds[g->kind_count++] = (struct generate_kind){ opcode, src, offset, imm };
}

static void list_arithmetic(struct generator *g, uint8_t class)
{
	static const uint8_t codes[] = { BPF_ADD, BPF_SUB, BPF_MUL, BPF_OR,   BPF_AND,
					 BPF_LSH, BPF_RSH, BPF_XOR, BPF_ARSH, BPF_MOV };
	uint8_t source;
	unsigned i;

	for (source = BPF_K; source <= BPF_X; source += BPF_X) {
		for (i = 0; i < sizeof(codes); i++)
			kind(g, class | source | codes[i], 0, 0, 0);
		for (i = 0; i < 2; i++) {
			kind(g, class | source | BPF_DIV, 0, (int16_t)i, 0);
			kind(g, class | source | BPF_MOD, 0, (int16_t)i, 0);
		}
	}
	kind(g, class | BPF_NEG, 0, 0, 0);
	kind(g, class | BPF_X | BPF_MOV, 0, 8, 0);
	kind(g, class | BPF_X | BPF_MOV, 0, 16, 0);
	if (class == BPF_ALU64)
		kind(g, class | BPF_X | BPF_MOV, 0, 32, 0);
}

static void list_jumps(struct generator *g, uint8_t class)
{
	static const uint8_t codes[] = { BPF_JEQ,  BPF_JGT, BPF_JGE, BPF_JSET, BPF_JNE, BPF_JSGT,
					 BPF_JSGE, BPF_JLT, BPF_JLE, BPF_JSLT, BPF_JSLE };
	unsigned i;

	kind(g, class | BPF_JA, 0, 0, 0);
	for (i = 0; i < sizeof(codes); i++) {
		kind(g, class | codes[i], 0, 0, 0);
		kind(g, class | BPF_X | codes[i], 0, 0, 0);
	}
}

static void list_memory(struct generator *g)
{
	/* clang-format off */
	static const int32_t atomics[] = { BPF_ADD, BPF_OR, BPF_AND, BPF_XOR, BPF_ADD | BPF_FETCH, BPF_OR | BPF_FETCH,
					   BPF_AND | BPF_FETCH, BPF_XOR | BPF_FETCH, BPF_XCHG, BPF_CMPXCHG };
	/* clang-format on */
	static const uint8_t sizes[] = { BPF_B, BPF_H, BPF_W, BPF_DW };
	unsigned i;

	for (i = 0; i < sizeof(sizes); i++) {
		kind(g, BPF_LDX | BPF_MEM | sizes[i], 0, 0, 0);
		kind(g, BPF_ST | BPF_MEM | sizes[i], 0, 0, 0);
		kind(g, BPF_STX | BPF_MEM | sizes[i], 0, 0, 0);
		if (sizes[i] != BPF_DW)
			kind(g, BPF_LDX | BPF_MEMSX | sizes[i], 0, 0, 0);
	}
	for (i = 0; i < sizeof(atomics) / sizeof(atomics[0]); i++) {
		kind(g, BPF_STX | BPF_ATOMIC | BPF_W, 0, 0, atomics[i]);
		kind(g, BPF_STX | BPF_ATOMIC | BPF_DW, 0, 0, atomics[i]);
	}
}

static void list_rest(struct generator *g)
{
	int32_t bits;
	unsigned source;

	for (bits = 16; bits <= 64; bits *= 2) {
		kind(g, BPF_OP_LE, 0, 0, bits);
		kind(g, BPF_OP_BE, 0, 0, bits);
		kind(g, BPF_OP_BSWAP, 0, 0, bits);
	}
	for (source = 0; source <= EBPF_LDDW_MAP_VALUE_BY_INDEX; source++)
		kind(g, BPF_OP_LDDW, (uint8_t)source, 0, 0);
	kind(g, BPF_OP_CALL, BPF_CALL_HELPER, 0, GENERATE_HELPER_MIX);
	kind(g, BPF_OP_CALL, BPF_CALL_HELPER, 0, GENERATE_HELPER_UNWIND);
	kind(g, BPF_OP_CALL, BPF_CALL_LOCAL, 0, 0);
	kind(g, BPF_OP_CALLX, 0, 0, 0);
	kind(g, BPF_OP_EXIT, 0, 0, 0);
}

void generate_start(struct generator *g, uint64_t seed)
{
	ebpf_clear(g, sizeof(*g));
	g->state = seed;
	list_arithmetic(g, BPF_ALU);
	list_arithmetic(g, BPF_ALU64);
	list_jumps(g, BPF_JMP);
	list_jumps(g, BPF_JMP32);
	list_memory(g);
	list_rest(g);
}

const struct generate_kind *generate_uncovered(const struct generator *g)
{
	unsigned i;

	for (i = 0; i < g->kind_count; i++) {
		if (!g->seen[i])
			return &g->kinds[i];
	}
	return NULL;
}

/* Coverage: the first kind all of whose fixed fields the instruction matches. */
static bool is_kind(const struct ebpf_insn *insn, const struct generate_kind *k)
{
	uint8_t class = BPF_CLASS(k->opcode), code = BPF_CODE(k->opcode);
	bool arithmetic = class == BPF_ALU || class == BPF_ALU64;

	if (insn->opcode != k->opcode)
		return false;
	if (arithmetic && (code == BPF_DIV || code == BPF_MOD || code == BPF_MOV))
		return insn->offset == k->offset;
	if ((arithmetic && code == BPF_END) || (class == BPF_STX && BPF_MODE(k->opcode) == BPF_ATOMIC))
		return insn->imm == k->imm;
	if (k->opcode == BPF_OP_CALL)
		return insn->src == k->src && (k->src == BPF_CALL_LOCAL || insn->imm == k->imm);
	return k->opcode != BPF_OP_LDDW || insn->src == k->src;
}

static void count_kinds(struct generator *g)
{
	uint32_t i;
	unsigned k;

	for (i = 0; i < g->slots; i = ebpf_next(g->program, i)) {
		for (k = 0; k < g->kind_count; k++) {
			if (is_kind(&g->program[i], &g->kinds[k])) {
				g->seen[k]++;
				break;
			}
		}
	}
}

/* Putting instructions down. */

static struct ebpf_insn *put(struct generator *g, uint8_t opcode, uint8_t dst, uint8_t src, int16_t offset, int32_t imm)
{
	struct ebpf_insn *insn = &g->program[g->slots++];

	*insn = (struct ebpf_insn){ .opcode = opcode, .dst = dst, .src = src, .offset = offset, .imm = imm };
	return insn;
}

/* A register to write: any but r10, the kept one and the one that counts. */
static uint8_t target_register(struct generator *g)
{
	uint8_t reg;

	do {
		reg = (uint8_t)generate_below(g, EBPF_R10);
	} while (reg == g->keep || reg == g->counter);
	return reg;
}

static uint8_t any_register(struct generator *g)
{
	return (uint8_t)generate_below(g, EBPF_REGISTERS);
}

static void put_arithmetic(struct generator *g, const struct generate_kind *k)
{
	bool by_register = BPF_SOURCE(k->opcode) == BPF_X, is_end = BPF_CODE(k->opcode) == BPF_END;
	bool plain = is_end || BPF_CODE(k->opcode) == BPF_NEG;

	put(g, k->opcode, target_register(g), by_register && !plain ? any_register(g) : 0, k->offset,
	    is_end		 ? k->imm :
	    by_register || plain ? 0 :
				   constant(g));
}

struct place {
	uint8_t base;
	int16_t offset;
	bool glued; /* the base was made by the instruction before */
};

static int16_t aligned(struct generator *g, int32_t offset, int32_t bytes, bool atomic)
{
	if (atomic || chance(g, 70))
		offset &= -bytes;
	return (int16_t)offset;
}

/* Where to access `bytes` bytes. Bad places only where bounds are checked; misaligned atomics only off the stack. */
static struct place place(struct generator *g, int32_t bytes, bool atomic)
{
	uint8_t reg;
	int32_t distance;

	if (g->bounds && chance(g, 4)) { /* anywhere; the xor makes the verifier forget a known distance from r10 */
		reg = target_register(g);
		put(g, BPF_ALU64 | BPF_XOR | BPF_K, reg, 0, 0, chance(g, 50) ? 0 : constant(g));
		return (struct place){ reg, (int16_t)generate_bits(g), true };
	}
	if (g->bounds && chance(g, 4)) /* about an edge of the context */
		return (struct place){ g->keep,
				       (int16_t)((chance(g, 50) ? GENERATE_CONTEXT_BYTES - bytes : 0) - 4 +
						 (int32_t)generate_below(g, 9)),
				       false };
	if (chance(g, 50))
		return (struct place){
			g->keep,
			aligned(g, (int32_t)generate_below(g, STORED_REGISTERS_AT - 8), bytes, atomic && chance(g, 95)), false
		};
	distance = aligned(g, -(int32_t)(bytes + (int32_t)generate_below(g, EBPF_FRAME_BYTES - 8 - (uint32_t)bytes)), bytes,
			   atomic);
	if (chance(g, 70))
		return (struct place){ EBPF_R10, (int16_t)distance, false };
	reg = target_register(g);
	put(g, BPF_ALU64 | BPF_MOV | BPF_X, reg, EBPF_R10, 0, 0);
	put(g, BPF_ALU64 | BPF_ADD | BPF_K, reg, 0, 0, -256)->flags = GLUED;
	return (struct place){ reg, (int16_t)(distance + 256), true };
}

static void put_memory(struct generator *g, const struct generate_kind *k)
{
	uint8_t class = BPF_CLASS(k->opcode);
	bool atomic = class == BPF_STX && BPF_MODE(k->opcode) == BPF_ATOMIC;
	struct place p = place(g, (int32_t)ebpf_access_bytes(k->opcode), atomic);
	struct ebpf_insn *insn;

	if (class == BPF_LDX)
		insn = put(g, k->opcode, target_register(g), p.base, p.offset, 0);
	else if (class == BPF_ST)
		insn = put(g, k->opcode, p.base, 0, p.offset, constant(g));
	else
		insn = put(g, k->opcode, p.base, k->imm & BPF_FETCH ? target_register(g) : any_register(g), p.offset, k->imm);
	insn->flags = p.glued ? GLUED : 0;
}

static void put_lddw(struct generator *g, const struct generate_kind *k)
{
	bool two = k->src == EBPF_LDDW_VALUE || k->src == EBPF_LDDW_MAP_VALUE_BY_FD || k->src == EBPF_LDDW_MAP_VALUE_BY_INDEX;
	bool region = k->src == EBPF_LDDW_VARIABLE && chance(g, 80);
	uint8_t reg = target_register(g);

	put(g, BPF_OP_LDDW, reg, k->src, 0, region ? GENERATE_REGION_ID : constant(g));
	put(g, 0, 0, 0, 0, two ? constant(g) : 0)->flags = GLUED;
	if (region && chance(g, 80)) {
		bool store = chance(g, 50);
		int16_t offset = (int16_t)(generate_below(g, 8) * 8);

		put(g, (store ? BPF_STX : BPF_LDX) | BPF_MEM | BPF_DW, store ? reg : target_register(g),
		    store ? any_register(g) : reg, offset, 0)
			->flags = GLUED;
	}
}

static void put_call(struct generator *g, const struct generate_kind *k)
{
	static const uint8_t numbers[] = { GENERATE_HELPER_MIX,	   GENERATE_HELPER_MIX, GENERATE_HELPER_MIX,
					   GENERATE_HELPER_UNWIND, GENERATE_NO_HELPER,	200 };
	uint8_t reg;

	if (k->opcode == BPF_OP_CALLX) {
		reg = target_register(g);
		put(g, BPF_ALU64 | BPF_MOV | BPF_K, reg, 0, 0, numbers[generate_below(g, sizeof(numbers))]);
		put(g, k->opcode, reg, 0, 0, 0);
	} else if (k->src == BPF_CALL_HELPER) {
		put(g, k->opcode, 0, k->src, 0, k->imm);
	} else if (g->function + 1 < g->functions) { /* the target is put in when it is known */
		put(g, k->opcode, 0, k->src, 0, (int32_t)(g->function + 1 + generate_below(g, g->functions - g->function - 1)));
	}
}

/* What the fusion pass looks for, nearly: loads, swaps and stores of one register, widths mostly alike. */
static void put_swap_pattern(struct generator *g)
{
	static const uint8_t sizes[] = { BPF_H, BPF_W, BPF_DW };
	static const uint8_t ends[] = { BPF_OP_LE, BPF_OP_BE, BPF_OP_BSWAP };
	unsigned size = generate_below(g, 3), stores = generate_below(g, 3);
	uint8_t reg = target_register(g);

	if (chance(g, 80)) {
		struct place p = place(g, 2 << size, false);
		uint8_t mode = size == 2 || chance(g, 90) ? BPF_MEM : BPF_MEMSX;

		put(g, BPF_LDX | mode | sizes[size], reg, p.base, p.offset, 0)->flags = p.glued ? GLUED : 0;
	}
	if (chance(g, 30))
		put(g, BPF_ALU64 | BPF_ADD | BPF_X, target_register(g), any_register(g), 0, 0);
	put(g, ends[generate_below(g, 3)], reg, 0, 0, 16 << (chance(g, 90) ? size : generate_below(g, 3)));
	while (stores--) {
		if (chance(g, 20))
			put(g, BPF_ALU64 | BPF_XOR | BPF_X, target_register(g), any_register(g), 0, 0);
		put(g, BPF_STX | BPF_MEM | sizes[chance(g, 90) ? size : generate_below(g, 3)], g->keep, reg,
		    (int16_t)generate_below(g, STORED_REGISTERS_AT - 8), 0);
	}
	if (chance(g, 70))
		put(g, BPF_ALU64 | BPF_MOV | BPF_K, reg, 0, 0, constant(g));
}

/* The end of a loop's body. No jump may go to its second instruction: the first has to be executed with it. */
static void put_counted_jump(struct generator *g)
{
	put(g, BPF_ALU64 | BPF_ADD | BPF_K, g->counter, 0, 0, -1);
	put(g, BPF_JMP | BPF_JSGT, g->counter, 0, 0, 0)->flags = GLUED | COUNTED;
	g->loops++;
}

static void put_random(struct generator *g)
{
	const struct generate_kind *k = &g->kinds[generate_below(g, g->kind_count)];

	if (g->counter != GENERATE_NO_COUNTER && chance(g, 6)) {
		put_counted_jump(g);
		return;
	}
	if (chance(g, 8)) {
		put_swap_pattern(g);
		return;
	}
	switch (BPF_CLASS(k->opcode)) {
	case BPF_ALU:
	case BPF_ALU64:
		put_arithmetic(g, k);
		break;
	case BPF_JMP:
	case BPF_JMP32:
		if (k->opcode == BPF_OP_CALL || k->opcode == BPF_OP_CALLX) {
			if (chance(g, 40))
				put_call(g, k);
		} else if (k->opcode == BPF_OP_EXIT) {
			if (chance(g, 10))
				put(g, k->opcode, 0, 0, 0, 0);
		} else { /* aimed later */
			bool by_register = BPF_SOURCE(k->opcode) == BPF_X, is_ja = BPF_CODE(k->opcode) == BPF_JA;

			put(g, k->opcode, is_ja ? 0 : any_register(g), by_register ? any_register(g) : 0, 0,
			    by_register || is_ja ? 0 : constant(g));
		}
		break;
	case BPF_LD:
		put_lddw(g, k);
		break;
	default:
		put_memory(g, k);
	}
}

/* Starts of instructions in the function, to aim jumps at. */
static uint32_t random_start(struct generator *g, uint32_t from, uint32_t end)
{
	uint32_t at = from + generate_below(g, end - from);

	while (at > from && g->program[at].flags & GLUED)
		at--;
	return g->program[at].flags & GLUED ? g->slots - 1 : at;
}

static void aim_jumps(struct generator *g)
{
	uint32_t i;

	for (i = g->function_start; i < g->slots; i = ebpf_next(g->program, i)) {
		struct ebpf_insn *insn = &g->program[i];
		bool counted = insn->flags & COUNTED, back = !counted && g->budget && chance(g, 20);
		uint32_t target;

		if (!ebpf_is_jump(insn))
			continue;
		if (counted) /* not to where the counter is set */
			target = random_start(g, g->body_start, i);
		else
			target = random_start(g, back ? g->function_start + 1 : i + 1, g->slots);
		if (!counted && !back && target > i + 8 && chance(g, 70)) /* mostly near, or most code would never run */
			target = random_start(g, i + 1, g->slots);
		if (insn->opcode == BPF_OP_JA32)
			insn->imm = (int32_t)(target - i - 1);
		else
			insn->offset = (int16_t)(target - i - 1);
	}
}

static void put_function(struct generator *g)
{
	unsigned i, length = 1 + generate_below(g, g->function ? 16 : 48);
	unsigned stored = chance(g, 60) ? (unsigned)generate_bits(g) : 0;

	g->function_start = g->slots;
	if (g->function == 0)
		put(g, BPF_ALU64 | BPF_MOV | BPF_X, g->keep, 1, 0, 0);
	if (g->counter != GENERATE_NO_COUNTER)
		put(g, BPF_ALU64 | BPF_MOV | BPF_K, g->counter, 0, 0, 1 + (int32_t)generate_below(g, 4));
	g->body_start = g->slots;
	if (g->function == 0) {
		for (i = 0; i < 6; i++)
			put_lddw(g, &(struct generate_kind){ BPF_OP_LDDW, 0, 0, 0 });
	}
	for (i = 0; i < length; i++)
		put_random(g);
	for (i = 0; i < EBPF_R10; i++) {
		if (stored & 1u << i)
			put(g, BPF_STX | BPF_MEM | BPF_DW, g->keep, (uint8_t)i, (int16_t)(STORED_REGISTERS_AT + 8 * i), 0);
	}
	put(g, BPF_OP_EXIT, 0, 0, 0, 0);
	aim_jumps(g);
}

static void aim_calls(struct generator *g, const uint32_t *starts)
{
	uint32_t i;

	for (i = 0; i < g->slots; i = ebpf_next(g->program, i)) {
		struct ebpf_insn *insn = &g->program[i];

		if (insn->opcode == BPF_OP_CALL && insn->src == BPF_CALL_LOCAL)
			insn->imm = (int32_t)(starts[insn->imm] - i - 1);
	}
}

static void encode(struct generator *g)
{
	uint32_t i;

	for (i = 0; i < g->slots; i++) {
		const struct ebpf_insn *insn = &g->program[i];
		uint8_t *slot = g->bytecode + (size_t)i * BPF_SLOT_BYTES;
		bool big = g->order == EBPF_BIG_ENDIAN;
		unsigned byte;

		slot[0] = insn->opcode;
		slot[1] = (uint8_t)(big ? insn->dst << 4 | insn->src : insn->src << 4 | insn->dst);
		slot[big ? 2 : 3] = (uint8_t)((uint16_t)insn->offset >> 8);
		slot[big ? 3 : 2] = (uint8_t)insn->offset;
		for (byte = 0; byte < 4; byte++)
			slot[big ? 7 - byte : 4 + byte] = (uint8_t)((uint32_t)insn->imm >> 8 * byte);
	}
}

void generate_program(struct generator *g)
{
	uint32_t starts[4];

	g->slots = 0;
	g->bounds = chance(g, 50);
	g->budget = chance(g, 50);
	g->order = chance(g, 50) ? EBPF_BIG_ENDIAN : EBPF_LITTLE_ENDIAN;
	g->keep = (uint8_t)(6 + generate_below(g, 4));
	g->counter = g->budget || chance(g, 30) ? GENERATE_NO_COUNTER : (uint8_t)(6 + (g->keep - 5 + generate_below(g, 3)) % 4);
	g->functions = chance(g, 60) ? 1 : 1 + generate_below(g, 4);
	for (g->function = 0; g->function < g->functions; g->function++) {
		starts[g->function] = g->slots;
		put_function(g);
	}
	aim_calls(g, starts);
	encode(g);
	count_kinds(g);
}
