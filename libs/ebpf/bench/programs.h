/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The bench's four programs: byte swaps, arithmetic, memory, branches. Each loops over what r1 points to,
 * BENCH_WORDS 8-byte words, and gives a checksum, which every engine has to agree on.
 */
#ifndef EBPF_BENCH_PROGRAMS_H
#define EBPF_BENCH_PROGRAMS_H

#include "../bytecode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_WORDS 512

struct bench_slot {
	uint8_t opcode, dst, src;
	int16_t offset;
	int32_t imm;
};

struct bench_program {
	const char *name;
	const struct bench_slot *slots;
	size_t count;
	unsigned elements; /* what one run works through, for ns per element */
	const char *element;
};

#define I(opcode, dst, src, offset, imm) { (opcode), (dst), (src), (offset), (imm) }
#define MOV(d, imm) I(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, imm)
#define MOVR(d, s) I(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define OP(op, d, imm) I(BPF_ALU64 | (op) | BPF_K, d, 0, 0, imm)
#define OPR(op, d, s) I(BPF_ALU64 | (op) | BPF_X, d, s, 0, 0)
#define OP32R(op, d, s) I(BPF_ALU | (op) | BPF_X, d, s, 0, 0)
#define LOAD(size, d, s, offset) I(BPF_LDX | BPF_MEM | (size), d, s, offset, 0)
#define STORE(size, d, offset, s) I(BPF_STX | BPF_MEM | (size), d, s, offset, 0)
#define BE(d, bits) I(BPF_OP_BE, d, 0, 0, bits)
#define IF(op, d, imm, offset) I(BPF_JMP | (op) | BPF_K, d, 0, offset, imm)
#define IFR(op, d, s, offset) I(BPF_JMP | (op) | BPF_X, d, s, offset, 0)
#define JA(offset) I(BPF_OP_JA, 0, 0, offset, 0)
#define EXIT I(BPF_OP_EXIT, 0, 0, 0, 0)

/* Programs: each line of code is one step of the algorithm. */
/* clang-format off */
/* 16 bytes: two 16-bit, one 32-bit and one 64-bit word, each loaded, swapped, stored and added. */
#define SWAP_GROUP(at)                                                                                                  \
	LOAD(BPF_H, 3, 1, at), BE(3, 16), STORE(BPF_H, 1, at, 3), OPR(BPF_ADD, 0, 3),                                   \
	LOAD(BPF_H, 4, 1, (at) + 2), BE(4, 16), STORE(BPF_H, 1, (at) + 2, 4), OPR(BPF_ADD, 0, 4),                       \
	LOAD(BPF_W, 5, 1, (at) + 4), BE(5, 32), STORE(BPF_W, 1, (at) + 4, 5), OPR(BPF_ADD, 0, 5),                       \
	LOAD(BPF_DW, 6, 1, (at) + 8), BE(6, 64), STORE(BPF_DW, 1, (at) + 8, 6), OPR(BPF_ADD, 0, 6)

static const struct bench_slot bench_swaps[] = {
	MOV(0, 0), MOVR(2, 1), OP(BPF_ADD, 2, BENCH_WORDS * 8),
	SWAP_GROUP(0), SWAP_GROUP(16),
	OP(BPF_ADD, 1, 32), IFR(BPF_JNE, 1, 2, -34), EXIT,
};

/* A multiply, shifts, adds and exclusive ors in 64 and 32 bits, on four values that depend on each other. */
static const struct bench_slot bench_arithmetic[] = {
	MOV(0, 1), MOV(3, 3), MOV(4, 5), MOV(5, 7), MOV(6, BENCH_WORDS),
	OP(BPF_MUL, 0, 31), OPR(BPF_ADD, 0, 3),
	MOVR(7, 3), OP(BPF_LSH, 7, 13), OPR(BPF_XOR, 3, 7),
	MOVR(7, 3), OP(BPF_RSH, 7, 7), OPR(BPF_XOR, 3, 7),
	OPR(BPF_SUB, 4, 0), OP(BPF_AND, 4, 0xffff), OPR(BPF_MUL, 4, 5),
	OP32R(BPF_ADD, 5, 4), OP32R(BPF_XOR, 5, 0), OP(BPF_OR, 5, 1),
	OPR(BPF_ADD, 0, 5),
	OP(BPF_SUB, 6, 1), IF(BPF_JNE, 6, 0, -17), EXIT,
};

/* Sums the words, byte by byte and as a whole, and copies them to the second half. */
static const struct bench_slot bench_memory[] = {
	MOV(0, 0), MOVR(2, 1), OP(BPF_ADD, 2, BENCH_WORDS * 4),
	LOAD(BPF_DW, 3, 1, 0), STORE(BPF_DW, 1, BENCH_WORDS * 4, 3), OPR(BPF_ADD, 0, 3),
	LOAD(BPF_B, 4, 1, 3), OPR(BPF_ADD, 0, 4), LOAD(BPF_H, 5, 1, 4), OPR(BPF_ADD, 0, 5),
	LOAD(BPF_W, 4, 1, 0), STORE(BPF_W, 10, -8, 4), LOAD(BPF_W, 5, 10, -8), OPR(BPF_XOR, 0, 5),
	OP(BPF_ADD, 1, 8), IFR(BPF_JNE, 1, 2, -13), EXIT,
};

/* The lengths of the Collatz sequences of 1 to 128: branches that depend on data, and short blocks. */
static const struct bench_slot bench_branches[] = {
	MOV(0, 0), MOV(6, 1),
	MOVR(3, 6),                                                       /* 2: the next number */
	IF(BPF_JEQ, 3, 1, 11), OP(BPF_ADD, 0, 1),                         /* 3: the next step */
	MOVR(4, 3), OP(BPF_AND, 4, 1), IF(BPF_JEQ, 4, 0, 5),
	MOVR(4, 3), OPR(BPF_ADD, 3, 4), OPR(BPF_ADD, 3, 4), OP(BPF_ADD, 3, 1), JA(-10),
	OP(BPF_RSH, 3, 1), JA(-12),                                       /* 13: even */
	OP(BPF_ADD, 6, 1), IF(BPF_JNE, 6, 129, -15), EXIT,
};

/* clang-format on */

#define PROGRAM(name, elements, element) \
	{ #name, bench_##name, sizeof(bench_##name) / sizeof(bench_##name[0]), elements, element }

static const struct bench_program bench_programs[] = {
	PROGRAM(swaps, BENCH_WORDS * 2, "swap"),
	PROGRAM(arithmetic, BENCH_WORDS, "round"),
	PROGRAM(memory, BENCH_WORDS / 2, "word"),
	PROGRAM(branches, 128, "number"),
};
#define BENCH_PROGRAMS (sizeof(bench_programs) / sizeof(bench_programs[0]))

#undef I

#endif
