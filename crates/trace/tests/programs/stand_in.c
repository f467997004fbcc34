// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// Stands in for QEMU 10 and later, which no package brings as an emulator of x86-64 programs with plugins: loads the tracer and
// calls back as that does when it executes a repeated string instruction, all turns of it within one block.
// stand_in TRACER ARGUMENT ROUNDS TURNS

#include "../../../../tracer/qemu_api.h"

#include <dlfcn.h>
#include <stdlib.h>

struct qemu_plugin_insn {
	uint8_t code[2];
	size_t bytes;
	qemu_memory_callback on_access;
	void *access_data;
};

struct qemu_plugin_tb {
	uint64_t address;
	size_t count;
	struct qemu_plugin_insn instructions[2];
	qemu_udata_callback on_block;
	void *block_data;
};

static struct qemu_plugin_tb tb = { 0x1000, 2, { { { 0x90 }, 1, NULL, NULL }, { { 0xf3, 0xa4 }, 2, NULL, NULL } }, NULL, NULL };
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

int main(int argc, char **argv)
{
	typedef int install_function(qemu_plugin_id_t, const struct qemu_info *, int, char **);
	struct qemu_info info = { "x86_64", { 1, 1 }, false };
	void *tracer = argc == 5 ? dlopen(argv[1], RTLD_LAZY) : NULL;
	install_function *install = tracer ? (install_function *)dlsym(tracer, "qemu_plugin_install") : NULL;
	const struct qemu_plugin_insn *copy = &tb.instructions[1];

	if (!install || install(1, &info, 1, argv + 2))
		return 1;
	on_translation(1, &tb);
	for (int round = 0; round < atoi(argv[3]); round++) {
		tb.on_block(0, tb.block_data);
		for (unsigned turn = 0; turn < (unsigned)atoi(argv[4]); turn++) {
			copy->on_access(0, 0, 0x10000 + turn, copy->access_data);
			copy->on_access(0, 1, 0x90000 + turn, copy->access_data);
		}
	}
	on_exit_of_program(1, NULL);
	return 0;
}
