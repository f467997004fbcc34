/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The differential fuzzer: runs random programs with the interpreter and as compiled code, and compares everything that
 * can be observed: status, r0, the faulting instruction and address, the instructions charged, and every byte of
 * context, registered region and stack. Swap strategy, fusion, CPU features, bounds and budget are drawn for each program.
 *
 *	differential [--seed N] [--count N] [--emit ARCH]
 *
 * With --emit, code for ARCH is only generated, and a hash of all of it is printed: it has to be the same on every host.
 * Exit status: 0; 1 after a difference, which is shown with the program; 2 for wrong usage.
 */
#include "generate.h"

#include "../host/checked.h"
#include "../host/linux.h"

#define ARENA_BYTES (8u << 20)
#define BUDGET 2000

/* Memory for one program at a time: taken from an arena that is reset before the next. */
struct arena {
	uint8_t *memory;
	size_t used;
};

static void *arena_allocate(void *context, size_t bytes)
{
	struct arena *arena = context;
	void *memory = arena->memory + arena->used;

	bytes = (bytes + 15) & ~(size_t)15;
	if (bytes > ARENA_BYTES - arena->used)
		return NULL;
	arena->used += bytes;
	return memory;
}

static void arena_release(void *context, void *memory, size_t bytes)
{
	(void)context, (void)memory, (void)bytes;
}

/* What a run leaves behind. */
struct outcome {
	enum ebpf_status status;
	uint64_t r0;
	uint64_t used;
	uint32_t instruction;
	char message[200];
	uint8_t context[GENERATE_CONTEXT_BYTES];
	uint8_t region[GENERATE_REGION_BYTES];
	uint8_t stack[EBPF_FRAME_BYTES * EBPF_CALL_DEPTH_MAX];
};

struct fuzzer {
	struct generator generator;
	struct arena arena;
	uint32_t features;
	const char *emit; /* architecture, or NULL */
	uint64_t hash;
	uint64_t finished, faulted;
	uint8_t initial[GENERATE_CONTEXT_BYTES];
	_Alignas(16) uint8_t context[GENERATE_CONTEXT_BYTES];
	_Alignas(16) uint8_t region[GENERATE_REGION_BYTES];
	struct outcome outcome[2];
	_Alignas(16) uint8_t code[1 << 18];
};

static uint64_t mix(uint64_t r1, uint64_t r2, uint64_t r3, uint64_t r4, uint64_t r5, void *context)
{
	uint64_t hash = r1 ^ (r2 << 7 | r2 >> 57) ^ (r3 << 19 | r3 >> 45) ^ (r4 << 31 | r4 >> 33) ^ (r5 << 43 | r5 >> 21);

	checked_helper();
	return hash * UINT64_C(0x9e3779b97f4a7c15) + (context != NULL);
}

static uint64_t unwind(uint64_t r1, uint64_t r2, uint64_t r3, uint64_t r4, uint64_t r5, void *context)
{
	(void)r2, (void)r3, (void)r4, (void)r5, (void)context;
	checked_helper();
	return r1 & 7;
}

static bool relocate(void *context, enum ebpf_lddw_kind kind, uint32_t imm, uint32_t next_imm, uint64_t *value)
{
	struct fuzzer *f = context;

	if (kind == EBPF_LDDW_VARIABLE && imm == GENERATE_REGION_ID && !f->emit)
		*value = (uint64_t)(uintptr_t)f->region;
	else
		*value = mix(kind, imm, next_imm, 0, 0, NULL);
	return true;
}

/* Output. */

static void print_number(uint64_t value)
{
	char digits[21];
	unsigned at = sizeof(digits) - 1;

	digits[at] = 0;
	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	linux_write(1, digits + at);
}

static void print_field(const char *name, const char *format, uint64_t value)
{
	char text[40];

	ebpf_format(text, sizeof(text), format, value);
	linux_write(1, name);
	linux_write(1, text);
}

static void print_outcome(const char *name, const struct outcome *o)
{
	linux_write(1, name);
	linux_write(1, ebpf_status_name(o->status));
	print_field(" r0=", "%X", o->r0);
	print_field(" used=", "%X", o->used);
	linux_write(1, " ");
	linux_write(1, o->status ? o->message : "");
	linux_write(1, "\n");
}

static void print_program(const struct generator *g)
{
	char text[100];
	uint32_t i = 0;

	while (i < g->slots) {
		print_number(i);
		linux_write(1, ": ");
		i += ebpf_disassemble(g->bytecode + (size_t)i * BPF_SLOT_BYTES, (size_t)(g->slots - i) * BPF_SLOT_BYTES,
				      g->order, text, sizeof(text));
		linux_write(1, text);
		linux_write(1, "\n");
	}
}

static void print_differing_bytes(const char *name, const uint8_t *a, const uint8_t *b, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i++) {
		if (a[i] == b[i])
			continue;
		linux_write(1, name);
		print_field(" byte ", "%X", i);
		print_field(": interpreter ", "%X", a[i]);
		print_field(", compiled ", "%X", b[i]);
		linux_write(1, "\n");
	}
}

/* Running. */

static void run(struct fuzzer *f, struct ebpf_vm *vm, enum ebpf_engine engine)
{
	struct outcome *o = &f->outcome[engine];

	ebpf_clear(o, sizeof(*o));
	ebpf_copy(f->context, f->initial, sizeof(f->context));
	ebpf_clear(f->region, sizeof(f->region));
	ebpf_clear(vm->stack, sizeof(o->stack));
	o->status = ebpf_run(vm, engine, f->context, sizeof(f->context), &o->r0);
	o->used = ebpf_instructions_used(vm);
	if (o->status) {
		o->instruction = ebpf_message_instruction(vm);
		ebpf_copy(o->message, ebpf_message(vm), linux_strlen(ebpf_message(vm)) + 1);
	}
	ebpf_copy(o->context, f->context, sizeof(f->context));
	ebpf_copy(o->region, f->region, sizeof(f->region));
	ebpf_copy(o->stack, vm->stack, sizeof(o->stack));
}

static bool same_bytes(const void *a, const void *b, size_t bytes)
{
	return __builtin_memcmp(a, b, bytes) == 0;
}

static bool same_outcome(const struct outcome *a, const struct outcome *b)
{
	return same_bytes(a, b, sizeof(*a));
}

/* Draws a target; strategies that need a feature it lacks are drawn again. */
static void draw_target(struct fuzzer *f, struct ebpf_target *target)
{
	struct generator *g = &f->generator;

	*target = (struct ebpf_target){ .arch = f->emit };
	target->features = generate_below(g, 2) ? f->features : f->features & (uint32_t)generate_bits(g);
	target->fusion = (enum ebpf_fusion)generate_below(g, 3);
	target->swap = (enum ebpf_swap)generate_below(g, 5);
}

static enum ebpf_status compile(struct fuzzer *f, struct ebpf_vm *vm, struct ebpf_target *target)
{
	size_t bytes = sizeof(f->code), i;
	enum ebpf_status status = f->emit ? ebpf_emit(vm, target, f->code, &bytes) : ebpf_compile(vm, target);

	if (status == EBPF_ERROR_UNSUPPORTED && target->swap != EBPF_SWAP_AUTO) {
		target->swap = EBPF_SWAP_AUTO;
		return compile(f, vm, target);
	}
	for (i = 0; f->emit && i < bytes; i++)
		f->hash = (f->hash ^ f->code[i]) * UINT64_C(0x100000001b3); /* FNV-1a */
	return status;
}

static struct ebpf_vm *create(struct fuzzer *f)
{
	const struct generator *g = &f->generator;
	struct ebpf_platform platform = ebpf_host_platform;
	struct ebpf_options options = {
		.budget_instructions = g->budget ? BUDGET : 0,
		.bounds = g->bounds,
		.helper_context = f,
		.relocate = relocate,
		.relocate_context = f,
	};
	struct ebpf_vm *vm;

	f->arena.used = 0;
	platform.context = &f->arena;
	platform.allocate = arena_allocate;
	platform.release = arena_release;
	vm = ebpf_create(&platform, &options);
	if (!vm)
		return NULL;
	ebpf_register_helper(vm, GENERATE_HELPER_MIX, mix, 0);
	ebpf_register_helper(vm, GENERATE_HELPER_UNWIND, unwind, EBPF_HELPER_UNWIND);
	ebpf_register_region(vm, f->region, sizeof(f->region));
	return vm;
}

static bool failed(struct fuzzer *f, const char *what, struct ebpf_vm *vm)
{
	linux_write(1, "difference: ");
	linux_write(1, what);
	linux_write(1, vm ? ebpf_message(vm) : "");
	linux_write(1, "\n");
	print_program(&f->generator);
	return false;
}

static void print_difference(struct fuzzer *f, const struct ebpf_target *target)
{
	const struct outcome *a = &f->outcome[EBPF_INTERPRETER], *b = &f->outcome[EBPF_COMPILED];

	print_outcome("interpreter: ", a);
	print_outcome("compiled:    ", b);
	print_field("features ", "%X", target->features);
	print_field(" swap ", "%X", target->swap);
	print_field(" fusion ", "%X", target->fusion);
	print_field(" bounds ", "%X", f->generator.bounds);
	print_field(" budget ", "%X\n", f->generator.budget);
	print_differing_bytes("context", a->context, b->context, sizeof(a->context));
	print_differing_bytes("region", a->region, b->region, sizeof(a->region));
	print_differing_bytes("stack", a->stack, b->stack, sizeof(a->stack));
}

static bool one_program(struct fuzzer *f)
{
	struct generator *g = &f->generator;
	struct ebpf_target target;
	struct ebpf_vm *vm;
	unsigned i;
	bool same = true;

	generate_program(g);
	for (i = 0; i < sizeof(f->initial); i++)
		f->initial[i] = (uint8_t)generate_bits(g);
	draw_target(f, &target);
	vm = create(f);
	if (!vm || ebpf_load(vm, g->bytecode, (size_t)g->slots * BPF_SLOT_BYTES, g->order) || ebpf_verify(vm))
		return failed(f, "the verifier refuses a valid program: ", vm);
	if (compile(f, vm, &target))
		return failed(f, "a valid program cannot be compiled: ", vm);
	if (!f->emit) {
		run(f, vm, EBPF_INTERPRETER);
		run(f, vm, EBPF_COMPILED);
		same = same_outcome(&f->outcome[0], &f->outcome[1]);
		f->faulted += f->outcome[0].status != 0;
	}
	f->finished++;
	ebpf_destroy(vm);
	if (!same) {
		failed(f, "interpreter and compiled code", NULL);
		print_difference(f, &target);
	}
	return same;
}

static bool all_covered(const struct fuzzer *f)
{
	const struct generate_kind *k = generate_uncovered(&f->generator);

	if (f->finished < 2000)
		return true;
	if (!f->generator.loops)
		linux_write(1, "never generated: a loop without a budget\n");
	if (!k)
		return f->generator.loops != 0;
	print_field("never generated: opcode ", "%X", k->opcode);
	print_field(" offset ", "%X", (uint64_t)k->offset);
	print_field(" imm ", "%X\n", (uint64_t)k->imm);
	return false;
}

static bool parse_number(const char *text, uint64_t *value)
{
	*value = 0;
	if (!text || !*text)
		return false;
	for (; *text >= '0' && *text <= '9'; text++)
		*value = *value * 10 + (uint64_t)(*text - '0');
	return *text == 0;
}

static int usage(void)
{
	linux_write(2, "usage: differential [--seed N] [--count N] [--emit ARCH]\n");
	return 2;
}

static uint32_t features_known(const char *arch)
{
	return arch[0] == 'x' ? EBPF_X86_MOVBE | EBPF_X86_BMI2 | EBPF_X86_SSSE3 :
	       arch[0] == 'p' ? EBPF_POWER_ISA206 | EBPF_POWER_ISA207 | EBPF_POWER_ISA300 | EBPF_POWER_ISA310 | EBPF_POWER_VSX :
	       arch[0] == 'l' ? EBPF_LOONGARCH_LAM :
				0;
}

int linux_main(int argc, char **argv)
{
	struct fuzzer *f = linux_map(sizeof(*f));
	uint64_t seed = 1, count = 1000, i;
	int at;

	if (!f)
		return 2;
	f->features = ebpf_host_features();
	f->hash = UINT64_C(0xcbf29ce484222325);
	f->arena.memory = linux_map(ARENA_BYTES);
	for (at = 1; at + 1 < argc; at += 2) {
		if (linux_same(argv[at], "--emit"))
			f->emit = argv[at + 1];
		else if (!(linux_same(argv[at], "--seed") && parse_number(argv[at + 1], &seed)) &&
			 !(linux_same(argv[at], "--count") && parse_number(argv[at + 1], &count)))
			return usage();
	}
	if (at < argc || !f->arena.memory)
		return usage();
	if (f->emit)
		f->features = features_known(f->emit);
	generate_start(&f->generator, seed);
	for (i = 0; i < count; i++) {
		if (!one_program(f)) {
			linux_write(1, "program ");
			print_number(i);
			linux_write(1, " of seed ");
			print_number(seed);
			linux_write(1, "\n");
			return 1;
		}
	}
	print_number(f->finished);
	linux_write(1, f->emit ? " programs emitted" : " programs, no difference; stopped by a check: ");
	if (f->emit)
		print_field(", hash ", "%X", f->hash);
	else
		print_number(f->faulted);
	linux_write(1, "\n");
	return all_covered(f) ? 0 : 1;
}
