// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// What the program asks of Linux, in user mode: calls that end the trace, that take away code, and that give signal handlers a
// stack.

#define _GNU_SOURCE
#include "tracer.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Linux has three tables of numbers for our architectures: POWER's, x86-64's and the generic one. mmap2 is that of 32-bit
// POWER; elsewhere its number is mmap's.
struct numbers {
	int16_t exit, exit_group, execve, execveat, mmap, mmap2, munmap, mremap, sigaltstack;
};

static struct numbers numbers(void)
{
	switch (target->arch) {
	case ARCH_POWERPC:
	case ARCH_POWERPC64:
	case ARCH_POWERPC64LE:
		return (struct numbers){ 1, 234, 11, 362, 90, 192, 91, 163, 185 };
	case ARCH_X86_64:
		return (struct numbers){ 60, 231, 59, 322, 9, 9, 11, 25, 131 };
	default:
		return (struct numbers){ 93, 94, 221, 281, 222, 222, 215, 216, 132 };
	}
}

// The call that the thread is in.
static _Thread_local struct {
	int64_t number;
	uint64_t a1, a2;
	bool executes; // taken for one that replaces the program
	uint64_t stack_start, stack_size; // of sigaltstack
} call;

// Of the last thread: exit_group does not get as far as QEMU's end.
bool system_call_exits(void)
{
	return call.number == numbers().exit;
}

static uint64_t word(uint64_t value)
{
	return target->word_bytes == 4 ? (uint32_t)value : value;
}

static void read_path(uint64_t address, char *path, size_t size)
{
	size_t n = 0;

	while (n < size - 1 && guest_read(address + n, path + n, 1) && path[n])
		n++;
	path[n] = 0;
}

// A successful execve replaces this process, and the tracer with it, without a callback, so whether it will succeed has to
// be judged before. QEMU has execveat since version 8; one with the oldest plugin interface is taken to be without.
static bool is_about_to_execute(uint64_t flags)
{
	char path[4096];

	if (call.number == numbers().execve) {
		read_path(call.a1, path, sizeof(path));
		return !access(path, X_OK);
	}
	if (call.number == numbers().execveat && qemu_plugin_scoreboard_new) {
		read_path(call.a2, path, sizeof(path));
		return *path ? !faccessat((int)call.a1, path, X_OK, 0) : flags & AT_EMPTY_PATH;
	}
	return false;
}

// stack_t: the lowest address, int flags, the size, each at a multiple of its own size.
static void note_alternate_stack(void)
{
	enum { DISABLED = 2 };
	unsigned bytes = target->word_bytes;
	uint64_t flags = 0;

	call.stack_start = call.stack_size = 0;
	if (!call.a1 || !guest_read_number(call.a1 + bytes, 4, &flags) || flags & DISABLED)
		return;
	guest_read_number(call.a1, bytes, &call.stack_start);
	guest_read_number(call.a1 + 2 * bytes, bytes, &call.stack_size);
}

// QEMU's own way out frees the list of callbacks while other threads walk it in their system calls, and dies of it in one of
// a hundred runs on a busy machine (qemu_plugin_user_exit, seen with 7.2).
static _Noreturn void end_program(int status)
{
	signals_finish_among_running("exit");
	for (;;)
		syscall(SYS_exit_group, status);
}

void on_system_call(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4,
		    uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
	(void)id, (void)vcpu, (void)a3, (void)a4, (void)a6, (void)a7, (void)a8;
	call.number = number;
	call.a1 = word(a1);
	call.a2 = word(a2);
	region_system_call();
	if (number == numbers().exit_group)
		end_program((int)a1);
	if (number == numbers().sigaltstack)
		note_alternate_stack();
	call.executes = !trace_finished && is_about_to_execute(a5);
	if (call.executes)
		signals_finish_among_running("exec");
}

// What was there before is gone.
static void note_mapping(uint64_t result)
{
	struct numbers n = numbers();

	if (call.number == n.munmap || call.number == n.mremap)
		places_unmapped(call.a1, call.a1 + call.a2);
	else if (call.number == n.mmap || call.number == n.mmap2)
		places_unmapped(word(result), word(result) + call.a2);
}

void on_system_call_return(qemu_plugin_id_t id, unsigned vcpu, int64_t number, int64_t result)
{
	bool failed = result < 0 && result > -4096;

	(void)id, (void)vcpu, (void)number;
	if (call.executes)
		tracer_warn(
			"the trace ends at an execve that failed (error %lld); what the program does from there is not in it",
			(long long)-result);
	if (!failed)
		note_mapping((uint64_t)result);
	if (!failed && call.number == numbers().sigaltstack && call.a1)
		region_alternate_stack(call.stack_start, call.stack_size);
	region_system_call_over();
}
