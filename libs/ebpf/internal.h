/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the parts of the library share: the decoded program, the VM, and error reporting.
 *
 * A program passes through the files in this order:
 *   decode.c       bytecode of either byte order -> struct ebpf_insn[], one per slot, jump targets as slot indices
 *   fields.c       opcodes and reserved fields of one instruction
 *   verify.c       the whole program: jumps, functions, stack, calls, basic blocks; relocates lddw
 *   flow.c         live registers; functions by their start
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
	EBPF_INSN_SECOND = 1, /* the second slot of an lddw: no instruction */
	EBPF_INSN_LEADER = 2, /* first of a basic block */
	EBPF_INSN_TARGET = 4, /* some jump goes here */
	EBPF_INSN_FUNCTION = 8, /* first of a function: slot 0 or the target of a local call */
	EBPF_INSN_STACK = 16, /* a memory access that is in the stack frame, and aligned if atomic, by its distance from r10 */
	EBPF_INSN_LOOP = 32, /* a jump goes here from the same place or later: the head of a loop */
};

/* Small, because passes over a long program are bound by memory. An lddw's second slot holds its value: see ebpf_wide. */
struct ebpf_insn {
	int32_t imm;
	uint32_t target; /* jumps and local calls: slot index; swaps: of the next swap */
	uint32_t charge; /* leaders: instructions in the block */
	int16_t offset;
	uint8_t opcode;
	uint8_t dst;
	uint8_t src;
	uint8_t flags;
	uint16_t live; /* bit n: the value of register n before this instruction may be read */
	uint16_t reads; /* verify.c: bit n: this instruction reads register n */
	uint16_t writes; /* verify.c: bit n: it writes register n */
};

/* A function of the program: slots [start, end). */
struct ebpf_function {
	uint32_t start;
	uint32_t end;
	uint32_t depth; /* frames it needs, its own included */
	uint16_t written; /* bit n: it writes register n itself */
};

struct ebpf_error {
	enum ebpf_status status;
	uint32_t instruction;
	char text[200];
};

/* What the verifier counts in the whole program, so that later passes need not walk it again. */
struct ebpf_survey {
	uint32_t first_swap; /* slot of the first le, be or bswap, whose target is the next one's; UINT32_MAX ends that list */
	uint32_t last_swap;
	uint32_t leaders; /* basic blocks */
	uint32_t odd; /* atomics and callx, whose operands are checked at run time whatever the options */
	uint32_t calls; /* of helpers and functions */
	uint32_t local_calls;
	uint32_t named; /* lddw of something outside */
	uint32_t controls; /* jumps, calls, exits */
	uint32_t last; /* slot of the last instruction */
};

struct ebpf_vm {
	struct ebpf_platform platform;
	struct ebpf_options options;

	struct ebpf_helper_entry *helpers; /* helper_count of them */
	uint32_t helper_count;

	struct ebpf_region *regions; /* [0] context, [1] stack, the registered ones that may be written, the read-only ones */
	uint32_t region_count;
	uint32_t writable_count; /* of them */
	uint32_t region_capacity;

	struct ebpf_insn *program;
	uint32_t slots;
	bool verified;

	struct ebpf_function *functions; /* in order of start; [0] is the main program */
	uint32_t function_count;
	uint16_t live_at_entry;
	bool uses_stack;
	struct ebpf_survey survey;

	uint8_t *stack; /* EBPF_FRAME_BYTES * EBPF_CALL_DEPTH_MAX; the innermost run's */
	struct ebpf_run *running; /* vm.c: the innermost run that is under way */

	void *code; /* mapped executable, or NULL */
	size_t code_mapped_bytes;
	size_t code_bytes; /* of them */
	struct ebpf_code_stats code_stats;

	uint64_t used;
	struct ebpf_error error;
};

/*
 * What an opcode says by itself (fields.c): its kind, the registers it reads and writes, the fields that must be 0. One table
 * look-up instead of a dozen comparisons; opcodes for which that is not all (calls, swaps, lddw, atomics) are not plain.
 */
enum ebpf_kind {
	EBPF_KIND_PLAIN = 1, /* an instruction if its reserved fields are 0; its effect is the one here */
	EBPF_KIND_CONTROL = 2, /* jumps, calls, exit */
	EBPF_KIND_JUMP = 4, /* ja, ja32, conditional jumps */
	EBPF_KIND_CONDITIONAL = 8,
	EBPF_KIND_ACCESS = 16, /* loads, stores, atomics */
	EBPF_KIND_LOAD = 32, /* ldx of memory, without a sign extension */
	EBPF_KIND_SWAP = 64, /* le, be, bswap */
};
struct ebpf_opcode {
	uint16_t kind;
	uint16_t src_max; /* 10 or, where there is no source register, 0 */
	int16_t offset_reserved; /* -1: must be 0 */
	int16_t imm_reserved; /* likewise */
	uint16_t reads_dst; /* all ones if it does, for the masks in struct ebpf_insn; else 0 */
	uint16_t reads_src;
	uint16_t writes_dst;
	uint16_t unused; /* so that an entry is found by a shift */
};
extern const struct ebpf_opcode ebpf_opcodes[256];

/* Every pass over a program calls these, so they are inline. */

/* lddw: the 64-bit value; after relocation, the resolved one. */
static inline uint64_t ebpf_wide(const struct ebpf_insn *insn)
{
	return insn[1].target | (uint64_t)insn[1].charge << 32;
}

static inline void ebpf_set_wide(struct ebpf_insn *insn, uint64_t value)
{
	insn[1].target = (uint32_t)value;
	insn[1].charge = (uint32_t)(value >> 32);
}

/* The slot after the instruction in slot `at`. */
static inline uint32_t ebpf_next(const struct ebpf_insn *program, uint32_t at)
{
	return at + (program[at].opcode == BPF_OP_LDDW ? 2 : 1);
}

static inline unsigned ebpf_kind(const struct ebpf_insn *insn)
{
	return ebpf_opcodes[insn->opcode].kind;
}

static inline bool ebpf_is_conditional(const struct ebpf_insn *insn)
{
	return ebpf_kind(insn) & EBPF_KIND_CONDITIONAL;
}

/* ja, ja32 and conditional jumps */
static inline bool ebpf_is_jump(const struct ebpf_insn *insn)
{
	return ebpf_kind(insn) & EBPF_KIND_JUMP;
}

static inline bool ebpf_ends_block(const struct ebpf_insn *insn)
{
	return insn->opcode == BPF_OP_EXIT || ebpf_is_jump(insn);
}

/* The bytes that a load, store or atomic accesses. */
static inline unsigned ebpf_access_bytes(uint8_t opcode)
{
	static const uint8_t bytes[4] = { 4, 2, 1, 8 }; /* in the order of the encoding: w, h, b, dw */

	return bytes[BPF_SIZE(opcode) >> 3];
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
struct ebpf_effect ebpf_odd_effect(const struct ebpf_insn *insn);
void ebpf_find_live(struct ebpf_vm *vm);
const struct ebpf_function *ebpf_function_at(const struct ebpf_vm *vm, uint32_t start);

/* interpret.c: runs with a filled frame; *r0 is valid if frame->status stays 0 */
void ebpf_interpret(const struct ebpf_vm *vm, struct ebpf_frame *frame, uint64_t *r0);

/*
 * jit.c: generates code into `output->buffer`. If that is NULL and `provide` is not, `provide` is called with an upper
 * bound of the size and returns the buffer. `bytes` becomes the code's size in any case.
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
void *ebpf_allocate_unset(struct ebpf_vm *vm, size_t bytes); /* not cleared: the caller writes all of it before reading */
void ebpf_release(struct ebpf_vm *vm, void *memory, size_t bytes);
void ebpf_clear(void *memory, size_t bytes);
void ebpf_copy(void *to, const void *from, size_t bytes);

#endif
