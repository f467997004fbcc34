// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// Stands in for QEMU 10 and later, which no package brings for x86-64 and AArch64 with plugins: loads the tracer and calls back
// as that does when it executes a few instructions.
// stand_in TRACER ARGUMENT PROGRAM ROUNDS TURNS

#include "../../../../tracer/qemu_api.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct qemu_plugin_insn {
	uint8_t code[4];
	size_t bytes;
	qemu_memory_callback on_access;
	void *access_data;
	qemu_udata_callback on_instruction;
	void *instruction_data;
};

struct qemu_plugin_tb {
	uint64_t address;
	size_t count;
	struct qemu_plugin_insn instructions[3];
	qemu_udata_callback on_block;
	void *block_data;
};

static qemu_tb_callback on_translation;
static qemu_exit_callback on_exit_of_program;

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *of)
{
	return of->count;
}

uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *of)
{
	return of->address;
}

struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *of, size_t index)
{
	return (struct qemu_plugin_insn *)&of->instructions[index];
}

void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *of)
{
	return (void *)of->code;
}

size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *of)
{
	return of->bytes;
}

// The tracer declares it without arguments, since versions differ.
const void *code_of(const struct qemu_plugin_insn *of) __asm__("qemu_plugin_insn_data");
const void *code_of(const struct qemu_plugin_insn *of)
{
	return of->code;
}

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_tb_callback callback)
{
	(void)id;
	on_translation = callback;
}

void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *of, qemu_udata_callback callback, int flags, void *data)
{
	(void)flags;
	of->on_block = callback;
	of->block_data = data;
}

void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *of, qemu_udata_callback callback, int flags, void *data)
{
	(void)flags;
	of->on_instruction = callback;
	of->instruction_data = data;
}

void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *of, qemu_memory_callback callback, int flags, int kinds,
				      void *data)
{
	(void)flags, (void)kinds;
	of->on_access = callback;
	of->access_data = data;
}

void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, qemu_syscall_callback callback)
{
	(void)id, (void)callback;
}

void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id_t id, qemu_syscall_return_callback callback)
{
	(void)id, (void)callback;
}

void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_exit_callback callback, void *data)
{
	(void)id, (void)data;
	on_exit_of_program = callback;
}

unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info)
{
	(void)info;
	return 0;
}

bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info)
{
	return info;
}

static void begin(const struct qemu_plugin_tb *tb)
{
	tb->on_block(0, tb->block_data);
	for (size_t i = 0; i < tb->count; i++)
		if (tb->instructions[i].on_instruction)
			tb->instructions[i].on_instruction(0, tb->instructions[i].instruction_data);
}

static void access(const struct qemu_plugin_insn *by, qemu_plugin_meminfo_t info, uint64_t address)
{
	by->on_access(0, info, address, by->access_data);
}

// nop; rep movsb: all turns within one block.
static void repeated(unsigned rounds, unsigned turns)
{
	static struct qemu_plugin_tb tb = { .address = 0x1000,
					    .count = 2,
					    .instructions = { { { 0x90 }, .bytes = 1 }, { { 0xf3, 0xa4 }, .bytes = 2 } } };

	on_translation(1, &tb);
	for (unsigned round = 0; round < rounds; round++) {
		begin(&tb);
		for (unsigned turn = 0; turn < turns; turn++) {
			access(&tb.instructions[1], 0, 0x10000 + turn);
			access(&tb.instructions[1], 1, 0x90000 + turn);
		}
	}
}

// ldadd x1, x2, [x0]; b . - 4: if the address is not aligned, alone and while the other threads stop.
static void restarted(unsigned rounds, unsigned turns)
{
	enum { READ_AND_WRITE = 3 << 16 };
	static struct qemu_plugin_tb whole = { .address = 0x1000,
					       .count = 2,
					       .instructions = { { { 0x02, 0x00, 0x21, 0xf8 }, .bytes = 4 },
								 { { 0xff, 0xff, 0xff, 0x17 }, .bytes = 4 } } };
	struct qemu_plugin_tb alone = whole, rest = whole;

	(void)turns;
	alone.count = rest.count = 1;
	rest.address = 0x1004;
	rest.instructions[0] = whole.instructions[1];
	on_translation(1, &whole);
	on_translation(1, &alone);
	on_translation(1, &rest);
	for (unsigned round = 0; round < rounds; round++) {
		begin(&whole);
		begin(&alone);
		access(&alone.instructions[0], READ_AND_WRITE, 0x10001);
		begin(&rest);
	}
}

// cpyfp [x3]!, [x4]!, x5!; setp [x3]!, x5!, xzr; b . - 8: without a report.
static void copied(unsigned rounds, unsigned turns)
{
	static struct qemu_plugin_tb tb = { .address = 0x1000,
					    .count = 3,
					    .instructions = { { { 0xa3, 0x04, 0x04, 0x19 }, .bytes = 4 },
							      { { 0xa3, 0x04, 0xdf, 0x19 }, .bytes = 4 },
							      { { 0xfe, 0xff, 0xff, 0x17 }, .bytes = 4 } } };

	(void)turns;
	on_translation(1, &tb);
	for (unsigned round = 0; round < rounds; round++)
		begin(&tb);
}

int main(int argc, char **argv)
{
	typedef int install_function(qemu_plugin_id_t, const struct qemu_info *, int, char **);
	static const struct {
		const char *name, *target;
		void (*run)(unsigned rounds, unsigned turns);
	} programs[] = { { "repeated", "x86_64", repeated },
			 { "restarted", "aarch64", restarted },
			 { "copied", "aarch64", copied } };
	void *tracer = argc == 6 ? dlopen(argv[1], RTLD_LAZY) : NULL;
	install_function *install = tracer ? (install_function *)dlsym(tracer, "qemu_plugin_install") : NULL;

	for (size_t i = 0; install && i < sizeof(programs) / sizeof(programs[0]); i++) {
		struct qemu_info info = { programs[i].target, { 1, 1 }, false };

		if (strcmp(programs[i].name, argv[3]))
			continue;
		if (install(1, &info, 1, argv + 2))
			return 1;
		programs[i].run((unsigned)atoi(argv[4]), (unsigned)atoi(argv[5]));
		on_exit_of_program(1, NULL);
		return 0;
	}
	return 1;
}
