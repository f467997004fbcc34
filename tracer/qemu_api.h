// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// The part of QEMU's TCG plugin interface that the tracer uses, declared here because Debian packages no header
// for QEMU 7.2 and because one object has to load into API version 1 (QEMU 7.2) and versions 2 to 5 (QEMU 9 and
// later) alike. Facts from QEMU's docs/devel/tcg-plugins.rst and include/qemu/qemu-plugin.h; what differs between
// versions is noted at the declaration. Functions that only one version has are weak: absent is null.

#ifndef TRACER_QEMU_API_H
#define TRACER_QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

struct qemu_info {
	const char *target_name; // "ppc64le", "loongarch64", ...
	struct {
		int min, cur; // plugin API versions that this QEMU accepts
	} version;
	bool system_emulation;
	// The fields after these tell how many CPUs the machine has, which the tracer does not need.
};

enum { QEMU_CALLBACK_NO_REGISTERS = 0, QEMU_CALLBACK_READS_REGISTERS = 1 };
enum { QEMU_MEMORY_READ = 1, QEMU_MEMORY_WRITE = 2, QEMU_MEMORY_BOTH = 3 };

typedef void (*qemu_udata_callback)(unsigned vcpu, void *data);
typedef void (*qemu_memory_callback)(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data);
typedef void (*qemu_tb_callback)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_exit_callback)(qemu_plugin_id_t id, void *data);
typedef void (*qemu_syscall_callback)(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3,
				      uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8);
typedef void (*qemu_syscall_return_callback)(qemu_plugin_id_t id, unsigned vcpu, int64_t number, int64_t result);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
// Up to version 2: `const void *f(insn)`. From version 3: `size_t f(insn, void *destination, size_t length)`.
extern void qemu_plugin_insn_data(void);

typedef void (*qemu_reset_callback)(qemu_plugin_id_t id);
void qemu_plugin_reset(qemu_plugin_id_t id, qemu_reset_callback callback); // forgets all callbacks and translations
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_tb_callback callback);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_udata_callback callback, int flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_udata_callback callback, int flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_memory_callback callback, int flags, int kinds,
				      void *data);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, qemu_syscall_callback callback);
void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id_t id, qemu_syscall_return_callback callback);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_exit_callback callback, void *data);

unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info); // log2 of the bytes
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
__attribute__((weak)) const char *qemu_plugin_path_to_binary(void); // some builds of QEMU 10 do not export it
// Version 4 and later (QEMU 9.2); the buffer is GLib's, to which QEMU is linked.
struct qemu_bytes {
	uint8_t *data;
	unsigned length;
};
__attribute__((weak)) bool qemu_plugin_read_memory_vaddr(uint64_t address, struct qemu_bytes *data, size_t length);
__attribute__((weak)) struct qemu_bytes *g_byte_array_new(void);
// Version 2 and later; its presence tells them from version 1.
__attribute__((weak)) void *qemu_plugin_scoreboard_new(size_t element_size);

#endif
