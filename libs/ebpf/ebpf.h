/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * eBPF (RFC 9669) for user space, kernels and unikernels: load, verify, interpret, compile.
 *
 * The life of a program: ebpf_create, ebpf_register_helper, ebpf_load, ebpf_verify, then ebpf_run with the interpreter,
 * or ebpf_compile and ebpf_run with the compiled code, or ebpf_emit for code that is stored and run elsewhere, then
 * ebpf_destroy. README.md is the manual, with a complete program.
 *
 * The library is freestanding C11: it calls no libc function (a compiler may still call memcpy, memmove, memset and
 * memcmp, as in all freestanding C). Memory comes from the callbacks in struct ebpf_platform; host/posix.c fills them
 * for a hosted program, host/linux.c for one without a libc.
 *
 * One struct ebpf_vm is used by one thread at a time. Code from ebpf_emit is re-entrant: its state is struct ebpf_frame.
 *
 * Helpers may call back into the VM that runs them: ebpf_run (a run within the run, with a stack and a context of its
 * own), the regions' functions, ebpf_may_read and ebpf_may_write, and every function that changes nothing. Calls that would
 * change or free the program that is running (ebpf_load, ebpf_verify, ebpf_compile) fail with EBPF_ERROR_STATE; ebpf_destroy,
 * which cannot fail, must not be called. A helper has to return: it must not leave by longjmp or an exception.
 */
#ifndef EBPF_H
#define EBPF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ebpf_vm;
struct ebpf_frame;

/* Every function that can fail returns one of these; ebpf_message says what, where and why. */
enum ebpf_status {
	EBPF_OK = 0,
	EBPF_ERROR_ARGUMENT = 1, /* a parameter of an API call */
	EBPF_ERROR_MEMORY = 2, /* a platform callback had no memory, or could not map or protect it */
	EBPF_ERROR_STATE = 3, /* calls out of order: run before verify, compiled run before compile */
	EBPF_ERROR_PROGRAM = 4, /* the verifier refused the program */
	EBPF_ERROR_RELOCATION = 5, /* an lddw of kind 1 to 6 could not be resolved */
	EBPF_ERROR_UNSUPPORTED = 6, /* the target or strategy does not exist here */
	EBPF_ERROR_BUFFER = 7, /* ebpf_emit: the caller's buffer is too small */
	EBPF_ERROR_BUDGET = 8, /* run time: the instruction budget ran out */
	EBPF_ERROR_BOUNDS = 9, /* run time: an access outside context, stack and regions */
	EBPF_ERROR_ALIGNMENT = 10, /* run time: an atomic operation on a misaligned address */
	EBPF_ERROR_HELPER = 11, /* run time: callx named a helper that is not registered */
};

#define EBPF_FRAME_BYTES 512 /* stack of one function; r10 is its top */
#define EBPF_CALL_DEPTH_MAX 8 /* frames, the main program's included */
#define EBPF_RUN_DEPTH_MAX 8 /* runs within runs, the first included */
#define EBPF_NO_INSTRUCTION UINT32_MAX

/* What the library needs of its surroundings. `context` is passed back to each callback. */
struct ebpf_platform {
	void *context;
	/* Memory for `bytes` > 0 bytes, aligned to 16; NULL when there is none. Need not be cleared. */
	void *(*allocate)(void *context, size_t bytes);
	void (*release)(void *context, void *memory, size_t bytes);
	/*
	 * Memory for code; may be NULL if ebpf_compile is not used. map_code returns writable, non-executable memory;
	 * protect_code makes it executable, no longer writable, and coherent with the instruction cache (as host/coherent.h
	 * does); it returns false if it cannot. The library never writes to it afterwards.
	 */
	void *(*map_code)(void *context, size_t bytes);
	bool (*protect_code)(void *context, void *code, size_t bytes);
	void (*unmap_code)(void *context, void *code, size_t bytes);
	/*
	 * How ebpf_run enters compiled code; NULL: by an ordinary call. For hosts that have to do something around the
	 * call: switch stacks, or check registers on return, as host/linux.c does. Returns what the code returns.
	 */
	uint64_t (*enter_code)(void *context, const void *code, size_t bytes, struct ebpf_frame *frame);
};

/* A helper function: r1 to r5, and the context given to ebpf_register_helper's VM. The result becomes r0. */
typedef uint64_t (*ebpf_helper)(uint64_t r1, uint64_t r2, uint64_t r3, uint64_t r4, uint64_t r5, void *context);

/* A helper with this flag ends the whole program, from any depth of calls, when it returns 0. */
#define EBPF_HELPER_UNWIND 1u
/* Helper numbers are below this. */
#define EBPF_HELPER_NUMBER_MAX 1024u

enum ebpf_byte_order { EBPF_LITTLE_ENDIAN = 0, EBPF_BIG_ENDIAN = 1 };

/* The kinds of 64-bit immediate that name something outside the program: the src field of lddw, RFC 9669 section 5.4. */
enum ebpf_lddw_kind {
	EBPF_LDDW_VALUE = 0,
	EBPF_LDDW_MAP_BY_FD = 1, /* map_by_fd(imm) */
	EBPF_LDDW_MAP_VALUE_BY_FD = 2, /* map_val(map_by_fd(imm)) + next_imm */
	EBPF_LDDW_VARIABLE = 3, /* var_addr(imm) */
	EBPF_LDDW_CODE = 4, /* code_addr(imm) */
	EBPF_LDDW_MAP_BY_INDEX = 5, /* map_by_idx(imm) */
	EBPF_LDDW_MAP_VALUE_BY_INDEX = 6, /* map_val(map_by_idx(imm)) + next_imm */
};

/* Gives the 64-bit value of an lddw; false if there is none, and then ebpf_verify fails and names the instruction. */
typedef bool (*ebpf_relocate)(void *context, enum ebpf_lddw_kind kind, uint32_t imm, uint32_t next_imm, uint64_t *value);

struct ebpf_options {
	/* Instructions that one run may execute; 0 means no limit. Charged a basic block at a time, before it runs. */
	uint64_t budget_instructions;
	/* Check each access at run time against context, stack and registered regions; interpreter and compiled code. */
	bool bounds;
	/* Passed to every helper as its sixth argument. */
	void *helper_context;
	/* Resolves lddw kinds 1 to 6; NULL refuses them. */
	ebpf_relocate relocate;
	void *relocate_context;
};

/* How byte swaps of a register are done in generated code. */
enum ebpf_swap {
	EBPF_SWAP_AUTO = 0, /* the best for the features */
	EBPF_SWAP_MEMORY, /* store, then a byte-reversed load (std; ldbrx / mov; movbe) */
	EBPF_SWAP_REGISTER, /* in general registers (rotates and inserts / revb / bswap) */
	EBPF_SWAP_VECTOR, /* through a vector register (xxbrd / pshufb): not where the caller's vectors count, as in a kernel */
	EBPF_SWAP_ISA31, /* POWER10's brh, brw, brd */
};

/* Whether a swap is merged with the load before it or the stores after it. */
enum ebpf_fusion { EBPF_FUSION_AUTO = 0, EBPF_FUSION_ON, EBPF_FUSION_OFF };

/* Features of a target's CPU; bits are reused between architectures. */
#define EBPF_X86_MOVBE 0x1u
#define EBPF_X86_BMI2 0x2u
#define EBPF_X86_SSSE3 0x4u
#define EBPF_POWER_ISA206 0x1u /* POWER7: ldbrx */
#define EBPF_POWER_ISA207 0x2u /* POWER8: mtvsrd */
#define EBPF_POWER_ISA300 0x4u /* POWER9: modud */
#define EBPF_POWER_ISA310 0x8u /* POWER10: brd, pli */
/*
 * Code may write vector registers (xxbrd, with ISA300, also by EBPF_SWAP_AUTO). Kernels, whose code keeps user space's vectors,
 * leave it out; without it, and without EBPF_SWAP_VECTOR, no code for any target touches a vector register.
 */
#define EBPF_POWER_VSX 0x10u
#define EBPF_LOONGARCH_LAM 0x1u /* am*_db; without it, atomic operations are loops of ll and sc */

/* For what machine code is generated. */
struct ebpf_target {
	const char *arch; /* "x86_64", "powerpc64le", "powerpc64", "loongarch64"; NULL: the machine this was built for */
	uint32_t features;
	enum ebpf_swap swap;
	enum ebpf_fusion fusion;
};

struct ebpf_region {
	uint64_t start;
	uint64_t bytes;
};

struct ebpf_helper_entry {
	uint64_t function; /* address of an ebpf_helper; 0: not registered */
	uint64_t flags; /* EBPF_HELPER_UNWIND */
};

/*
 * The one argument of generated code: `uint64_t program(struct ebpf_frame *)` in the target's C calling convention,
 * which returns r0. All fields are 64 bits wide, so that the layout is the same on every target. ebpf_run fills it;
 * a user of ebpf_emit fills the fields marked "in".
 */
struct ebpf_frame {
	uint64_t context; /* in: r1 */
	uint64_t context_bytes; /* in: r2 */
	uint64_t stack_top; /* in: r10; a multiple of 16; ebpf_stack_bytes below it are the program's */
	uint64_t budget; /* in: instructions, if emitted with a budget; out: what is left unless it ran out */
	uint64_t regions; /* in: address of struct ebpf_region[], if emitted with bounds: the context, the stack, ... */
	uint64_t regions_end; /* in: address after the last, at least one */
	uint64_t writable_end; /* in: address after the last of those that may be written; they come first, at least one */
	uint64_t helpers; /* in: address of struct ebpf_helper_entry[], indexed by helper number */
	uint64_t helper_count; /* in: its length */
	uint64_t helper_context; /* in: sixth argument of every helper */
	uint64_t saved_sp; /* generated code keeps the machine's stack pointer here to unwind */
	uint64_t status; /* in: 0; out: enum ebpf_status */
	uint64_t fault_instruction; /* out: index of the instruction that stopped the program, if status is not 0 */
	uint64_t fault_address; /* out: the address it accessed, for BOUNDS and ALIGNMENT */
	uint64_t scratch; /* generated code may put bytes here, to read them in reverse */
};

enum ebpf_engine { EBPF_INTERPRETER = 0, EBPF_COMPILED = 1 };

/* A new VM, or NULL without memory. Both structs are copied; options may be NULL. */
struct ebpf_vm *ebpf_create(const struct ebpf_platform *platform, const struct ebpf_options *options);
void ebpf_destroy(struct ebpf_vm *vm);

/* Makes `function` callable as helper `number`. Before ebpf_verify. */
enum ebpf_status ebpf_register_helper(struct ebpf_vm *vm, uint32_t number, ebpf_helper function, unsigned flags);

/*
 * With option `bounds`: lets programs access `bytes` bytes at `start` too, or only read them. At any time, also from a
 * helper, and then from the program's next instruction on. Bytes in several regions may be written if one of them says so.
 */
enum ebpf_status ebpf_register_region(struct ebpf_vm *vm, void *start, size_t bytes);
enum ebpf_status ebpf_register_read_only_region(struct ebpf_vm *vm, const void *start, size_t bytes);

/* Takes back one registration of just these bytes, the latest; EBPF_ERROR_ARGUMENT if there is none. At any time. */
enum ebpf_status ebpf_unregister_region(struct ebpf_vm *vm, const void *start, size_t bytes);

/*
 * For helpers that take pointers from the program: may it read, or write, these bytes, in the innermost run that is under
 * way? Without the option `bounds` nothing is known and the answer is yes.
 */
bool ebpf_may_read(const struct ebpf_vm *vm, uint64_t address, size_t bytes);
bool ebpf_may_write(const struct ebpf_vm *vm, uint64_t address, size_t bytes);

/* Copies and decodes `bytes` bytes of bytecode, replacing the program that was there; `order` is the bytecode's. */
enum ebpf_status ebpf_load(struct ebpf_vm *vm, const void *bytecode, size_t bytes, enum ebpf_byte_order order);

/* Checks the whole program. Nothing runs and no code is generated before this has returned EBPF_OK. */
enum ebpf_status ebpf_verify(struct ebpf_vm *vm);

/*
 * Compiles in place for this machine. target may be NULL: no optional features, and the best swaps without them; otherwise its
 * arch has to be NULL. The code of an earlier call is gone, also when this one fails, unless a helper calls: the program runs then.
 */
enum ebpf_status ebpf_compile(struct ebpf_vm *vm, const struct ebpf_target *target);

/*
 * Runs the program on `context_bytes` bytes at `context` (r1, r2). *r0 is written if the result is EBPF_OK. A run within
 * a run takes memory for its stack; it has a budget of its own.
 */
enum ebpf_status ebpf_run(struct ebpf_vm *vm, enum ebpf_engine engine, void *context, size_t context_bytes, uint64_t *r0);

/*
 * Generates position-independent code for any target into `buffer`; it has to run at a multiple of 64. *bytes is the
 * buffer's size on entry and the code's on return, also with EBPF_ERROR_BUFFER, so a NULL buffer of size 0 asks for the
 * size. Who copies the code to where it runs makes that place executable and coherent with the instruction cache, and on POWER
 * not by the compiler's builtin, which does nothing there: host/coherent.h has what it takes on each target.
 */
enum ebpf_status ebpf_emit(struct ebpf_vm *vm, const struct ebpf_target *target, void *buffer, size_t *bytes);

/* Bytes below stack_top that a verified program can use: a multiple of EBPF_FRAME_BYTES, 0 if it has no use for r10. */
size_t ebpf_stack_bytes(const struct ebpf_vm *vm);

/* Slots of the loaded program. */
uint32_t ebpf_instruction_count(const struct ebpf_vm *vm);

/* The last error's text, "instruction 7: ..." where it has one; and that instruction, or EBPF_NO_INSTRUCTION. */
const char *ebpf_message(const struct ebpf_vm *vm);
uint32_t ebpf_message_instruction(const struct ebpf_vm *vm);

/* Instructions charged to the budget by the last run; 0 without the option. */
uint64_t ebpf_instructions_used(const struct ebpf_vm *vm);

/*
 * What the last ebpf_compile or ebpf_emit did with the byte-order operations. Those that ask for the target's own order swap
 * nothing: they only clear the bits above their width, and are called truncations here.
 */
struct ebpf_code_stats {
	size_t code_bytes; /* also what EBPF_ERROR_BUFFER would have taken */
	uint32_t swaps_with_load; /* done by the load before */
	uint32_t swaps_with_store; /* done by the stores after, which may be several */
	uint32_t swaps_in_register;
	uint32_t truncations;
	uint32_t truncations_dropped; /* of these: of 64 bits, of a value that is known to be clear above, or only stored */
};
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" /* g++ takes a function of a struct's name for one that hides its constructor */
#endif
void ebpf_code_stats(const struct ebpf_vm *vm, struct ebpf_code_stats *stats);
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

/*
 * The same for a verified program on a machine of byte order `order` that can reverse every load and store, with every
 * merge that is allowed: an upper bound of the gain, without generating code. code_bytes is 0.
 */
enum ebpf_status ebpf_census(struct ebpf_vm *vm, enum ebpf_byte_order order, struct ebpf_code_stats *stats);

/* The code of ebpf_compile, to look at; NULL if there is none. */
const void *ebpf_code(const struct ebpf_vm *vm, size_t *bytes);

/*
 * Writes one instruction as text, in the syntax of LLVM's BPF assembler, into `text` (always terminated; 80 bytes are
 * enough). `bytes` says how much bytecode there is. Returns the slots it takes: 2 for lddw, else 1; an unknown
 * opcode is shown as such. Needs no VM.
 */
unsigned ebpf_disassemble(const void *bytecode, size_t bytes, enum ebpf_byte_order order, char *text, size_t text_bytes);

/* The targets that code can be generated for, from index 0; NULL after the last. */
const char *ebpf_target_name(unsigned index);

/* A status as a word: "program", "bounds". */
const char *ebpf_status_name(enum ebpf_status status);

#ifdef __cplusplus
}
#endif
#endif
