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
// their callbacks, and the take-over, hold the life lock. None has been stopped yet when the program ends by exit_group, by a
// signal or by becoming another by execve: then the recorded thread is asked to end the trace itself, at its next block.

#include "tracer.h"

#include <pthread.h>
#include <time.h>

// Threads have numbers that are never used again, unlike the addresses of thread-local variables; 0 is none.
static _Atomic uint32_t recorded_thread, threads_count;
static _Thread_local uint32_t this_thread __attribute__((tls_model("initial-exec")));
// Where the thread's signal handlers run, if the program has told.
static _Thread_local struct {
	uint64_t start, size;
} alternate_stack;
static pthread_mutex_t life_lock = PTHREAD_MUTEX_INITIALIZER;
static bool inside;
static atomic_bool first_block_seen;
// The calls of regions that are under way, the outermost first; of a region no more than one.
static struct call {
	uint64_t returns_to, stack;
	uint8_t region;
} calls[REGIONS_MAX];
static unsigned calls_count;
static _Atomic uint64_t other_entries, other_instructions, forked_children;
static uint64_t longjmp_count, recursive_count, switched_count;

_Atomic bool trace_finished, trace_end_asked;
static pthread_cond_t end_answered = PTHREAD_COND_INITIALIZER;

bool region_returns_to(uint64_t address)
{
	for (unsigned i = 0; i < calls_count; i++)
		if (calls[i].returns_to == address)
			return true;
	return false;
}

bool region_nests(void)
{
	return !system_mode && places_count > 1;
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

static void park(void)
{
	pthread_mutex_lock(&life_lock);
	record_park();
	pthread_cond_broadcast(&end_answered);
	pthread_mutex_unlock(&life_lock);
}

// The recorded thread has ended, and its thread-local variables end soon. The callback of its last system call parks it,
// except while the program ends, when there are no such callbacks any more.
static void on_end_of_thread(void *set)
{
	(void)set;
	park();
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
	if (region_thread_is_recorded())
		park();
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
	if (places_count) {
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
	return inside && places_count;
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

void region_alternate_stack(uint64_t start, uint64_t size)
{
	alternate_stack.start = start;
	alternate_stack.size = size;
}

static bool on_alternate_stack(uint64_t stack)
{
	return stack - alternate_stack.start - 1 < alternate_stack.size; // empty, it points to the end
}

// Whether the innermost call is over, and how it ended. A signal handler may run on a stack of its own, which may lie in a
// frame further up the main stack.
static bool is_left(const struct block *block, uint64_t stack, enum leave_how *how)
{
	const struct call *call = &calls[calls_count - 1];
	bool main_stack = call->stack <= guest_stack_top() && stack <= guest_stack_top() &&
			  guest_stack_top() - call->stack < 1u << 30 &&
			  on_alternate_stack(stack) == on_alternate_stack(call->stack);

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

// A machine's processors may begin side by side.
static void see_first_block(void *cpu)
{
	pthread_mutex_lock(&life_lock);
	if (!first_block_seen) {
		guest_first_block(cpu);
		if (!system_mode)
			places_find_program();
		if (!places_count)
			claim_thread();
	}
	first_block_seen = true;
	pthread_mutex_unlock(&life_lock);
}

// A block begins in the calling thread, and the tape did not expect it.
void region_boundary(struct block *block, void *cpu)
{
	if (trace_finished)
		return;
	if (!first_block_seen)
		see_first_block(cpu);
	if (system_mode)
		system_hear(block, cpu);
	if (!region_thread_is_recorded() && !(block->entry_of && claim_thread())) {
		count_other(block);
		return;
	}
	if (system_mode && inside && places_count && system_interrupt(block, cpu))
		return;
	if (system_mode && places_count)
		system_task_switch(block, cpu);
	if (inside && places_count)
		(system_mode ? check_left_in_system : check_left)(block, cpu);
	if (!inside && places_count && !block->entry_of)
		return;
	if (!inside || enters_another(block))
		enter(block, cpu);
	record_boundary(block);
	if (system_mode && inside && places_count)
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
	pthread_cond_broadcast(&end_answered);
	pthread_mutex_unlock(&life_lock);
}

static void wait_for_an_answer(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 100 * 1000 * 1000;
	until.tv_sec += until.tv_nsec / (1000 * 1000 * 1000);
	until.tv_nsec %= 1000 * 1000 * 1000;
	pthread_cond_timedwait(&end_answered, &life_lock, &until);
}

// As trace_finish, in a thread that QEMU has not stopped the others for. With most signals that dump core it has: then the
// recorded thread waits between two blocks and never answers, which is believed after a second outside of callbacks.
void trace_finish_among_running(const char *reason, enum leave_how how)
{
	enum { PATIENCE = 10 };
	bool nobody_else = claim_thread() || region_thread_is_recorded();

	pthread_mutex_lock(&life_lock);
	for (int tries = 0; tries < PATIENCE && !nobody_else && !trace_finished && !record_is_parked(); tries++) {
		atomic_store(&trace_end_asked, true);
		wait_for_an_answer();
		if (record_is_busy())
			tries = 0;
	}
	if (!trace_finished)
		finish(reason, how);
	pthread_mutex_unlock(&life_lock);
}

void region_report(void (*line)(const char *key, uint64_t value))
{
	line("regions_not_loaded", places_never_loaded());
	line("longjmp_exits", longjmp_count);
	line("recursive_entries", recursive_count);
	if (system_mode) {
		line("switched_away", switched_count);
		system_report(line);
	}
	line("other_thread_entries", atomic_load(&other_entries));
	line("other_thread_instructions", atomic_load(&other_instructions));
	line("forked_children", atomic_load(&forked_children));
}

void region_forked(void)
{
	forked_children++;
}
