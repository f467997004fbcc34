/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Damaged and random bytecode through decoder, disassembler, verifier, both engines and the code generators, for
 * sanitizers: `make fuzz` builds it with the address and undefined-behaviour sanitizers. Context, stack and region are
 * heap blocks of their exact size, so that the sanitizer reports a bounds check that the interpreter lacks; the compiled
 * code has to agree with the interpreter in everything. Now and then an allocation fails, each one in turn, and all memory
 * has to be freed all the same.
 *
 *	damage [SEED [COUNT]]
 *
 * Compiled with -DEBPF_LIBFUZZER it is a target of libFuzzer instead.
 */
#define _DEFAULT_SOURCE
#include "generate.h"

#include "../host/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUDGET 500
#define CONTEXT_BYTES 64

/* Allocation that counts, and fails when the countdown reaches zero. */
struct memory {
	long live;
	long countdown; /* negative: never fails */
};

static void *allocate(void *context, size_t bytes)
{
	struct memory *memory = context;

	if (memory->countdown == 0)
		return NULL;
	memory->countdown--;
	memory->live++;
	return malloc(bytes);
}

static void release(void *context, void *block, size_t bytes)
{
	struct memory *memory = context;

	(void)bytes;
	memory->live--;
	free(block);
}

static void *map_code(void *context, size_t bytes)
{
	struct memory *memory = context;

	if (memory->countdown == 0)
		return NULL;
	memory->countdown--;
	memory->live++;
	return ebpf_host_platform.map_code(NULL, bytes);
}

static void unmap_code(void *context, void *code, size_t bytes)
{
	((struct memory *)context)->live--;
	ebpf_host_platform.unmap_code(NULL, code, bytes);
}

static uint64_t sum(uint64_t r1, uint64_t r2, uint64_t r3, uint64_t r4, uint64_t r5, void *context)
{
	(void)context;
	return r1 + r2 + r3 + r4 + r5;
}

static bool relocate(void *context, enum ebpf_lddw_kind kind, uint32_t imm, uint32_t next_imm, uint64_t *value)
{
	*value = kind == EBPF_LDDW_VARIABLE ? (uint64_t)(uintptr_t)context : (uint64_t)imm << 32 | next_imm;
	return imm % 7 != 6;
}

static void fail(const char *what, const struct ebpf_vm *vm)
{
	fprintf(stderr, "damage: %s: %s\n", what, vm ? ebpf_message(vm) : "");
	abort();
}

/* A message has to say which instruction, unless the whole program is at fault. */
static void check_message(const struct ebpf_vm *vm, enum ebpf_status status)
{
	const char *text = ebpf_message(vm);

	if (!status || !text[0])
		fail("an error without a message", vm);
	if (ebpf_message_instruction(vm) != EBPF_NO_INSTRUCTION && strncmp(text, "instruction ", 12) != 0)
		fail("the message does not begin with the instruction", vm);
	if (ebpf_message_instruction(vm) != EBPF_NO_INSTRUCTION && ebpf_message_instruction(vm) > ebpf_instruction_count(vm) &&
	    ebpf_instruction_count(vm) != 0)
		fail("the message names an instruction that does not exist", vm);
}

struct result {
	enum ebpf_status status;
	uint64_t r0;
	uint32_t instruction;
	uint8_t context[CONTEXT_BYTES];
};

static bool same(const struct result *a, const struct result *b)
{
	return a->status == b->status && a->r0 == b->r0 && a->instruction == b->instruction &&
	       memcmp(a->context, b->context, CONTEXT_BYTES) == 0;
}

static void run(struct ebpf_vm *vm, enum ebpf_engine engine, uint8_t *context, struct result *result)
{
	unsigned i;

	memset(result, 0, sizeof(*result));
	for (i = 0; i < CONTEXT_BYTES; i++)
		context[i] = (uint8_t)(i * 7);
	result->status = ebpf_run(vm, engine, context, CONTEXT_BYTES, &result->r0);
	if (result->status) {
		check_message(vm, result->status);
		result->instruction = ebpf_message_instruction(vm);
	}
	memcpy(result->context, context, CONTEXT_BYTES);
}

static void emit_for_all(struct ebpf_vm *vm)
{
	unsigned i;

	for (i = 0; ebpf_target_name(i); i++) {
		struct ebpf_target target = { .arch = ebpf_target_name(i), .fusion = EBPF_FUSION_ON };
		uint8_t *code;
		size_t bytes = 0;

		if (ebpf_emit(vm, &target, NULL, &bytes) != EBPF_ERROR_BUFFER)
			continue;
		code = malloc(bytes);
		if (code && ebpf_emit(vm, &target, code, &bytes))
			fail("code of a known size could not be emitted", vm);
		free(code);
	}
}

static void disassemble_all(const uint8_t *bytecode, size_t bytes, enum ebpf_byte_order order)
{
	char text[80];
	size_t at = 0;

	while (at < bytes)
		at += ebpf_disassemble(bytecode + at, bytes - at, order, text, sizeof(text)) * BPF_SLOT_BYTES;
}

/* One program through everything; true if it was accepted. */
static bool try_program(const uint8_t *bytecode, size_t bytes, enum ebpf_byte_order order, long countdown)
{
	struct memory memory = { 0, countdown };
	struct ebpf_platform platform = {
		.context = &memory,
		.allocate = allocate,
		.release = release,
		.map_code = map_code,
		.protect_code = ebpf_host_platform.protect_code,
		.unmap_code = unmap_code,
	};
	uint8_t *context = malloc(CONTEXT_BYTES), *region = calloc(1, 16);
	struct ebpf_options options = { BUDGET, true, NULL, relocate, region };
	struct ebpf_vm *vm = ebpf_create(&platform, &options);
	struct result results[2];
	enum ebpf_status status = EBPF_OK;

	if (vm && (ebpf_register_helper(vm, 1, sum, 0) || ebpf_register_helper(vm, 5, sum, EBPF_HELPER_UNWIND) ||
		   ebpf_register_region(vm, region, 16)))
		status = EBPF_ERROR_MEMORY;
	if (vm && !status)
		status = ebpf_load(vm, bytecode, bytes, order);
	if (vm && !status)
		status = ebpf_verify(vm);
	if (vm && status)
		check_message(vm, status);
	if (vm && !status) {
		run(vm, EBPF_INTERPRETER, context, &results[0]);
		memset(region, 0, 16);
		if (countdown < 0)
			emit_for_all(vm);
		if (ebpf_compile(vm, NULL) == EBPF_OK) {
			run(vm, EBPF_COMPILED, context, &results[1]);
			if (!same(&results[0], &results[1]))
				fail("interpreter and compiled code differ", vm);
		} else if (countdown < 0 && ebpf_host_arch()) {
			fail("a verified program was not compiled", vm);
		}
	}
	ebpf_destroy(vm);
	free(context);
	free(region);
	if (memory.live)
		fail("memory was not given back", NULL);
	return vm && !status;
}

#ifdef EBPF_LIBFUZZER

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	if (bytes == 0)
		return 0;
	disassemble_all(data + 1, bytes - 1, (enum ebpf_byte_order)(data[0] & 1));
	try_program(data + 1, bytes - 1, (enum ebpf_byte_order)(data[0] & 1), -1);
	return 0;
}

#else

/* Changes a few fields, mostly to values that are nearly right; at times cuts the program or fills it with noise. */
static size_t damage(struct generator *g, uint8_t *bytecode, size_t bytes)
{
	unsigned changes = generate_below(g, 4);

	while (changes--) {
		size_t at = generate_below(g, (uint32_t)bytes);

		switch (generate_below(g, 6)) {
		case 0:
			bytecode[at] = (uint8_t)generate_bits(g);
			break;
		case 1:
			bytecode[at] ^= (uint8_t)(1u << generate_below(g, 8));
			break;
		case 2:
			bytecode[at & ~(size_t)7] = (uint8_t)generate_bits(g);
			break;
		case 3:
			memmove(bytecode + (at & ~(size_t)7), bytecode, bytes - (at & ~(size_t)7) < 8 ? 0 : 8);
			break;
		case 4:
			bytecode[(at & ~(size_t)7) + 1] = (uint8_t)generate_bits(g);
			break;
		default:
			if (generate_below(g, 8) == 0)
				bytes = at + 1;
		}
	}
	if (generate_below(g, 50) == 0) {
		size_t i;

		for (i = 0; i < bytes; i++)
			bytecode[i] = (uint8_t)generate_bits(g);
	}
	return bytes;
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1, count = argc > 2 ? strtoull(argv[2], NULL, 0) : 20000;
	struct generator *g = malloc(sizeof(*g));
	uint64_t i, accepted = 0;

	if (!g)
		return 1;
	generate_start(g, seed);
	for (i = 0; i < count; i++) {
		uint8_t *exact;
		size_t bytes;
		long countdown;

		generate_program(g);
		bytes = damage(g, g->bytecode, (size_t)g->slots * BPF_SLOT_BYTES);
		exact = malloc(bytes);
		if (!exact)
			return 1;
		memcpy(exact, g->bytecode, bytes);
		disassemble_all(exact, bytes, g->order);
		accepted += try_program(exact, bytes, g->order, -1);
		for (countdown = 0; i % 64 == 0 && countdown < 20; countdown++)
			try_program(exact, bytes, g->order, countdown);
		free(exact);
	}
	printf("%llu programs, %llu accepted\n", (unsigned long long)count, (unsigned long long)accepted);
	free(g);
	return 0;
}

#endif
