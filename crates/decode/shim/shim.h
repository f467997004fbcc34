// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The whole of LLVM that Assay uses, as a plain C interface. src/shim.rs declares the same types by hand and
// src/shim/library.rs the same functions: change both.
//
// The shim reports what LLVM's tables say and judges nothing. What of that is true for timing is decided in Rust,
// where it can be tested one instruction at a time.
#ifndef ASSAY_SHIM_H
#define ASSAY_SHIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ASSAY_OPERANDS_MAX = 24, ASSAY_IMPLICIT_MAX = 64 };

// One target with one cpu and one feature set. Not for use from two threads at once.
struct assay_target;

// Operand kinds of a decoded instruction.
enum assay_operand_kind { ASSAY_OPERAND_OTHER, ASSAY_OPERAND_REGISTER, ASSAY_OPERAND_IMMEDIATE };

struct assay_operand {
	int64_t value; // LLVM's register number, 0 for none, or the immediate
	uint8_t kind;
	uint8_t is_definition;
	uint8_t is_memory; // part of a memory operand, where the target marks those
	int8_t tied_to; // index of the definition that has to be the same register, or -1
};

struct assay_instruction {
	uint32_t opcode;
	uint32_t length; // bytes
	uint32_t prefix_flags; // x86: LLVM's IP_HAS_* flags
	uint32_t operand_count;
	struct assay_operand operands[ASSAY_OPERANDS_MAX];
	uint64_t target; // of a direct branch or call, if has_target
	uint32_t has_target;
};

// What LLVM says of an opcode whatever its operands are.
struct assay_opcode {
	const char *name; // lives as long as the library
	uint8_t may_load, may_store;
	uint8_t is_branch, is_indirect, is_call, is_return;
	uint32_t implicit_definition_count, implicit_use_count;
	uint16_t implicit_definitions[ASSAY_IMPLICIT_MAX], implicit_uses[ASSAY_IMPLICIT_MAX];
};

// Unknown features are left out silently, because one list serves several versions of LLVM. A cpu of "" is the
// target's generic one. Returns NULL and a message on failure. The triple has to belong to one of Assay's targets.
struct assay_target *assay_target_new(const char *triple, const char *cpu, const char *features, char *message,
				      size_t message_size);
void assay_target_free(struct assay_target *target);

uint32_t assay_register_count(const struct assay_target *target);
const char *assay_register_name(const struct assay_target *target, uint32_t number);
uint32_t assay_opcode_count(const struct assay_target *target);
void assay_opcode_describe(const struct assay_target *target, uint32_t opcode, struct assay_opcode *out);
// The mnemonic of the opcode, cut off at its size; empty if it is none of an instruction that can be decoded.
void assay_opcode_mnemonic(struct assay_target *target, uint32_t opcode, char *buffer, size_t size);

// 1: decoded. 0: no instruction (nothing else is set).
int assay_decode(struct assay_target *target, const uint8_t *bytes, size_t size, uint64_t address,
		 struct assay_instruction *out);
// The mnemonic and the text of the instruction that was decoded last, each cut off at its size.
void assay_mnemonic(struct assay_target *target, char *buffer, size_t size);
void assay_text(struct assay_target *target, uint64_t address, char *buffer, size_t size);

// The scheduling model of the target's cpu; see scheduling.cpp.
struct assay_model {
	uint32_t has_instruction_model;
	uint32_t issue_width;
	uint32_t buffer_size; // micro-ops; 0: in order without, 1: in order with one
	uint32_t load_latency, mispredict_penalty;
	uint32_t resource_count; // numbered from 1, as LLVM does
	// What the model says in addition to the core's numbers; 0: nothing.
	uint32_t retire_width, load_queue, store_queue;
};

struct assay_resource {
	const char *name;
	uint32_t units;
	int32_t buffer_size; // -1: the core's, 0: in order
	uint32_t super; // the resource that these units are among, 0: none
	const uint32_t *members; // of a group: `units` resources, as often as each has units; else NULL
};

struct assay_resource_use {
	uint32_t resource;
	uint32_t cycles;
};

enum { ASSAY_WRITES_MAX = 32, ASSAY_USES_MAX = 64 };

struct assay_schedule {
	uint32_t micro_ops;
	uint32_t begins_group, ends_group;
	uint32_t write_count;
	int32_t write_latencies[ASSAY_WRITES_MAX]; // cycles until each definition, explicit ones first; < 0: unknown
	uint32_t use_count;
	struct assay_resource_use uses[ASSAY_USES_MAX];
	uint32_t late_cycles; // after issue, the last register operand is read; 0: at once
	uint32_t breaks_dependencies; // of all explicit operands
	uint32_t is_eliminated; // a move that renaming does
};

void assay_model_describe(const struct assay_target *target, struct assay_model *out);
int assay_resource_describe(const struct assay_target *target, uint32_t number, struct assay_resource *out);
// How many opcodes use each resource; `counts` has an entry for each, that of resource 1 first.
void assay_resource_users(const struct assay_target *target, uint32_t *counts);
// For the instruction that was decoded last. 1: known. 0: the model has nothing on it.
int assay_schedule_last(struct assay_target *target, struct assay_schedule *out);
// The name of the n-th cpu that the target knows, and whether it has an instruction model; NULL behind the last.
const char *assay_cpu_name(const struct assay_target *target, uint32_t n, int *has_model);

// LLVM's machine code analyzer on a loop whose body is `code`. 1: `cycles` is how long all of the iterations take
// together. 0: a message why not.
int assay_mca(struct assay_target *target, const uint8_t *code, size_t size, uint32_t iterations, uint64_t *cycles,
	      char *message, size_t message_size);

#ifdef __cplusplus
}
#endif
#endif
