/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The eBPF instruction encoding of RFC 9669, as numbers.
 *
 * An instruction is 8 bytes: opcode (8 bits), two register numbers (4 bits each), a signed 16-bit offset and a
 * signed 32-bit immediate. A little-endian program keeps the destination in the low nibble of the register byte, a
 * big-endian one in the high nibble, and offset and immediate are in the program's byte order (RFC 9669, section 3.1).
 * One instruction, the 64-bit immediate load ("lddw"), takes two such slots.
 *
 * Names follow the RFC, with the prefix BPF_ that every BPF programmer knows.
 */
#ifndef EBPF_BYTECODE_H
#define EBPF_BYTECODE_H

#define BPF_SLOT_BYTES 8

/* The low three bits of an opcode: the class (RFC 9669, section 3.3, table 2). */
#define BPF_CLASS(opcode) ((opcode) & 0x07)
#define BPF_LD 0x00
#define BPF_LDX 0x01
#define BPF_ST 0x02
#define BPF_STX 0x03
#define BPF_ALU 0x04
#define BPF_JMP 0x05
#define BPF_JMP32 0x06
#define BPF_ALU64 0x07

/* Arithmetic and jump classes: bit 3 says whether the second operand is the immediate (K) or a register (X). */
#define BPF_SOURCE(opcode) ((opcode) & 0x08)
#define BPF_K 0x00
#define BPF_X 0x08

#define BPF_CODE(opcode) ((opcode) & 0xf0)

/* Arithmetic codes (section 4.1, table 4). DIV and MOD with offset 1 are signed. */
#define BPF_ADD 0x00
#define BPF_SUB 0x10
#define BPF_MUL 0x20
#define BPF_DIV 0x30
#define BPF_OR 0x40
#define BPF_AND 0x50
#define BPF_LSH 0x60
#define BPF_RSH 0x70
#define BPF_NEG 0x80
#define BPF_MOD 0x90
#define BPF_XOR 0xa0
#define BPF_MOV 0xb0
#define BPF_ARSH 0xc0
#define BPF_END 0xd0

/* Byte order of BPF_END: in the ALU class bit 3 selects it, in ALU64 the swap is unconditional (section 4.2). */
#define BPF_TO_LE 0x00
#define BPF_TO_BE 0x08

/* Jump codes (section 4.3, table 8). */
#define BPF_JA 0x00
#define BPF_JEQ 0x10
#define BPF_JGT 0x20
#define BPF_JGE 0x30
#define BPF_JSET 0x40
#define BPF_JNE 0x50
#define BPF_JSGT 0x60
#define BPF_JSGE 0x70
#define BPF_CALL 0x80
#define BPF_EXIT 0x90
#define BPF_JLT 0xa0
#define BPF_JLE 0xb0
#define BPF_JSLT 0xc0
#define BPF_JSLE 0xd0

/* What the source register field of BPF_CALL selects (section 4.3.1). */
#define BPF_CALL_HELPER 0
#define BPF_CALL_LOCAL 1
#define BPF_CALL_BTF 2

/* Load and store classes: mode in the top three bits, size in the next two (section 5, tables 10 and 11). */
#define BPF_MODE(opcode) ((opcode) & 0xe0)
#define BPF_IMM 0x00
#define BPF_ABS 0x20
#define BPF_IND 0x40
#define BPF_MEM 0x60
#define BPF_MEMSX 0x80
#define BPF_ATOMIC 0xc0
#define BPF_SIZE(opcode) ((opcode) & 0x18)
#define BPF_W 0x00
#define BPF_H 0x08
#define BPF_B 0x10
#define BPF_DW 0x18

/* The immediate of an atomic operation (section 5.3): an arithmetic code, or one of these, with or without FETCH. */
#define BPF_FETCH 0x01
#define BPF_XCHG 0xe1
#define BPF_CMPXCHG 0xf1

/* Whole opcodes that are told apart by name. */
#define BPF_OP_LDDW (BPF_LD | BPF_IMM | BPF_DW)
#define BPF_OP_JA (BPF_JMP | BPF_JA)
#define BPF_OP_JA32 (BPF_JMP32 | BPF_JA)
#define BPF_OP_CALL (BPF_JMP | BPF_CALL)
#define BPF_OP_CALLX (BPF_JMP | BPF_CALL | BPF_X)
#define BPF_OP_EXIT (BPF_JMP | BPF_EXIT)
#define BPF_OP_LE (BPF_ALU | BPF_END | BPF_TO_LE)
#define BPF_OP_BE (BPF_ALU | BPF_END | BPF_TO_BE)
#define BPF_OP_BSWAP (BPF_ALU64 | BPF_END)

#endif
