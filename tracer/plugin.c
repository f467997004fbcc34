// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// The tracer: a QEMU TCG plugin that records which blocks of a program, or of a whole machine, ran and what memory each
// instruction accessed, and compresses the record meanwhile. This file has QEMU's callbacks and the command line; tracer.h
// shows how an event goes on from here, README.md how to build and use the tracer.

#define _GNU_SOURCE
#include "tracer.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = 1;

static int api_version;

// QEMU reads the version after loading and refuses one that it does not know; 2 is the oldest that QEMU 9 and 10 take.
__attribute__((constructor)) static void choose_version(void)
{
	if (qemu_plugin_scoreboard_new)
		qemu_plugin_version = 2;
}

// ---- Callbacks ------------------------------------------------------------------------------------------------

// These are entered from generated code, which has the address of the CPU's state in a register: guest.c.
void on_block(unsigned vcpu, struct block *block, void *cpu);
void on_silent_access(unsigned vcpu, struct slot *slot, void *cpu);
extern void on_block_entry(unsigned vcpu, void *block);
extern void on_silent_access_entry(unsigned vcpu, void *slot);

#if defined(__x86_64__)
__asm__(".pushsection .text\n"
	".type on_block_entry, @function\n"
	"on_block_entry: mov %rbp, %rdx\n jmp on_block\n"
	".type on_silent_access_entry, @function\n"
	"on_silent_access_entry: mov %rbp, %rdx\n jmp on_silent_access\n"
	".popsection");
#elif defined(__aarch64__)
__asm__(".pushsection .text\n"
	".type on_block_entry, %function\n"
	"on_block_entry: mov x2, x19\n b on_block\n"
	".type on_silent_access_entry, %function\n"
	"on_silent_access_entry: mov x2, x19\n b on_silent_access\n"
	".popsection");
#else
#error "which register has TCG_AREG0 on this host? see tcg/<host>/tcg-target.h in QEMU"
#endif

// The last instruction of the block that is over accessed memory without a report.
static void supply_tail(void *cpu)
{
	const struct block *over = record_current();
	uint64_t address;
	uint32_t info;

	if (over && over->tail_hole && isa_hole(over->tail_hole->word, cpu, &address, &info))
		record_access(over->tail_hole, info, address);
}

static bool end_is_asked(void)
{
	return __builtin_expect(atomic_load_explicit(&trace_end_asked, memory_order_relaxed), 0);
}

static __attribute__((noinline)) void on_unexpected_block(struct block *block, void *cpu)
{
	if (region_recording())
		supply_tail(cpu);
	if (end_is_asked() && region_thread_is_recorded())
		signals_answer();
	region_boundary(block, cpu);
}

__attribute__((visibility("hidden"))) void on_block(unsigned vcpu, struct block *block, void *cpu)
{
	struct tape_entry *e = cursor;

	(void)vcpu;
	if (__builtin_expect(e->key == block, 1)) {
		cursor = e + 1;
		return;
	}
	if (e->info == INFO_WRAP && tape[0].key == block && tape_iterations_left > 1 && !end_is_asked()) {
		tape_iterations_left--;
		cursor = tape + 1;
		return;
	}
	on_unexpected_block(block, cpu);
}

static __attribute__((noinline)) void on_unexpected_access(struct slot *slot, uint32_t info, uint64_t address)
{
	if (slot->store_only && !qemu_plugin_mem_is_store(info))
		return; // QEMU cannot be asked for the writes alone: 7.2 then reports the reads
	if (region_recording())
		record_access(slot->turn_accesses ? record_turn(slot) : slot, info, address);
}

static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *slot)
{
	struct tape_entry *e = cursor;

	(void)vcpu;
	if (__builtin_expect(e->key == slot && e->address == address && e->info == info, 1)) {
		e->address = address + e->stride;
		cursor = e + 1;
		return;
	}
	on_unexpected_access(slot, info, address);
}

__attribute__((visibility("hidden"))) void on_silent_access(unsigned vcpu, struct slot *slot, void *cpu)
{
	uint64_t address;
	uint32_t info;

	if (region_recording() && isa_hole(slot->word, cpu, &address, &info))
		on_access(vcpu, info, address, slot);
}

// ---- Translation ----------------------------------------------------------------------------------------------

static void instruction_bytes(const struct qemu_plugin_insn *insn, uint8_t *bytes, size_t size)
{
	if (api_version >= 3) {
		size_t (*copy)(const struct qemu_plugin_insn *, void *, size_t) = (void *)qemu_plugin_insn_data;

		copy(insn, bytes, size);
	} else {
		const void *(*data)(const struct qemu_plugin_insn *) = (void *)qemu_plugin_insn_data;

		memcpy(bytes, data(insn), size);
	}
}

// QEMU 7.2's LoongArch front end fetches without the plugin interface's knowledge (cpu_ldl_code, not translator_ldl), so
// its instructions come without bytes and with size 0. They all have four bytes, which are read from guest memory.
static size_t fetched_unseen(const struct qemu_plugin_insn *insn, uint8_t *bytes)
{
	const void *host = qemu_plugin_insn_haddr(insn);

	if (target->arch != ARCH_LOONGARCH64 || !host)
		tracer_fatal("QEMU does not tell the bytes of an instruction");
	memcpy(bytes, host, 4);
	return 4;
}

// QEMU 7.2 gives the words of a little-endian guest in the byte order for which the emulator was built, which on PowerPC
// is the other one. The first comparison with guest memory decides the order for the whole run.
static void put_in_memory_order(const struct qemu_plugin_insn *insn, uint8_t *bytes, size_t size)
{
	enum { UNKNOWN, SAME, SWAPPED };
	static atomic_int order; // processors translate side by side
	const uint8_t *memory = qemu_plugin_insn_haddr(insn);

	if (!system_mode || size % 4)
		return;
	if (order == UNKNOWN && memory && memcmp(bytes, bytes + 3, 1))
		order = !memcmp(bytes, memory, 4) ? SAME : SWAPPED;
	for (size_t i = 0; i < size && order == SWAPPED; i += 4) {
		uint8_t word[4] = { bytes[i + 3], bytes[i + 2], bytes[i + 1], bytes[i] };

		memcpy(bytes + i, word, 4);
	}
}

// The vsyscall page is no code: whatever is called there, QEMU does itself, as Linux does.
static bool is_vsyscall(uint64_t address)
{
	return target->arch == ARCH_X86_64 && !system_mode && address >> 12 == UINT64_C(0xffffffffff600);
}

static void instrument(struct qemu_plugin_tb *tb, struct block *block)
{
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block_entry, QEMU_CALLBACK_READS_REGISTERS, block);
	for (size_t i = 0; i < block->instructions; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		struct slot *slot = &block->slots[i];

		if (!slot->silent)
			qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_CALLBACK_NO_REGISTERS, QEMU_MEMORY_BOTH, slot);
		else if (i + 1 < block->instructions) // its registers are in memory once the next instruction begins
			qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, i + 1), on_silent_access_entry,
							       QEMU_CALLBACK_READS_REGISTERS, slot);
	}
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	uint8_t code[16 << 10], sizes[1 << 10]; // a block has at most 512 instructions
	size_t n = qemu_plugin_tb_n_insns(tb), bytes = 0;

	(void)id;
	if (trace_finished || is_vsyscall(qemu_plugin_tb_vaddr(tb)))
		return; // blocks that are translated from now on, and that one, run without callbacks
	if (n == 0 || n > sizeof(sizes))
		tracer_fatal("QEMU translated a block of %zu instructions", n);
	for (size_t i = 0; i < n; i++) {
		const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		size_t size = qemu_plugin_insn_size(insn);

		if (size > 16)
			tracer_fatal("QEMU translated an instruction of %zu bytes", size);
		if (size == 0)
			size = fetched_unseen(insn, code + bytes);
		else
			instruction_bytes(insn, code + bytes, size);
		put_in_memory_order(insn, code + bytes, size);
		sizes[i] = (uint8_t)size;
		bytes += size;
	}
	uint64_t address = qemu_plugin_tb_vaddr(tb);
	const void *host = qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, 0));
	if (host && !system_mode)
		guest_set_base((uint64_t)(uintptr_t)host - address);
	instrument(tb, block_intern(address, code, sizes, (uint32_t)n));
}

// ---- The program's life ---------------------------------------------------------------------------------------

// QEMU calls back for the ordinary end, and since 9.1 also when a signal that dumps core ends the program.
static void on_exit_of_program(qemu_plugin_id_t id, void *data)
{
	(void)id, (void)data;
	trace_finish(system_mode || system_call_exits() ? "exit" : "signal", LEAVE_EXIT);
}

// A lock that another thread holds during a fork would stay locked in the child for ever. The order is that in which
// trace_finish takes them, and the translation of a block.
static void hold_locks(bool hold)
{
	region_hold(hold);
	blocks_hold(hold);
	files_hold(hold);
}

static void before_fork(void)
{
	hold_locks(true);
}

static void in_forking_parent(void)
{
	region_forked();
	hold_locks(false);
}

// The trace is the parent's.
static void in_forked_child(void)
{
	hold_locks(false);
	trace_finished = true;
	cursor = &tape_off;
	files_abandon();
}

// ---- Command line ---------------------------------------------------------------------------------------------

enum { HEADER_MAX = 96 };
static struct option header[HEADER_MAX];
static unsigned header_count;

static bool add_header(const char *key, char *value)
{
	if (header_count == HEADER_MAX)
		return false;
	header[header_count++] = (struct option){ key, value };
	return true;
}

static bool refuse(const char *what, const char *value)
{
	tracer_warn("%s%s", what, value);
	return false;
}

static bool take_region(char *text, const char *path)
{
	char problem[256];

	if (!places_add(text, path, problem, sizeof(problem)))
		return refuse(problem, "");
	return add_header("region", text);
}

static bool take_told(char *text)
{
	char problem[256];

	if (!places_add_told(text, problem, sizeof(problem)))
		return refuse(problem, "");
	return add_header("region", text);
}

static bool take_limit(const char *value)
{
	char *end;

	errno = 0;
	instructions_limit = strtoull(value, &end, 10);
	if (errno || *end || end == value || !instructions_limit)
		return refuse("limit= takes a number of instructions above 0, not ", value);
	return true;
}

// `file` holds for the regions after it.
static bool take_argument(char *key, char *value, const char **out, const char **file)
{
	bool systems = false;

	if (!strcmp(key, "out"))
		return *out = value, true;
	if (system_mode && !strcmp(key, "arch"))
		return target_choose_arch(value) || refuse("this QEMU does not run ", value);
	if (system_mode && !system_take_argument(key, value, &systems))
		return refuse("a wrong value: ", value);
	if (systems)
		return true;
	if (!strcmp(key, "image"))
		return *file = value, true;
	if (!strcmp(key, "roi"))
		return take_region(value, *file);
	if (system_mode && !strcmp(key, "told"))
		return take_told(value);
	if (!strcmp(key, "limit"))
		return take_limit(value);
	if (!strcmp(key, "mark"))
		return add_header("mark", value);
	if (!strcmp(key, "note")) {
		char *colon = strchr(value, ':');

		if (!colon)
			return refuse("note= takes KEY:VALUE, not ", value);
		*colon = 0;
		return add_header(value, colon + 1);
	}
	return refuse("unknown argument (known: out image roi limit mark note): ", key);
}

static void listen(qemu_plugin_id_t id)
{
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_atexit_cb(id, on_exit_of_program, NULL);
	if (system_mode)
		return;
	signals_watch();
	pthread_atfork(before_fork, in_forking_parent, in_forked_child);
	qemu_plugin_register_vcpu_syscall_cb(id, on_system_call);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, on_system_call_return);
}

// A machine boots for billions of instructions before it reaches the part to be recorded. Until then only the block at
// the given address calls back; then everything is translated again.
static qemu_plugin_id_t own_id;

static void on_start(unsigned vcpu, void *data)
{
	static atomic_bool started;

	(void)vcpu, (void)data;
	if (!atomic_exchange(&started, true))
		qemu_plugin_reset(own_id, listen);
}

static void on_early_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	if (qemu_plugin_tb_vaddr(tb) == system_start_address())
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_start, QEMU_CALLBACK_NO_REGISTERS, NULL);
}

static void wait_for_start(qemu_plugin_id_t id)
{
	own_id = id;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_early_translation);
	qemu_plugin_register_atexit_cb(id, on_exit_of_program, NULL);
}

// The arguments' values are kept as long as QEMU runs, which a refusal ends. NOLINTBEGIN(clang-analyzer-unix.Malloc)
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
	const char *out = NULL, *file = NULL;

	tracer_discard = files_discard;
	api_version = info->version.cur;
	system_mode = info->system_emulation;
	if (!target_choose(info->target_name)) {
		tracer_warn("cannot trace %s", info->target_name);
		return -1;
	}
	for (int i = 0; i < argc; i++) {
		char *equals = strchr(argv[i], '=');

		if (!equals) {
			tracer_warn("argument '%s' is not KEY=VALUE", argv[i]);
			return -1;
		}
		*equals = 0;
		if (!take_argument(strdup(argv[i]), strdup(equals + 1), &out, &file))
			return -1;
	}
	if (system_mode && target->arch == ARCH_X86_64 && !guest_can_read_machine()) {
		tracer_warn(
			"return addresses of x86_64 are in memory, which this QEMU lets no plugin read; QEMU 9.2 and later do");
		return -1;
	}
	if (!out) {
		tracer_warn("out=FILE is missing");
		return -1;
	}
	add_header("arch", (char *)target->name);
	add_header("tracer_version", TRACER_VERSION);
	if (system_mode)
		add_header("machine", "system");
	blocks_tell(places_note_block);
	stream_open(out, region_nests(), header, header_count);
	if (system_mode && system_start_address())
		wait_for_start(id);
	else
		listen(id);
	return 0;
}
// NOLINTEND(clang-analyzer-unix.Malloc)
