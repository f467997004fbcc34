// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// The guest's registers and memory.
//
// Version 1 of the plugin interface reads neither. But QEMU's user mode keeps guest memory at a constant distance
// (guest_base) in its own address space, and generated code keeps the address of the CPU's state in one host
// register, which still holds it in a callback from generated code: rbp on x86-64, x19 on aarch64 (TCG_AREG0 in
// tcg/<host>/tcg-target.h). The general registers stand at the head of that state in all the QEMUs from 7.2 to 10
// (CPUArchState in target/<arch>/cpu.h). At the start of a block all of them are in memory; within a block, those
// that were not written since the last load, store or helper call.
//
// That is no documented interface, so it is checked: at the program's first instruction the stack pointer must point to
// what the Linux ABI puts there, argc, argv with its null, and the auxiliary vector with the page size in it. If it does
// not, registers count as unknown: regions are refused, and accesses that QEMU does not report are recorded without an
// address.

#define _GNU_SOURCE
#include "tracer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static struct {
	uint64_t base;
	bool base_known, registers_known;
	uint64_t stack_top, cache_line, program_headers;
} guest;

// Where registers are in the state, in bytes from its start.
struct layout {
	unsigned general, stack_pointer, link; // link: number of a general register, or offset if FROM_START
	unsigned arguments[2]; // the registers with a function's first
};
enum { FROM_START = 0x8000, NO_LINK = 0x4000 };

static struct layout layout(void)
{
	switch (target->arch) {
	case ARCH_POWERPC: // gpr[32], gprh[32], lr, ctr
		return (struct layout){ 0, 1, FROM_START | 256, { 3, 4 } };
	case ARCH_POWERPC64:
	case ARCH_POWERPC64LE:
		return (struct layout){ 0, 1, FROM_START | 512, { 3, 4 } };
	case ARCH_LOONGARCH64:
		return (struct layout){ 0, 3, 1, { 4, 5 } };
	case ARCH_AARCH64: // uint32_t regs[16] of AArch32, then xregs[32]
		return (struct layout){ 64, 31, 30, { 0, 1 } };
	case ARCH_RISCV64:
		return (struct layout){ 0, 2, 1, { 10, 11 } };
	case ARCH_X86_64: // the return address is on the stack
		return (struct layout){ 0, 4, NO_LINK, { 7, 6 } };
	}
	return (struct layout){ 0, 0, 0, { 0, 0 } };
}

static bool is_fixed_width(void)
{
	return target->arch != ARCH_X86_64;
}

static uint64_t state_word(const void *cpu, size_t offset)
{
	uint64_t wide = 0;

	memcpy(&wide, (const char *)cpu + offset, target->word_bytes); // the host is little-endian
	return wide;
}

uint64_t guest_register(const void *cpu, unsigned number)
{
	return state_word(cpu, layout().general + number * target->word_bytes);
}

uint64_t guest_stack_pointer(const void *cpu)
{
	return guest_register(cpu, layout().stack_pointer);
}

uint64_t guest_argument(const void *cpu, unsigned number)
{
	return guest_register(cpu, layout().arguments[number]);
}

void guest_set_base(uint64_t base)
{
	guest.base = base;
	guest.base_known = true;
}

uint64_t guest_base_address(void)
{
	return guest.base;
}

bool guest_can_read_machine(void)
{
	return qemu_plugin_read_memory_vaddr && g_byte_array_new;
}

// A whole machine's memory, through the tables of the calling CPU.
static bool read_machine(uint64_t address, void *data, size_t bytes)
{
	static _Thread_local struct qemu_bytes *buffer;

	if (!guest_can_read_machine())
		return false;
	if (!buffer)
		buffer = g_byte_array_new();
	if (!qemu_plugin_read_memory_vaddr(address, buffer, bytes) || buffer->length != bytes)
		return false;
	memcpy(data, buffer->data, bytes);
	return true;
}

// Reads guest memory without a fault where there is none.
bool guest_read(uint64_t address, void *data, size_t bytes)
{
	if (system_mode)
		return read_machine(address, data, bytes);
	// /proc/self/mem would need a descriptor, and a process that is not dumpable may not open it.
	struct iovec to = { data, bytes }, from = { (void *)(uintptr_t)(address + guest.base), bytes };

	return guest.base_known && process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)bytes;
}

bool guest_read_number(uint64_t address, unsigned size, uint64_t *value)
{
	uint8_t bytes[8];

	if (!guest_read(address, bytes, size))
		return false;
	*value = 0;
	for (unsigned i = 0; i < size; i++)
		*value = *value << 8 | bytes[target->big_endian ? i : size - 1 - i];
	return true;
}

static bool read_word(uint64_t address, uint64_t *value)
{
	return guest_read_number(address, target->word_bytes, value);
}

// What a region's end is recognised by. In a whole machine 0 is an answer, which guest_check_call judges.
static uint64_t return_address_on_stack(uint64_t stack)
{
	uint64_t address = 0;

	if (!read_word(stack, &address) && !system_mode)
		tracer_fatal("cannot follow a region: its return address at 0x%llx cannot be read", (unsigned long long)stack);
	return address;
}

uint64_t guest_return_address(const void *cpu)
{
	struct layout where = layout();
	uint64_t address = 0;

	if (where.link == NO_LINK)
		address = return_address_on_stack(guest_stack_pointer(cpu));
	else if (where.link & FROM_START)
		address = state_word(cpu, where.link & ~(unsigned)FROM_START);
	else
		address = guest_register(cpu, where.link);
	return address;
}

// What the caller's stack pointer is once a call has returned, asked at its entry: x86 takes the return address off the stack.
uint64_t guest_stack_after_call(const void *cpu)
{
	return guest_stack_pointer(cpu) + (layout().link == NO_LINK ? target->word_bytes : 0);
}

// Where an interrupt's first block begins: the stack pointer that it has interrupted. x86-64 aligns the stack to 16 bytes and
// pushes SS, RSP, RFLAGS, CS, RIP and, with some vectors, an error code (AMD64 manual, volume 2, 8.9.3).
uint64_t guest_interrupted_stack(const void *cpu)
{
	uint64_t stack = guest_stack_pointer(cpu), interrupted = 0;

	if (target->arch != ARCH_X86_64)
		return stack;
	if (!read_word(stack + (stack % 16 ? 24 : 32), &interrupted))
		tracer_fatal("an interrupt's frame at 0x%llx cannot be read", (unsigned long long)stack);
	return interrupted;
}

// XER[57:63], the byte count of lswx and stswx. After lr and ctr come crf[8], and cfar on 64 bits, then xer.
uint64_t guest_xer_bytes(const void *cpu)
{
	unsigned word = target->word_bytes;
	unsigned after_crf = 66 * word + 32;

	return state_word(cpu, after_crf + (word == 8 ? 8 : 0)) & 0x7f;
}

// The initial stack: argc, argv..., 0, environment..., 0, then pairs (type, value) up to type 0.
static bool read_initial_stack(uint64_t sp)
{
	enum { AT_PROGRAM_HEADERS = 3, AT_PAGE_SIZE = 6, AT_DCACHE_BLOCK_SIZE = 19, WORDS_MAX = 1 << 20 };
	uint64_t word, value, argc, at = sp, nulls = 0;
	bool page_size_seen = false;

	if (!sp || !read_word(sp, &argc) || argc > 1 << 16 || !read_word(sp + (argc + 1) * target->word_bytes, &word) ||
	    word != 0)
		return false;
	at = sp + (argc + 1) * target->word_bytes;
	for (unsigned i = 0; i < WORDS_MAX && nulls < 2; i++, at += target->word_bytes) {
		if (!read_word(at, &word))
			return false;
		nulls += word == 0;
	}
	for (unsigned i = 0; i < 64; i++, at += 2 * target->word_bytes) {
		if (!read_word(at, &word) || !read_word(at + target->word_bytes, &value))
			return false;
		if (word == 0)
			return page_size_seen;
		if (word == AT_PAGE_SIZE)
			page_size_seen = value >= 4096 && (value & (value - 1)) == 0;
		if (word == AT_PROGRAM_HEADERS)
			guest.program_headers = value;
		if (word == AT_DCACHE_BLOCK_SIZE && target->arch != ARCH_AARCH64)
			guest.cache_line = value;
	}
	return false;
}

// What follows `-cpu` on QEMU's command line, or QEMU_CPU. The traced program comes after QEMU's options and may have a `-cpu`
// of its own.
static void cpu_model(char *model, size_t size)
{
	const char *set = getenv("QEMU_CPU");
	const char *program = !system_mode && qemu_plugin_path_to_binary ? qemu_plugin_path_to_binary() : NULL;
	char line[1 << 16] = "";
	int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t got = file < 0 ? 0 : read(file, line, sizeof(line) - 1);

	snprintf(model, size, "%s", set ? set : "");
	for (const char *word = line; word < line + got && !(program && !strcmp(word, program)); word += strlen(word) + 1)
		if (!strcmp(word, "-cpu") || !strcmp(word, "--cpu"))
			snprintf(model, size, "%s", word + strlen(word) + 1);
	if (file >= 0)
		close(file);
}

// What DC ZVA clears, which only DCZID_EL0 tells: 64 bytes on every model of QEMU's but A64FX, and on `max`, the default
// in user mode, 512 (target/arm/cpu64.c, aarch64_max_initfn).
static uint64_t aarch64_zeroed(void)
{
	char model[64];

	cpu_model(model, sizeof(model));
	if (!strncmp(model, "a64fx", 5))
		return 256;
	return !system_mode && (!*model || !strncmp(model, "max", 3)) ? 512 : 64;
}

void guest_first_block(void *cpu)
{
	if (target->arch == ARCH_AARCH64)
		guest.cache_line = aarch64_zeroed();
#ifdef TRACER_WITHOUT_REGISTERS // for a test of what happens then
	cpu = NULL;
#endif
	if (!cpu)
		return;
	if (system_mode) { // there is no such stack: guest_check_call looks at every call instead
		guest.registers_known = true;
		return;
	}
	guest.stack_top = guest_stack_pointer(cpu);
	guest.registers_known = read_initial_stack(guest.stack_top);
}

// Whether the state is laid out as expected: at a call in the kernel the stack pointer and the return address are
// aligned and in the kernel's half of the addresses.
void guest_check_call(void *cpu)
{
	uint64_t stack = guest_stack_pointer(cpu), from = guest_return_address(cpu);
	bool kernel = guest_is_kernel(stack);

	if (stack % 8 || !stack || !from || (is_fixed_width() && from % 2) || kernel != guest_is_kernel(from))
		guest.registers_known = false;
}

bool guest_registers_known(void)
{
	return guest.registers_known;
}

// Where the program's own file is loaded: the headers follow the ELF header, which is at offset 0. 0: unknown.
uint64_t guest_load_address(void)
{
	uint64_t address = guest.program_headers - (target->word_bytes == 8 ? 64 : 52);

	return guest.registers_known && address % 4096 == 0 ? address : 0;
}

uint64_t guest_stack_top(void)
{
	return guest.stack_top;
}

static uint64_t kernel_base = UINT64_C(1) << 63;

void guest_set_kernel_base(uint64_t base)
{
	kernel_base = base;
}

bool guest_is_kernel(uint64_t address)
{
	return address >= kernel_base;
}

void guest_set_cache_line(uint64_t bytes)
{
	guest.cache_line = bytes;
}

uint64_t guest_cache_line(void)
{
	return guest.cache_line;
}
