/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * This library and ubpf's, linked into one program and measured in turns: the time from bytecode to code that can be
 * called, by the program's length, and the time of that code.
 *
 *	against_ubpf [SAMPLES [RUNS]]
 *
 * Both run with their defaults: ubpf_load and ubpf_compile; ebpf_load, ebpf_verify and ebpf_compile without options. Only
 * ubpf's code buffer is enlarged where its own is too small. Each sample measures both, in an order drawn anew, by the
 * thread's processor time, so that other work on the machine counts little.
 * make against-ubpf UBPF=libubpf.a builds it.
 */
#define _DEFAULT_SOURCE
#include "measure.h"

#include "../host/host.h"

/* ubpf's interface, as its documentation gives it. */
struct ubpf_vm;
typedef uint64_t (*ubpf_function)(void *memory, size_t bytes);
struct ubpf_vm *ubpf_create(void);
void ubpf_destroy(struct ubpf_vm *vm);
int ubpf_load(struct ubpf_vm *vm, const void *code, uint32_t bytes, char **message);
int ubpf_set_jit_code_size(struct ubpf_vm *vm, size_t bytes);
ubpf_function ubpf_compile(struct ubpf_vm *vm, char **message);

#define SLOTS_MAX 60000
#define UBPF_CODE_BYTES 65536 /* what its buffer has by itself */

enum { UBPF, ASSAY, ENGINES };
static double samples[ENGINES][SAMPLES_MAX], whole[ENGINES][SAMPLES_MAX];

static _Alignas(64) uint8_t bytecode[SLOTS_MAX * BPF_SLOT_BYTES];
static _Alignas(64) uint8_t memory[BENCH_WORDS * 8];

/* One of the two with a compiled program. */
struct loaded {
	struct ubpf_vm *ubpf;
	ubpf_function function;
	struct ebpf_vm *ebpf;
	uint64_t (*program)(struct ebpf_frame *);
};

static double spent_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static struct loaded create(unsigned engine, size_t slots)
{
	struct ebpf_options options = { 0 };
	struct loaded l = { 0 };

	if (engine == UBPF)
		l.ubpf = ubpf_create();
	else
		l.ebpf = ebpf_create(&ebpf_host_platform, &options);
	if (!l.ubpf && !l.ebpf)
		die("creating", "no memory");
	if (engine == UBPF && slots * 32 > UBPF_CODE_BYTES && ubpf_set_jit_code_size(l.ubpf, slots * 32))
		die("ubpf", "its buffer cannot be made larger");
	return l;
}

static void compile(struct loaded *l, size_t slots)
{
	size_t bytes = slots * BPF_SLOT_BYTES;
	char *message = NULL;

	if (l->ubpf) {
		if (ubpf_load(l->ubpf, bytecode, (uint32_t)bytes, &message))
			die("ubpf_load", message ? message : "failed");
		l->function = ubpf_compile(l->ubpf, &message);
		if (!l->function)
			die("ubpf_compile", message ? message : "failed");
		return;
	}
	if (ebpf_load(l->ebpf, bytecode, bytes, EBPF_LITTLE_ENDIAN) || ebpf_verify(l->ebpf) || ebpf_compile(l->ebpf, NULL))
		die("compiling", ebpf_message(l->ebpf));
	l->program = (uint64_t (*)(struct ebpf_frame *))(uintptr_t)ebpf_code(l->ebpf, &bytes);
}

static void destroy(struct loaded *l)
{
	if (l->ubpf)
		ubpf_destroy(l->ubpf);
	else
		ebpf_destroy(l->ebpf);
}

/* Programs of a length. */

/* The four programs that are also run, one behind the other. */
static size_t with_loops(size_t slots)
{
	const struct bench_slot end[] = { { BPF_OP_EXIT, 0, 0, 0, 0 } };
	size_t used = 0, i;

	for (i = 0; used + bench_programs[i].count <= slots; i = (i + 1) % BENCH_PROGRAMS) {
		encode(bench_programs[i].slots, bench_programs[i].count, bytecode + used * BPF_SLOT_BYTES);
		used += bench_programs[i].count;
	}
	for (; used < slots; used++)
		encode(end, 1, bytecode + used * BPF_SLOT_BYTES);
	return used;
}

/* What a parser of packets is made of: loads, a swap, arithmetic, stores to the stack, and a jump over a few in eight. */
static size_t straight(size_t slots)
{
	static const struct bench_slot body[] = {
		{ BPF_LDX | BPF_MEM | BPF_H, 3, 1, 12, 0 },  { BPF_OP_BE, 3, 0, 0, 16 },
		{ BPF_ALU64 | BPF_ADD | BPF_X, 0, 3, 0, 0 }, { BPF_JMP | BPF_JEQ | BPF_K, 3, 0, 3, 2048 },
		{ BPF_LDX | BPF_MEM | BPF_W, 4, 1, 26, 0 },  { BPF_ALU64 | BPF_RSH | BPF_K, 4, 0, 0, 8 },
		{ BPF_ALU64 | BPF_XOR | BPF_X, 0, 4, 0, 0 }, { BPF_STX | BPF_MEM | BPF_DW, 10, 0, -16, 0 },
	};
	const struct bench_slot start = { BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0 }, end = { BPF_OP_EXIT, 0, 0, 0, 0 };
	const size_t count = sizeof(body) / sizeof(body[0]);
	size_t used = 1;

	encode(&start, 1, bytecode);
	for (; used + count < slots; used += count)
		encode(body, count, bytecode + used * BPF_SLOT_BYTES);
	for (; used < slots; used++)
		encode(used + 1 < slots ? &start : &end, 1, bytecode + used * BPF_SLOT_BYTES);
	return used;
}

static void compile_time(const char *name, size_t (*make)(size_t slots), size_t slots, unsigned count)
{
	unsigned sample, i, order[ENGINES];

	slots = make(slots);
	for (sample = 0; sample < count; sample++) {
		draw_order(order, ENGINES);
		for (i = 0; i < ENGINES; i++) {
			double begun = spent_ns(), created, compiled;
			struct loaded l = create(order[i], slots);

			created = spent_ns();
			compile(&l, slots);
			compiled = spent_ns();
			destroy(&l);
			samples[order[i]][sample] = compiled - created;
			whole[order[i]][sample] = spent_ns() - begun;
		}
	}
	printf("%-10s %5zu instructions  compile %7.1f, ubpf %8.1f ns each: ", name, slots,
	       median(samples[ASSAY], count) / (double)slots, median(samples[UBPF], count) / (double)slots);
	print_ratio(samples[ASSAY], samples[UBPF], count);
	printf("%-10s %5zu instructions  with create and destroy:              ", name, slots);
	print_ratio(whole[ASSAY], whole[UBPF], count);
}

/* Time of the code. */

static void fill_memory(void)
{
	unsigned i;

	for (i = 0; i < sizeof(memory); i++)
		memory[i] = (uint8_t)(i * 29 + i / 7);
}

/*
 * Generated code is called directly in either case. Its arguments, memory and length, are set for each call; the rest of
 * our frame is filled once, and ubpf's code makes its own stack.
 */
static uint64_t run(const struct loaded *l)
{
	static _Alignas(64) uint8_t stack[EBPF_FRAME_BYTES];
	static struct ebpf_frame frame = { .stack_top = 0 };

	if (l->ubpf)
		return l->function(memory, sizeof(memory));
	frame.context = (uint64_t)(uintptr_t)memory;
	frame.context_bytes = sizeof(memory);
	frame.stack_top = (uint64_t)(uintptr_t)(stack + sizeof(stack));
	return l->program(&frame);
}

static void run_time(const struct bench_program *program, unsigned count, unsigned runs)
{
	unsigned sample, i, k, order[ENGINES];
	struct loaded loaded[ENGINES];
	uint64_t r0[ENGINES];

	encode(program->slots, program->count, bytecode);
	for (i = 0; i < ENGINES; i++) {
		loaded[i] = create(i, program->count);
		compile(&loaded[i], program->count);
		fill_memory();
		r0[i] = run(&loaded[i]);
	}
	if (r0[UBPF] != r0[ASSAY])
		die(program->name, "the two disagree on the result");
	for (sample = 0; sample < count; sample++) {
		draw_order(order, ENGINES);
		for (i = 0; i < ENGINES; i++) {
			double start;

			fill_memory();
			run(&loaded[order[i]]);
			start = spent_ns();
			for (k = 0; k < runs; k++)
				run(&loaded[order[i]]);
			samples[order[i]][sample] = (spent_ns() - start) / runs;
		}
	}
	printf("%-10s run %8.3f, ubpf %8.3f ns/%-7s ", program->name, median(samples[ASSAY], count) / program->elements,
	       median(samples[UBPF], count) / program->elements, program->element);
	print_ratio(samples[ASSAY], samples[UBPF], count);
	for (i = 0; i < ENGINES; i++)
		destroy(&loaded[i]);
}

int main(int argc, char **argv)
{
	static const size_t lengths[] = { 100, 2000, SLOTS_MAX };
	unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 101, runs = argc > 2 ? (unsigned)atoi(argv[2]) : 200, i;

	if (count < 3 || count > SAMPLES_MAX || runs < 1)
		die("usage", "against_ubpf [SAMPLES [RUNS]], 3 to 1000 samples");
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		compile_time("loops", with_loops, lengths[i], count);
		compile_time("straight", straight, lengths[i], count);
	}
	for (i = 0; i < BENCH_PROGRAMS; i++)
		run_time(&bench_programs[i], count, runs);
	return 0;
}
