/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Random eBPF programs that the verifier accepts, that end, and that between them use every opcode with every operand
 * form. The same seed gives the same program on every host.
 */
#ifndef EBPF_GENERATE_H
#define EBPF_GENERATE_H

#include "../internal.h"

#define GENERATE_SLOTS_MAX 1024
#define GENERATE_CONTEXT_BYTES 640 /* the program's context; it saves registers in the last 128 */
#define GENERATE_REGION_BYTES 64 /* a registered region, whose address lddw var_addr(GENERATE_REGION_ID) gives */
#define GENERATE_REGION_ID 77

/* Helpers that the programs call; GENERATE_NO_HELPER is a number that callx may meet and that is not registered. */
#define GENERATE_HELPER_MIX 1 /* any function of its five arguments */
#define GENERATE_HELPER_UNWIND 5 /* EBPF_HELPER_UNWIND, returns r1 & 7 */
#define GENERATE_NO_HELPER 3

#define GENERATE_NO_COUNTER 0xff

/* One instruction's identity for coverage: opcode, and what else selects an operation (offset, immediate, src). */
#define GENERATE_KINDS_MAX 256

struct generate_kind {
	uint8_t opcode;
	uint8_t src; /* call and lddw */
	int16_t offset; /* signed division, sign extension */
	int32_t imm; /* byte swap width, atomic operation */
};

struct generator {
	uint64_t state;
	bool bounds; /* the program may access what it must not, and relies on the check */
	bool budget; /* the program may loop without end, and relies on the limit */

	uint8_t bytecode[GENERATE_SLOTS_MAX * BPF_SLOT_BYTES];
	enum ebpf_byte_order order;
	uint32_t slots;

	/* Coverage, over all programs of this generator. */
	struct generate_kind kinds[GENERATE_KINDS_MAX];
	uint64_t seen[GENERATE_KINDS_MAX];
	unsigned kind_count;
	uint64_t loops; /* without a budget */

	/* The program being made. */
	struct ebpf_insn program[GENERATE_SLOTS_MAX];
	uint8_t keep; /* the register that holds the context's address */
	uint8_t counter; /* the register that counts the turns of loops, or GENERATE_NO_COUNTER */
	uint32_t function_start, body_start; /* slots; between them what is executed once in a call */
	unsigned function, functions;
};

void generate_start(struct generator *g, uint64_t seed);
/* Makes the next program: bytecode, order, slots, bounds, budget. */
void generate_program(struct generator *g);
/* A number below `limit`. */
uint32_t generate_below(struct generator *g, uint32_t limit);
uint64_t generate_bits(struct generator *g);
/* A kind of instruction that was never generated, or NULL. */
const struct generate_kind *generate_uncovered(const struct generator *g);

#endif
