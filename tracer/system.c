// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// A whole machine: instructions of interrupts and of other tasks between those of a region.
//
// Interrupts. An interrupt begins where a block starts at an exception vector to which the block before it does not lead.
// (A system call does lead there, and belongs to the region.) The interrupt is over when, after a return from interrupt,
// the stack pointer is again what it was: the handler's own returns, nested interrupts and tasks that run in between have
// other stacks. Aarch64 has a stack pointer for each privilege level, and an entry of its own for interrupts from user
// mode: there the interrupt is over when the handler that returns had its frame where the interrupt began; and a region of
// the kernel is over, since its task has gone to user mode. By `interrupts=`, an interrupt's instructions are left out of
// the trace, or recorded between two markers, or recorded like all others. If they are left out, a block in which a fault
// happened is held back until execution resumes at the faulting instruction, and is then cut there.
//
// Tasks. The trace follows the recorded CPU, not the task. When the kernel's switch function is called inside the region,
// the task's call is saved with the stack pointer and the return address of the switch; when control returns to that
// address with the stack pointer of another saved task, the region goes on as that task's call and ends where that
// returns. So a region __switch_to is one switch: saving the one task, restoring the other. For a task that was not in the
// region nothing is saved, and the region ends with LEAVE_SWITCHED.
//
// Code that is made while the machine runs has no symbol. Who knows where it is tells: a program of the guest calls a
// function of its own with the address and the hash of the name, `tell=` says where that function is, and `told=` gives
// the region its name.

#include "tracer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { VECTORS_MAX = 128, TASKS_MAX = 4096 };

static struct ranges {
	struct {
		uint64_t first, end;
	} range[VECTORS_MAX];
	unsigned count;
} vectors, faults; // all; those of them that begin in the middle of a block, at an instruction that has not been executed
static uint64_t switch_address, start_address, outside_address, tell_address, tell_local;
static enum { LEFT_OUT, MARKED, PART } policy;

// ---- Command line ---------------------------------------------------------------------------------------------

static bool number(const char *text, uint64_t *value, char **end)
{
	errno = 0;
	*value = strtoull(text, end, 0);
	return !errno && *end != text;
}

static bool whole_number(const char *text, uint64_t *value)
{
	char *end;

	return number(text, value, &end) && !*end;
}

static bool take_range(const char *value, struct ranges *ranges)
{
	char *end;

	if (ranges->count == VECTORS_MAX || !number(value, &ranges->range[ranges->count].first, &end) || *end != ':' ||
	    !whole_number(end + 1, &ranges->range[ranges->count].end))
		return false;
	ranges->count++;
	return true;
}

// 0xADDRESS:0xLOCAL_ENTRY
static bool take_tell(const char *value)
{
	char *end;

	return number(value, &tell_address, &end) && *end == ':' && whole_number(end + 1, &tell_local);
}

static bool take_policy(const char *value)
{
	static const char *const names[] = { "left-out", "marked", "part" };

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(value, names[i])) {
			policy = i;
			return true;
		}
	return false;
}

static bool take_kernel_base(const char *value)
{
	uint64_t base;

	if (!whole_number(value, &base))
		return false;
	guest_set_kernel_base(base);
	return true;
}

bool system_take_argument(const char *key, const char *value, bool *mine)
{
	uint64_t line;

	*mine = true;
	if (!strcmp(key, "vector"))
		return take_range(value, &vectors);
	if (!strcmp(key, "fault"))
		return take_range(value, &faults);
	if (!strcmp(key, "switch"))
		return whole_number(value, &switch_address);
	if (!strcmp(key, "outside"))
		return whole_number(value, &outside_address);
	if (!strcmp(key, "start"))
		return whole_number(value, &start_address);
	if (!strcmp(key, "tell"))
		return take_tell(value);
	if (!strcmp(key, "kernel"))
		return take_kernel_base(value);
	if (!strcmp(key, "interrupts"))
		return take_policy(value);
	if (!strcmp(key, "line")) {
		if (!whole_number(value, &line) || !line || line & (line - 1))
			return false;
		guest_set_cache_line(line);
		return true;
	}
	*mine = false;
	return true;
}

uint64_t system_start_address(void)
{
	return start_address;
}

// ---- Interrupts -----------------------------------------------------------------------------------------------

static struct {
	bool active, from_user, fault, nested; // nested: another has interrupted it
	uint64_t stack, last_stack; // where it began, and at the block that ran last
	const struct block *last;
} interrupt;
static uint64_t interrupts_count, interrupt_instructions;

static bool is_in(const struct ranges *ranges, uint64_t address)
{
	for (unsigned i = 0; i < ranges->count; i++)
		if (address >= ranges->range[i].first && address < ranges->range[i].end)
			return true;
	return false;
}

// For a task in user mode the stack pointer tells nothing; its entries are the upper half of the vectors (Arm ARM, D1.4).
static bool is_from_user(const struct block *block)
{
	return target->arch == ARCH_AARCH64 && vectors.count && block->address - vectors.range[0].first >= 0x400;
}

static bool is_over(void *cpu)
{
	enum { FRAME_MAX = 512 }; // struct pt_regs has 336 bytes

	if (!isa_returns_from_interrupt(interrupt.last))
		return false;
	if (interrupt.from_user)
		return interrupt.stack - interrupt.last_stack <= FRAME_MAX;
	return guest_stack_pointer(cpu) == interrupt.stack;
}

// A return into the middle of a vector's code belongs to a call there: POWER8 flushes its first level by one on each entry.
static bool begins(const struct block *block, void *cpu)
{
	const struct block *before = record_current();

	return before && is_in(&vectors, block->address) && !isa_goes_to(before, block->address) && !isa_calls_system(before) &&
	       guest_return_address(cpu) != block->address;
}

static void begin(const struct block *block, void *cpu)
{
	interrupt.active = true;
	interrupt.from_user = is_from_user(block);
	interrupt.nested = false;
	interrupt.fault = is_in(&faults, block->address);
	interrupt.stack = guest_interrupted_stack(cpu);
	interrupts_count++;
	if (policy == LEFT_OUT)
		record_suspend();
	else if (policy == MARKED)
		record_boundary(block_marker(MARKER_INTERRUPT, 0));
}

static void end(void)
{
	interrupt.active = false;
	if (policy == LEFT_OUT)
		record_resume(interrupt.fault);
	else if (policy == MARKED)
		record_boundary(block_marker(MARKER_INTERRUPT_OVER, 0));
}

// Called inside the region. When an interrupt is over, another one may follow at once.
bool system_interrupt(struct block *block, void *cpu)
{
	uint64_t returns_to, stack;

	if (interrupt.active && is_over(cpu))
		end();
	if (interrupt.active) {
		interrupt.nested |= is_in(&vectors, block->address);
	} else {
		if (!begins(block, cpu))
			return false;
		if (is_from_user(block) && region_call(&returns_to, &stack) && guest_is_kernel(stack)) {
			region_end_switched();
			return false;
		}
		begin(block, cpu);
	}
	// Where one entry is for all, its handler tells what it was.
	if (block->address == outside_address && !interrupt.nested)
		interrupt.fault = false;
	interrupt.last = block;
	interrupt.last_stack = guest_stack_pointer(cpu);
	interrupt_instructions += block->instructions;
	if (policy != LEFT_OUT)
		record_boundary(block);
	return true;
}

bool system_leaves_out(void)
{
	return interrupt.active && policy == LEFT_OUT;
}

// ---- Tasks ----------------------------------------------------------------------------------------------------

// A task that has called the switch function inside the region.
struct put_aside {
	uint64_t stack; // when its call of the switch function has returned
	uint64_t returns_to, entry_stack; // of its call of the region
};
static struct put_aside tasks[TASKS_MAX];
static unsigned tasks_count;
static uint64_t switch_returns_to;
static bool switching;

static struct put_aside *find(uint64_t stack)
{
	for (unsigned i = 0; i < tasks_count; i++)
		if (tasks[i].stack == stack)
			return &tasks[i];
	return NULL;
}

void system_note_call(const struct block *block, void *cpu)
{
	uint64_t stack = guest_stack_after_call(cpu);
	struct put_aside *task = find(stack);

	if (!switch_address || block->address != switch_address)
		return;
	if (!task && tasks_count == TASKS_MAX)
		tracer_fatal("more than %d tasks are in the region", TASKS_MAX);
	if (!task)
		task = &tasks[tasks_count++];
	task->stack = stack;
	region_call(&task->returns_to, &task->entry_stack);
	switch_returns_to = guest_return_address(cpu);
	switching = true;
}

void system_task_switch(const struct block *block, void *cpu)
{
	uint64_t returns_to, stack;
	bool inside = region_call(&returns_to, &stack);

	if (!switch_returns_to || block->address != switch_returns_to) {
		// A new task begins elsewhere. It becomes known when it calls the switch function itself.
		if (switching && inside && block->address == switch_address) {
			switching = false;
			region_end_switched();
		}
		return;
	}
	struct put_aside *task = find(guest_stack_pointer(cpu));
	if (inside && task)
		region_switch_to(task->returns_to, task->entry_stack);
	else if (inside && switching)
		region_end_switched();
	if (task)
		*task = tasks[--tasks_count];
	switching = false;
}

// ---- Regions that are told of ---------------------------------------------------------------------------------

static bool tells(const struct block *block)
{
	return tell_address && (block->address == tell_address || block->address == tell_local);
}

void system_hear(const struct block *block, void *cpu)
{
	if (tells(block))
		places_told(guest_argument(cpu, 1), guest_argument(cpu, 0));
}

// Blocks of a loop that matches the tape are not checked, except those that are needed here.
bool system_looks_at(const struct block *block)
{
	return interrupt.active || block->address == switch_address || block->address == switch_returns_to || tells(block);
}

void system_report(void (*line)(const char *key, uint64_t value))
{
	line("interrupts", interrupts_count);
	line("interrupt_instructions", interrupt_instructions);
}
