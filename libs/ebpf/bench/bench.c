/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Time of generated code on x86-64, against the sequences that ubpf's JIT emits, and time to compile.
 *
 *	bench [SAMPLES [RUNS]]
 *
 * All engines run the same four programs (programs.h) on the same memory. They are measured interleaved, in an order drawn
 * anew for each sample; a sample is RUNS runs. Printed are the median of the samples per element and the ratio of medians to
 * ubpf's, with its 95 % interval from resampling the pairs of one sample. The machine's noise is in the interval; a
 * ratio is only called different from 1 if the interval is. Every engine's results are compared first.
 */
#define _DEFAULT_SOURCE
#include "measure.h"
#include "ubpf_sequences.h"

#include "../host/host.h"

#include <sys/mman.h>

#define ENGINES 5

static const char *const engine_names[ENGINES] = { "ubpf", "registers", "fused", "bounds", "budget" };

struct engine {
	struct ebpf_vm *vm; /* NULL: ubpf's sequences */
	ubpf_function function; /* ubpf's sequences; unused if vm is set */
	uint64_t (*program)(struct ebpf_frame *);
	size_t code_bytes;
};

static _Alignas(64) uint8_t memory[BENCH_WORDS * 8];
static _Alignas(64) uint8_t stack[512];

static struct ebpf_vm *load(const uint8_t *bytecode, size_t bytes, bool bounds, uint64_t budget, enum ebpf_fusion fusion)
{
	struct ebpf_options options = { .bounds = bounds, .budget_instructions = budget };
	struct ebpf_target target = { .features = ebpf_host_features(), .fusion = fusion };
	struct ebpf_vm *vm = ebpf_create(&ebpf_host_platform, &options);

	if (!vm)
		die("ebpf_create", "no memory");
	if (ebpf_load(vm, bytecode, bytes, EBPF_LITTLE_ENDIAN) || ebpf_verify(vm) || ebpf_compile(vm, &target))
		die("a bench program", ebpf_message(vm));
	return vm;
}

static void make_engines(const struct bench_program *program, struct engine *engines)
{
	static uint8_t bytecode[256 * BPF_SLOT_BYTES];
	size_t bytes = encode(program->slots, program->count, bytecode);
	uint8_t *code = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned i;

	if (code == MAP_FAILED)
		die("mmap", "no memory");
	memset(engines, 0, ENGINES * sizeof(*engines));
	engines[0].code_bytes = ubpf_sequences(program->slots, program->count, code, 8192);
	if (!engines[0].code_bytes || mprotect(code, 8192, PROT_READ | PROT_EXEC))
		die(program->name, "ubpf's sequences for it are not known");
	engines[0].function = (ubpf_function)(uintptr_t)code;
	engines[1].vm = load(bytecode, bytes, false, 0, EBPF_FUSION_OFF);
	engines[2].vm = load(bytecode, bytes, false, 0, EBPF_FUSION_ON);
	engines[3].vm = load(bytecode, bytes, true, 0, EBPF_FUSION_OFF);
	engines[4].vm = load(bytecode, bytes, false, UINT64_C(1) << 60, EBPF_FUSION_OFF);
	for (i = 1; i < ENGINES; i++)
		engines[i].program =
			(uint64_t (*)(struct ebpf_frame *))(uintptr_t)ebpf_code(engines[i].vm, &engines[i].code_bytes);
}

/* Generated code is called directly in either case, without what ebpf_run or ubpf_exec do around it. */
static uint64_t run(const struct engine *engine)
{
	struct ebpf_region regions[] = { { (uint64_t)(uintptr_t)memory, sizeof(memory) },
					 { (uint64_t)(uintptr_t)stack, sizeof(stack) } };
	struct ebpf_frame frame;
	uint64_t r0;

	if (!engine->vm)
		return engine->function(memory, sizeof(memory), stack);
	frame.context = (uint64_t)(uintptr_t)memory;
	frame.context_bytes = sizeof(memory);
	frame.stack_top = (uint64_t)(uintptr_t)(stack + sizeof(stack));
	frame.budget = UINT64_C(1) << 60;
	frame.regions = (uint64_t)(uintptr_t)regions;
	frame.regions_end = (uint64_t)(uintptr_t)(regions + 2);
	frame.writable_end = frame.regions_end;
	frame.status = 0;
	r0 = engine->program(&frame);
	if (frame.status)
		die("a run", "it was stopped by a check");
	return r0;
}

static void fill_memory(void)
{
	unsigned i;

	for (i = 0; i < sizeof(memory); i++)
		memory[i] = (uint8_t)(i * 29 + i / 7);
}

static void check_results(const char *name, const struct engine *engines)
{
	uint64_t expected, r0;
	unsigned i;

	fill_memory();
	expected = run(&engines[0]);
	for (i = 1; i < ENGINES; i++) {
		fill_memory();
		r0 = run(&engines[i]);
		if (r0 != expected)
			die(name, "the engines disagree on the result");
	}
}

static double samples[ENGINES][SAMPLES_MAX];

static void measure(const struct engine *engines, unsigned count, unsigned runs)
{
	unsigned sample, i, k;

	for (sample = 0; sample < count; sample++) {
		unsigned order[ENGINES];

		draw_order(order, ENGINES);
		for (i = 0; i < ENGINES; i++) {
			double start;

			fill_memory();
			run(&engines[order[i]]);
			start = now_ns();
			for (k = 0; k < runs; k++)
				run(&engines[order[i]]);
			samples[order[i]][sample] = (now_ns() - start) / runs;
		}
	}
}

static void report(const struct bench_program *program, const struct engine *engines, unsigned count)
{
	unsigned i;

	for (i = 0; i < ENGINES; i++) {
		printf("%-11s %-10s %8.3f ns/%-7s %6zu bytes   ", program->name, engine_names[i],
		       median(samples[i], count) / program->elements, program->element, engines[i].code_bytes);
		if (i)
			print_ratio(samples[i], samples[0], count);
		else
			printf("\n");
	}
}

/* All four programs one after the other, until there are `slots`, loaded, verified and compiled. */
static void report_compile_time(void)
{
	enum { SLOTS = 4096, ROUNDS = 200 };
	static uint8_t bytecode[SLOTS * BPF_SLOT_BYTES];
	static double times[3][ROUNDS];
	struct ebpf_options options = { 0 };
	size_t used = 0, i;
	unsigned round;

	while (used + 64 < SLOTS) {
		for (i = 0; i < BENCH_PROGRAMS && used + 64 < SLOTS; i++) {
			encode(bench_programs[i].slots, bench_programs[i].count, bytecode + used * BPF_SLOT_BYTES);
			used += bench_programs[i].count;
		}
	}
	for (round = 0; round < ROUNDS; round++) {
		struct ebpf_vm *vm = ebpf_create(&ebpf_host_platform, &options);
		double t[4];

		t[0] = now_ns();
		if (!vm || ebpf_load(vm, bytecode, used * BPF_SLOT_BYTES, EBPF_LITTLE_ENDIAN))
			die("loading", vm ? ebpf_message(vm) : "no memory");
		t[1] = now_ns();
		if (ebpf_verify(vm))
			die("verifying", ebpf_message(vm));
		t[2] = now_ns();
		if (ebpf_compile(vm, NULL))
			die("compiling", ebpf_message(vm));
		t[3] = now_ns();
		for (i = 0; i < 3; i++)
			times[i][round] = (t[i + 1] - t[i]) / (double)used;
		ebpf_destroy(vm);
	}
	printf("per instruction, of %zu: load %.1f ns, verify %.1f ns, compile %.1f ns\n", used, median(times[0], ROUNDS),
	       median(times[1], ROUNDS), median(times[2], ROUNDS));
}

int main(int argc, char **argv)
{
	unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 101, runs = argc > 2 ? (unsigned)atoi(argv[2]) : 200;
	struct engine engines[ENGINES];
	unsigned p, i;

	if (count < 3 || count > SAMPLES_MAX || runs < 1)
		die("usage", "bench [SAMPLES [RUNS]], 3 to 1000 samples");
	for (p = 0; p < BENCH_PROGRAMS; p++) {
		make_engines(&bench_programs[p], engines);
		check_results(bench_programs[p].name, engines);
		measure(engines, count, runs);
		report(&bench_programs[p], engines, count);
		for (i = 1; i < ENGINES; i++)
			ebpf_destroy(engines[i].vm);
	}
	report_compile_time();
	return 0;
}
