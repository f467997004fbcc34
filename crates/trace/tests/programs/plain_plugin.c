// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// The simplest recorder: hashes the stream of events as it comes, so that a test can compare the tracer, which folds
// loops, with code that does not share its errors. Prints "instructions accesses hash" on exit.

#include "../../../../tracer/qemu_api.h"

#include <inttypes.h>
#include <stdio.h>

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

__attribute__((constructor)) static void choose_version(void)
{
	if (qemu_plugin_scoreboard_new)
		qemu_plugin_version = 2;
}

static uint64_t instructions, accesses, hash = 1;

static void mix(uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
	hash ^= hash >> 32;
}

struct start {
	uint64_t address, instructions;
};

static void on_block(unsigned vcpu, void *data)
{
	const struct start *start = data;

	(void)vcpu;
	instructions += start->instructions;
	mix(start->address);
}

static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *index)
{
	(void)vcpu;
	accesses++;
	mix(address);
	mix((uint64_t)(uintptr_t)index << 32 | 2u << qemu_plugin_mem_size_shift(info) | qemu_plugin_mem_is_store(info));
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	static struct start starts[1 << 16];
	static size_t used;
	size_t n = qemu_plugin_tb_n_insns(tb);
	struct start *start = &starts[used++ & 0xffff];

	(void)id;
	*start = (struct start){ qemu_plugin_tb_vaddr(tb), n };
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, 0, start);
	for (size_t i = 0; i < n; i++)
		qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), on_access, 0, QEMU_MEMORY_BOTH, (void *)i);
}

static void on_exit_of_program(qemu_plugin_id_t id, void *data)
{
	(void)id, (void)data;
	fprintf(stderr, "%" PRIu64 " %" PRIu64 " %016" PRIx64 "\n", instructions, accesses, hash);
}

__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc,
							       char **argv)
{
	(void)info, (void)argc, (void)argv;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_atexit_cb(id, on_exit_of_program, NULL);
	return 0;
}
