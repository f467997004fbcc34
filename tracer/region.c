// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// Which events are recorded: those of one thread between a region's entry and its end.
//
// A region is a function. It is entered when a block begins at its symbol or, on ELFv2, at its local entry point,
// and left when control reaches the return address with the stack pointer at least as high as at the entry, so that
// recursion and calls from elsewhere to the same place do not end it. What that means:
//   tail call       the callee belongs to the region: it returns to the same address
//   recursion       belongs to the region; counted
//   longjmp out     ends it, at the first block whose stack pointer is above the entry's on the program's main
//                   stack; a jump into the very frame that made the call, when that returns or passes the return
//                   address. On another stack (coroutine, thread) that is indistinguishable from a switch of
//                   stacks, so there the region ends when it is entered again, or with the program
//   signal handler  belongs to the region if it runs in it
//   exit            ends it
// Without a region, the whole program is the region.
//
// A region that is entered inside another one is recorded as a call of its own: calls form a stack, and an end is always
// that of the innermost. In a whole machine regions do not nest: everything inside belongs to the outermost.
//
// The first thread that enters a region is the one recorded; entries by others are counted and reported. Without a
// region it is the program's first.
//
// Ownership: the state of record.c and fold.c, and `inside` and the like here, belongs to the recorded thread while it runs
// generated code. So every other callback first checks whether its thread is that one, by a value that it loads once. When
// the program ends, QEMU stops all threads between two blocks and removes the callbacks from generated code before it calls
// back; the ending thread then takes over the state. QEMU does not stop threads that are in a system call, or that end:
// their callbacks, and the take-over, hold the life lock.

#define _GNU_SOURCE
#include "tracer.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct region {
	char *name, *path; // path: of the file that has it, if that is loaded at an address of its own
	uint64_t address, local; // in the file; local == address where there is no local entry point
	uint64_t base;
	uint32_t told_as; // the hash of the name under which the guest tells where it is
	bool told, placed;
};

static struct region regions[REGIONS_MAX];
static unsigned regions_count, unplaced_count;

// Threads have numbers that are never used again, unlike the addresses of thread-local variables; 0 is none.
static _Atomic uint32_t recorded_thread, threads_count;
static _Thread_local uint32_t this_thread __attribute__((tls_model("initial-exec")));
static pthread_mutex_t life_lock = PTHREAD_MUTEX_INITIALIZER;
static bool inside, first_block_seen;
// The calls of regions that are under way, the outermost first; of a region no more than one.
static struct call {
	uint64_t returns_to, stack;
	uint8_t region;
} calls[REGIONS_MAX];
static unsigned calls_count;
static _Atomic uint64_t other_entries, other_instructions;
static uint64_t longjmp_count, recursive_count, switched_count;

_Atomic bool trace_finished;

// ---- Where regions are ----------------------------------------------------------------------------------------

// NAME:0xADDRESS[:0xLOCAL]; the name may have colons itself.
bool region_add(const char *text, const char *path, char *problem, size_t problem_size)
{
	struct region *r = &regions[regions_count];
	const char *hex = strstr(text, ":0x");
	char *end;

	if (regions_count == REGIONS_MAX) {
		snprintf(problem, problem_size, "more than %d regions", REGIONS_MAX);
		return false;
	}
	if (!hex || hex == text) {
		snprintf(problem, problem_size, "roi=%s is not NAME:0xADDRESS[:0xLOCAL_ENTRY]", text);
		return false;
	}
	r->name = strndup(text, (size_t)(hex - text));
	r->address = r->local = strtoull(hex + 1, &end, 16);
	if (*end == ':')
		r->local = strtoull(end + 1, &end, 16);
	if (*end) {
		snprintf(problem, problem_size, "roi=%s is not NAME:0xADDRESS[:0xLOCAL_ENTRY]", text);
		return false;
	}
	r->path = path ? realpath(path, NULL) : NULL; // as /proc/self/maps has it
	if (path && !r->path) {
		snprintf(problem, problem_size, "image=%s: %s", path, strerror(errno));
		return false;
	}
	r->placed = !path;
	unplaced_count += !r->placed;
	regions_count++;
	return true;
}

// NAME:0xHASH: where it is, the guest will say.
bool region_add_told(const char *text, char *problem, size_t problem_size)
{
	struct region *r = &regions[regions_count];

	if (!region_add(text, NULL, problem, problem_size))
		return false;
	r->told_as = (uint32_t)r->address;
	r->told = true;
	r->placed = false;
	unplaced_count++;
	return true;
}

// Code of that name may be made again elsewhere; then it is there that the region is.
static void place_told(uint64_t name_hash, uint64_t address)
{
	for (unsigned i = 0; i < regions_count; i++) {
		struct region *r = &regions[i];

		if (!r->told || r->told_as != (uint32_t)name_hash)
			continue;
		unplaced_count -= !r->placed;
		r->address = r->local = address;
		r->placed = true;
	}
}

void region_told(uint64_t name_hash, uint64_t address)
{
	blocks_change(place_told, name_hash, address);
}

// Mappings in which a block was found while some regions had no address yet.
static struct {
	uint64_t first, end;
} known[1024];
static unsigned known_count;

static bool is_known(uint64_t address)
{
	for (unsigned i = 0; i < known_count; i++)
		if (address >= known[i].first && address < known[i].end)
			return true;
	return false;
}

static void place_regions(const char *path, uint64_t base)
{
	for (unsigned i = 0; i < regions_count; i++) {
		struct region *r = &regions[i];

		if (!r->placed && !strcmp(path, r->path)) {
			r->base = base;
			r->placed = true;
			unplaced_count--;
		}
	}
}

// The auxiliary vector says where the program itself is: QEMU does not always map it, but may read a small file.
static void place_program(void)
{
	const char *given = qemu_plugin_path_to_binary ? qemu_plugin_path_to_binary() : NULL;
	char *path = given ? realpath(given, NULL) : NULL;

	if (path && guest_load_address())
		place_regions(path, guest_load_address());
	free(path);
}

// Finds the file that a block is in. Its load address is the first mapping of its offset 0 in an unbroken run of its
// mappings: a small file has several of those, and QEMU itself may have mapped it elsewhere.
static void look_at_maps(uint64_t address)
{
	char line[4400], start_path[4400] = "";
	uint64_t first, end, offset, start = 0, base = guest_base_address();
	FILE *maps = fopen("/proc/self/maps", "re");

	while (maps && fgets(line, sizeof(line), maps)) {
		int path_at = 0;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &first, &end, &offset, &path_at) < 3)
			continue;
		line[strcspn(line, "\n")] = 0;
		if (path_at && line[path_at] == '/' && strcmp(start_path, line + path_at)) {
			strcpy(start_path, offset == 0 ? line + path_at : "");
			start = first;
		}
		if (address < first - base || address >= end - base)
			continue;
		if (known_count < sizeof(known) / sizeof(known[0])) {
			known[known_count].first = first - base;
			known[known_count++].end = end - base;
		}
		if (path_at && !strcmp(start_path, line + path_at))
			place_regions(start_path, start - base);
		break;
	}
	if (maps)
		fclose(maps);
}

void region_note_block(struct block *block)
{
	if (unplaced_count && !system_mode && !is_known(block->address))
		look_at_maps(block->address);
	block->entry_of = 0;
	for (unsigned i = 0; i < regions_count; i++) {
		const struct region *r = &regions[i];

		if (r->placed && (block->address == r->base + r->address || block->address == r->base + r->local))
			block->entry_of = (uint8_t)(i + 1);
	}
}

bool region_returns_to(uint64_t address)
{
	for (unsigned i = 0; i < calls_count; i++)
		if (calls[i].returns_to == address)
			return true;
	return false;
}

bool region_nests(void)
{
	return !system_mode && regions_count > 1;
}

// ---- Which thread ---------------------------------------------------------------------------------------------

static uint32_t thread_number(void)
{
	if (!this_thread)
		this_thread = 1 + atomic_fetch_add(&threads_count, 1);
	return this_thread;
}

bool region_thread_is_recorded(void)
{
	return atomic_load(&recorded_thread) == thread_number();
}

bool region_recording(void)
{
	return !trace_finished && region_thread_is_recorded() && inside && !system_leaves_out();
}

// The recorded thread has ended, and its thread-local variables end soon. The callback of its last system call parks it,
// except while the program ends, when there are no such callbacks any more.
static void on_end_of_thread(void *set)
{
	(void)set;
	pthread_mutex_lock(&life_lock);
	record_park();
	pthread_mutex_unlock(&life_lock);
}

// Makes the calling thread the recorded one, unless there is one.
static bool claim_thread(void)
{
	static pthread_key_t recorded;
	uint32_t nobody = 0;

	if (!atomic_compare_exchange_strong(&recorded_thread, &nobody, thread_number()))
		return false;
	if (pthread_key_create(&recorded, on_end_of_thread) || pthread_setspecific(recorded, &recorded))
		tracer_fatal("out of memory");
	record_unpark();
	return true;
}

void region_system_call(void)
{
	if (!region_thread_is_recorded())
		return;
	pthread_mutex_lock(&life_lock);
	record_park();
	pthread_mutex_unlock(&life_lock);
}

void region_system_call_over(void)
{
	if (!region_thread_is_recorded())
		return;
	pthread_mutex_lock(&life_lock);
	record_unpark();
	pthread_mutex_unlock(&life_lock);
}

void region_signals(void)
{
	if (region_recording())
		record_between_blocks();
}

void region_hold(bool hold)
{
	(hold ? pthread_mutex_lock : pthread_mutex_unlock)(&life_lock);
}

// ---- In and out -----------------------------------------------------------------------------------------------

static void enter(const struct block *block, void *cpu)
{
	uint8_t region = block->entry_of ? block->entry_of - 1 : 0;

	inside = true;
	if (regions_count) {
		if (system_mode)
			guest_check_call(cpu);
		if (!guest_registers_known())
			tracer_fatal(
				"cannot follow a region: this QEMU does not keep guest registers where the tracer expects them");
		calls[calls_count++] = (struct call){ guest_return_address(cpu), guest_stack_pointer(cpu), region };
	}
	record_boundary(block_marker(MARKER_ENTER, region));
}

// Whether the block enters a region while others are under way.
static bool enters_another(const struct block *block)
{
	if (!block->entry_of || !region_nests())
		return false;
	for (unsigned i = 0; i < calls_count; i++)
		if (calls[i].region == block->entry_of - 1)
			return false;
	return true;
}

// Ends the innermost call.
static void leave(enum leave_how how)
{
	record_boundary(block_marker(MARKER_LEAVE, (uint8_t)how));
	calls_count -= calls_count > 0;
	inside = calls_count > 0;
}

bool region_call(uint64_t *returns_to, uint64_t *stack)
{
	*returns_to = calls[0].returns_to;
	*stack = calls[0].stack;
	return inside && regions_count;
}

void region_switch_to(uint64_t returns_to, uint64_t stack)
{
	calls[0].returns_to = returns_to;
	calls[0].stack = stack;
}

void region_end_switched(void)
{
	switched_count++;
	leave(LEAVE_SWITCHED);
}

// A machine has many stacks, and a task that was switched away from inside the region may never come back.
static void check_left_in_system(const struct block *block, void *cpu)
{
	enum { NEAR = 1 << 16 }; // stacks of the kernel are smaller
	uint64_t stack = guest_stack_pointer(cpu), entry_stack = calls[0].stack;
	bool near = stack - entry_stack < NEAR || entry_stack - stack < NEAR;

	if (block->address == calls[0].returns_to && stack >= entry_stack && near)
		leave(LEAVE_RETURN);
	else if (guest_is_kernel(entry_stack) && !guest_is_kernel(block->address) && !guest_is_kernel(stack))
		region_end_switched();
	else if (block->entry_of && !near)
		region_end_switched();
	else if (block->entry_of && stack < entry_stack)
		recursive_count++;
}

// Whether the innermost call is over, and how it ended.
static bool is_left(const struct block *block, uint64_t stack, enum leave_how *how)
{
	const struct call *call = &calls[calls_count - 1];
	bool main_stack = call->stack <= guest_stack_top() && stack <= guest_stack_top() &&
			  guest_stack_top() - call->stack < 1u << 30;

	*how = block->address == call->returns_to && stack >= call->stack ? LEAVE_RETURN : LEAVE_LONGJMP;
	return *how == LEAVE_RETURN || (stack > call->stack && (main_stack || block->entry_of));
}

static void check_left(const struct block *block, void *cpu)
{
	uint64_t stack = guest_stack_pointer(cpu);
	enum leave_how how;

	// A tail call returns from several at once, and a longjmp may give several up.
	while (inside && is_left(block, stack, &how)) {
		longjmp_count += how == LEAVE_LONGJMP;
		leave(how);
	}
	for (unsigned i = 0; block->entry_of && i < calls_count; i++)
		recursive_count += calls[i].region == block->entry_of - 1 && stack < calls[i].stack;
}

// A block of a thread that is not recorded.
static void count_other(const struct block *block)
{
	if (!atomic_load_explicit(&recorded_thread, memory_order_relaxed))
		return;
	atomic_fetch_add_explicit(&other_instructions, block->instructions, memory_order_relaxed);
	if (block->entry_of)
		atomic_fetch_add_explicit(&other_entries, 1, memory_order_relaxed);
}

// A block begins in the calling thread, and the tape did not expect it.
void region_boundary(struct block *block, void *cpu)
{
	if (trace_finished)
		return;
	if (!first_block_seen) {
		first_block_seen = true;
		guest_first_block(cpu);
		if (!system_mode)
			place_program();
		if (!regions_count)
			claim_thread();
	}
	if (system_mode)
		system_hear(block, cpu);
	if (!region_thread_is_recorded() && !(block->entry_of && claim_thread())) {
		count_other(block);
		return;
	}
	if (system_mode && inside && regions_count && system_interrupt(block, cpu))
		return;
	if (system_mode && regions_count)
		system_task_switch(block, cpu);
	if (inside && regions_count)
		(system_mode ? check_left_in_system : check_left)(block, cpu);
	if (!inside && regions_count && !block->entry_of)
		return;
	if (!inside || enters_another(block))
		enter(block, cpu);
	record_boundary(block);
	if (system_mode && inside && regions_count)
		system_note_call(block, cpu);
}

static void finish(const char *reason, enum leave_how how)
{
	while (inside)
		leave(how);
	trace_finished = true;
	record_flush();
	stream_close(reason, region_report);
}

// Ends the trace, because the program ends or the limit is reached. If several threads end the program, each returns from
// here only when the file is complete, because the first to return ends the process.
void trace_finish(const char *reason, enum leave_how how)
{
	pthread_mutex_lock(&life_lock);
	if (!trace_finished)
		finish(reason, how);
	pthread_mutex_unlock(&life_lock);
}

void region_report(void (*line)(const char *key, uint64_t value))
{
	line("regions_not_loaded", unplaced_count);
	line("longjmp_exits", longjmp_count);
	line("recursive_entries", recursive_count);
	if (system_mode) {
		line("switched_away", switched_count);
		system_report(line);
	}
	line("other_thread_entries", atomic_load(&other_entries));
	line("other_thread_instructions", atomic_load(&other_instructions));
}
