/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the parts of the library share: the decoded program, the VM, and error reporting.
 *
 * The way of a program through the files:
 *   decode.c       bytecode of either byte order -> struct ebpf_insn[], one per slot, jump targets as slot indices
 *   fields.c       opcodes and reserved fields of one instruction
 *   verify.c       the whole program: jumps, functions, stack, calls; relocates lddw
 *   flow.c         basic blocks, their lengths for the budget, functions, live registers
 *   interpret.c    runs it; the reference
 *   fuse.c         marks loads, stores and swaps that generated code may merge
 *   narrow.c       marks 32-bit results whose upper half nobody reads
 *   jit.c, jit.h   walks the program, resolves labels, finds the back end (backends/)
 *   lower.c        calls it for each instruction
 *   vm.c           the API around them
 */
#ifndef EBPF_INTERNAL_H
#define EBPF_INTERNAL_H

#include "bytecode.h"
#include "ebpf.h"

#define EBPF_REGISTERS 11
#define EBPF_R10 10

/* Slots in a program; a jump can cross all of them (ja32), and indices and label numbers stay far below 2^32. */
#define EBPF_PROGRAM_SLOTS_MAX (1u << 20)

enum ebpf_insn_flag {
	EBPF_INSN_SECOND = 1,   /* the second slot of an lddw: no instruction */
	EBPF_INSN_LEADER = 2,   /* first of a basic block */
	EBPF_INSN_TARGET = 4,   /* some jump goes here */
	EBPF_INSN_FUNCTION = 8, /* first of a function: slot 0 or the target of a local call */
	EBPF_INSN_STACK = 16,   /* a memory access that is in the stack frame, and aligned if atomic, by its distance from r10 */
	EBPF_INSN_LOOP = 32,    /* a jump goes here from the same place or later: the head of a loop */
};

struct ebpf_insn {
	uint64_t wide;   /* lddw: the 64-bit value, after relocation what it stands for */
	int32_t imm;
	uint32_t target; /* jumps and local calls: slot index */
	uint32_t charge; /* leaders: instructions in the block */
	int16_t offset;
	uint8_t opcode;
	uint8_t dst;
	uint8_t src;
	uint8_t flags;
	uint16_t live;   /* bit n: the value of register n before this instruction may be read */
	uint16_t reads;  /* verify.c: bit n: this instruction reads register n */
	uint16_t writes; /* verify.c: bit n: it writes register n */
};

/* A function of the program: slots [start, end). */
struct ebpf_function {
	uint32_t start;
	uint32_t end;
	uint32_t depth;   /* frames it needs, its own included */
	uint16_t written; /* bit n: it writes register n itself */
};

struct ebpf_error {
	enum ebpf_status status;
	uint32_t instruction;
	char text[200];
};

struct ebpf_vm {
	struct ebpf_platform platform;
	struct ebpf_options options;

	struct ebpf_helper_entry *helpers; /* helper_count of them */
	uint32_t helper_count;

	struct ebpf_region *regions; /* [0] context, [1] stack, the registered ones that may be written, the read-only ones */
	uint32_t region_count;
	uint32_t writable_count;  /* of them */
	uint32_t region_capacity;

	struct ebpf_insn *program;
	uint32_t slots;
	bool verified;

	struct ebpf_function *functions; /* in order of start; [0] is the main program */
	uint32_t function_count;
	uint16_t live_at_entry;
	bool uses_stack;

	uint8_t *stack; /* EBPF_FRAME_BYTES * EBPF_CALL_DEPTH_MAX; the innermost run's */
	struct ebpf_run *running; /* vm.c: the innermost run that is under way */

	void *code; /* mapped executable, or NULL */
	size_t code_mapped_bytes;
	size_t code_bytes; /* of them */
	struct ebpf_code_stats code_stats;

	uint64_t used;
	struct ebpf_error error;
};

/* Looked at by every pass over a program, so they are inline. */

/* The slot after the instruction in slot `at`. */
static inline uint32_t ebpf_next(const struct ebpf_insn *program, uint32_t at)
{
	return at + (program[at].opcode == BPF_OP_LDDW ? 2 : 1);
}

static inline bool ebpf_is_conditional(const struct ebpf_insn *insn)
{
	uint8_t class = BPF_CLASS(insn->opcode), code = BPF_CODE(insn->opcode);

	if (class != BPF_JMP && class != BPF_JMP32)
		return false;
	return code != BPF_JA && code != BPF_CALL && code != BPF_EXIT;
}

/* ja, ja32 and conditional jumps */
static inline bool ebpf_is_jump(const struct ebpf_insn *insn)
{
	return insn->opcode == BPF_OP_JA || insn->opcode == BPF_OP_JA32 || ebpf_is_conditional(insn);
}

static inline bool ebpf_ends_block(const struct ebpf_insn *insn)
{
	return insn->opcode == BPF_OP_EXIT || ebpf_is_jump(insn);
}

/* The bytes that a load, store or atomic accesses. */
static inline unsigned ebpf_access_bytes(uint8_t opcode)
{
	switch (BPF_SIZE(opcode)) {
	case BPF_B:
		return 1;
	case BPF_H:
		return 2;
	case BPF_W:
		return 4;
	default:
		return 8;
	}
}

/* decode.c */
enum ebpf_status ebpf_decode(struct ebpf_vm *vm, const uint8_t *bytecode, size_t bytes, enum ebpf_byte_order order);
void ebpf_decode_slot(const uint8_t *slot, enum ebpf_byte_order order, struct ebpf_insn *insn);

/* fields.c: NULL if opcode and fields are those of an instruction, else what is wrong. `next` is the second slot's. */
const char *ebpf_field_error(const struct ebpf_insn *insn, const struct ebpf_insn *next);

/* verify.c: all checks; afterwards targets, functions and lddw values are filled in */
enum ebpf_status ebpf_check_program(struct ebpf_vm *vm);

/* flow.c */
struct ebpf_effect {
	uint16_t reads;
	uint16_t writes;
};
struct ebpf_effect ebpf_effect(const struct ebpf_insn *insn);
void ebpf_find_blocks(struct ebpf_vm *vm);
void ebpf_find_live(struct ebpf_vm *vm);
const struct ebpf_function *ebpf_function_at(const struct ebpf_vm *vm, uint32_t start);

/* interpret.c: runs with a filled frame; *r0 is valid if frame->status stays 0 */
void ebpf_interpret(const struct ebpf_vm *vm, struct ebpf_frame *frame, uint64_t *r0);

/*
 * jit.c: generates code into `output->buffer`, or, if that is NULL and `provide` is not, into what that returns for an
 * upper bound of the size. `bytes` is the size in any case.
 */
struct ebpf_output {
	uint8_t *buffer;
	size_t capacity;
	uint8_t *(*provide)(struct ebpf_vm *vm, size_t bytes);
	size_t bytes;
};
enum ebpf_status ebpf_generate(struct ebpf_vm *vm, const struct ebpf_target *target, struct ebpf_output *output);
/* The architecture that this library was compiled for, or NULL if there is no back end for it. */
const char *ebpf_host_arch(void);

/*
 * errors.c: records an error and returns its status. The format knows %s, %u (unsigned), %d (int), and in hex with 0x
 * %x (unsigned) and %X (uint64_t). `instruction` other than EBPF_NO_INSTRUCTION puts "instruction N: " before the text.
 */
enum ebpf_status ebpf_fail(struct ebpf_vm *vm, enum ebpf_status status, uint32_t instruction, const char *format, ...);
size_t ebpf_format(char *text, size_t bytes, const char *format, ...);

void *ebpf_allocate(struct ebpf_vm *vm, size_t bytes);
void ebpf_release(struct ebpf_vm *vm, void *memory, size_t bytes);
void ebpf_clear(void *memory, size_t bytes);
void ebpf_copy(void *to, const void *from, size_t bytes);

#endif
