// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// Gathers the accesses of one execution of a block into an item for fold.c, and owns the tape, by which an event of a loop
// under way costs one comparison: see tracer.h. Only the recorded thread calls these functions.

#include "tracer.h"

#include <stdlib.h>
#include <string.h>

enum { TAPE_MAX = 1 << 13, EVENTS_PER_BLOCK_MAX = 1 << 14 };

struct tape_entry tape_off;
struct tape_entry tape[TAPE_MAX + 1];
uint64_t tape_iterations_left;
uint64_t instructions_recorded, instructions_limit = UINT64_MAX;
_Thread_local struct tape_entry *cursor __attribute__((tls_model("initial-exec"))) = &tape_off;

// The recorded thread's cursor. The program may end in another thread, or long after the recorded one has: a thread
// that is in a system call, or over, has parked its cursor where it can be reached.
static struct tape_entry *parked_cursor = &tape_off;
static struct tape_entry **hand = &parked_cursor;

static uint64_t tape_iterations_begun_with; // value of tape_iterations_left when the tape started
static uint64_t tape_instructions; // of one iteration

void record_park(void)
{
	parked_cursor = cursor;
	hand = &parked_cursor;
}

void record_unpark(void)
{
	hand = &cursor;
}

bool record_is_parked(void)
{
	return hand == &parked_cursor;
}

void record_suspend(void)
{
	record_park();
	cursor = &tape_off;
}

// The block that was pending had a fault: it has left off where the next begins.
static bool faulted;

void record_resume(bool fault)
{
	faulted = fault;
	cursor = parked_cursor;
	record_unpark();
}

// The recorded thread is in a callback, which may take long: the disk may be full of others' work.
static atomic_bool busy;

bool record_is_busy(void)
{
	return atomic_load_explicit(&busy, memory_order_relaxed);
}

static void set_busy(bool is)
{
	atomic_store_explicit(&busy, is, memory_order_relaxed);
}

// Set while QEMU works for the thread between two blocks, when no access belongs to a block. See record_between_blocks.
static bool between_blocks;

// The block that is being executed.
static struct {
	struct block *block;
	struct raw *raw;
	uint32_t count, capacity;
	uint64_t *addresses;
} pending;

static bool taping(void)
{
	return (*hand) != &tape_off;
}

static void grow_pending(void)
{
	pending.capacity = pending.capacity ? pending.capacity * 2 : 256;
	pending.raw = realloc(pending.raw, pending.capacity * sizeof(*pending.raw));
	// A raw event may be two accesses: a read and a write.
	pending.addresses = realloc(pending.addresses, 2 * pending.capacity * sizeof(uint64_t));
	if (!pending.raw || !pending.addresses)
		tracer_fatal("out of memory");
}

static void append_raw(struct slot *slot, uint32_t info, uint64_t address)
{
	if (pending.count == EVENTS_PER_BLOCK_MAX)
		tracer_fatal("the block at 0x%llx makes more than %d accesses", (unsigned long long)pending.block->address,
			     EVENTS_PER_BLOCK_MAX);
	if (pending.count == pending.capacity)
		grow_pending();
	pending.raw[pending.count++] = (struct raw){ slot, info, address };
}

// The pending block was left before instruction `executed`, so only those before it count.
static void cut_pending(uint32_t executed)
{
	struct block *prefix;

	for (uint32_t i = 0; i < pending.count; i++)
		if (pending.raw[i].slot->index >= executed)
			return; // a later instruction accessed memory, so the block was not left there
	if (executed == 0) {
		pending.block = NULL;
		return;
	}
	prefix = block_prefix(pending.block, executed);
	for (uint32_t i = 0; i < pending.count; i++)
		pending.raw[i].slot = &prefix->slots[pending.raw[i].slot->index];
	pending.block = prefix;
}

static void start_tape(void);

// Has the pending block left off before its end, since the next begins within it?
static bool is_cut(const struct block *next, uint32_t *executed)
{
	return !next->marker && !pending.block->marker && block_holds(pending.block, next->address, executed) &&
	       (faulted || isa_interrupted(pending.block, next));
}

static void finish_pending(const struct block *next)
{
	uint32_t executed;

	if (!pending.block)
		return;
	if (next && is_cut(next, &executed))
		cut_pending(executed);
	faulted = false;
	if (!pending.block)
		return;
	if (!pending.capacity)
		grow_pending();
	struct shape *shape = shape_of(pending.block, pending.raw, pending.count, pending.addresses);
	struct item item = { (uint64_t)(uintptr_t)shape, NULL, pending.addresses, 0, shape->count };

	instructions_recorded += pending.block->instructions;
	pending.block = NULL;
	pending.count = 0;
	if (fold_push(0, &item))
		start_tape();
}

// ---- The tape -------------------------------------------------------------------------------------------------

// Marked so that the fast path never matches it: at a region's ends each block has to be checked.
static const void *tape_key(const struct block *block)
{
	bool look = block->marker || block->entry_of || region_returns_to(block->address) ||
		    (system_mode && system_looks_at(block));

	return (const void *)((uintptr_t)block | look);
}

static struct tape_entry *put_item(struct tape_entry *t, const struct loop *loop, uint32_t index, uint32_t first)
{
	const struct shape *shape = (const struct shape *)(uintptr_t)loop->items[index].identity;

	if (t + shape->raw_count + 1 > tape + TAPE_MAX)
		return NULL;
	*t++ = (struct tape_entry){ .key = tape_key(shape->block), .item = index };
	for (uint32_t i = 0; i < shape->raw_count; i++) {
		const struct raw_template *raw = &shape->raw[i];
		uint32_t access = first + raw->access;

		*t++ = (struct tape_entry){ raw->slot, loop->next[access] + raw->offset, loop->strides[access], raw->info,
					    index };
	}
	tape_instructions += shape->block->instructions;
	return t;
}

// fold.c has found a loop of blocks: from now on its iterations are compared with the tape.
static void start_tape(void)
{
	struct loop *loop = fold_block_loop();
	struct tape_entry *t = tape;
	uint32_t first = 0;

	if (instructions_recorded >= instructions_limit)
		return;
	tape_instructions = 0;
	for (uint32_t i = 0; i < loop->period; i++) {
		t = put_item(t, loop, i, first);
		if (!t)
			return; // the tape would be too long: fold_push handles the loop item by item
		first += loop->items[i].addresses_count;
	}
	*t = (struct tape_entry){ .info = INFO_WRAP, .item = loop->period };
	tape_iterations_left = UINT64_MAX;
	if (instructions_limit != UINT64_MAX && tape_instructions) // as many as reach it
		tape_iterations_left = (instructions_limit - instructions_recorded + tape_instructions - 1) / tape_instructions;
	tape_iterations_begun_with = tape_iterations_left;
	(*hand) = tape;
}

// The slow form of the comparison that the callbacks make.
static bool tape_agrees(const struct block *block)
{
	struct tape_entry *e = (*hand);

	if (e->info == INFO_WRAP && !e->key && ((uintptr_t)tape[0].key & ~1ul) == (uintptr_t)block &&
	    tape_iterations_left > 1) {
		tape_iterations_left--;
		(*hand) = tape + 1;
		return true;
	}
	if (((uintptr_t)e->key & ~1ul) != (uintptr_t)block)
		return false;
	(*hand) = e + 1;
	return true;
}

static void take_back_pending(uint32_t index)
{
	const struct loop *loop = fold_block_loop();
	struct tape_entry *e = (*hand);

	while (e > tape && e[-1].item == index)
		e--;
	pending.block = ((struct shape *)(uintptr_t)loop->items[index].identity)->block;
	pending.count = 0;
	for (e++; e < (*hand); e++)
		append_raw((struct slot *)e->key, e->info, e->address - e->stride);
}

// Ends the tape at the cursor. `boundary`: the event that does not match begins a block, so the last block of a
// complete iteration is over.
static void stop_tape(bool boundary)
{
	struct loop *loop = fold_block_loop();
	struct tape_entry *e = (*hand);
	uint32_t first = 0;
	bool complete = e->info == INFO_WRAP && !e->key && boundary;
	uint64_t iterations = tape_iterations_begun_with - tape_iterations_left + complete;
	// The item of the last event that matched, which is not over yet.
	uint32_t position = complete || e == tape ? 0 : e[-1].item;

	if (!complete && e != tape)
		take_back_pending(position);
	(*hand) = &tape_off;
	loop->iterations += iterations;
	instructions_recorded += iterations * tape_instructions;
	loop->position = position;
	for (uint32_t i = 0; i < loop->period; i++)
		for (uint32_t k = 0; k < loop->items[i].addresses_count; k++, first++)
			loop->next[first] += loop->strides[first] * (iterations + (i < position));
	for (uint32_t i = 0; i < position; i++)
		instructions_recorded += ((struct shape *)(uintptr_t)loop->items[i].identity)->block->instructions;
	fold_end_loop(0);
}

// ---- Events ---------------------------------------------------------------------------------------------------

static void check_limit(void)
{
	if (instructions_recorded >= instructions_limit)
		trace_finish("limit", LEAVE_LIMIT);
}

static void begin_block(struct block *block)
{
	between_blocks = false;
	if (taping()) {
		if (tape_agrees(block))
			return;
		stop_tape(true);
	}
	finish_pending(block);
	if (taping()) { // the push began a loop
		if (tape_agrees(block))
			return;
		stop_tape(true);
	}
	if (!block->marker)
		check_limit();
	if (trace_finished)
		return;
	pending.block = block;
	pending.count = 0;
}

void record_boundary(struct block *block)
{
	set_busy(true);
	begin_block(block);
	set_busy(false);
}

// To make the frame of a signal, QEMU itself writes the guest's memory, and QEMU 7.2 reports that as accesses of the last
// instruction of some block that ran before: it does not forget whose callbacks were due when a block ends in a jump.
// Between blocks nothing is recorded, so a tape may not go on either.
void record_between_blocks(void)
{
	if (hand != &cursor)
		return;
	set_busy(true);
	if (taping())
		stop_tape(true);
	between_blocks = true;
	set_busy(false);
}

void record_access(struct slot *slot, uint32_t info, uint64_t address)
{
	if (between_blocks)
		return;
	if (taping()) {
		struct tape_entry *e = (*hand);

		if (e->key == slot && e->address == address && e->info == info) {
			e->address += e->stride;
			(*hand) = e + 1;
			return;
		}
		set_busy(true);
		stop_tape(false);
		set_busy(false);
	}
	// Without the preloaded half of this plugin, only a slot of another block shows that QEMU is between blocks.
	if (pending.block == slot->block)
		append_raw(slot, info, address);
}

// The block that runs now, for accesses that QEMU does not report.
struct block *record_current(void)
{
	if (!taping())
		return pending.block;
	if ((*hand) == tape)
		return NULL;
	const struct loop *loop = fold_block_loop();
	return ((struct shape *)(uintptr_t)loop->items[(*hand)[-1].item].identity)->block;
}

// How many of its accesses are the last of the events so far.
static uint32_t count_last(const struct slot *slot)
{
	uint32_t count = 0;

	if (taping())
		while ((*hand)[-1 - (int)count].key == slot)
			count++;
	else
		while (count < pending.count && pending.raw[pending.count - 1 - count].slot == slot)
			count++;
	return count;
}

// QEMU 10 and later execute all turns of a repeated string instruction within one block, older ones each turn as a block. What
// a turn is does not depend on that: each behind the first is recorded as a block that has the instruction alone.
struct slot *record_turn(struct slot *slot)
{
	const struct block *current = between_blocks ? NULL : record_current();
	struct block *alone = block_alone(slot);

	if (current == alone)
		slot = alone->slots;
	else if (current != slot->block)
		return slot;
	if (count_last(slot) < slot->turn_accesses)
		return slot;
	record_boundary(alone);
	return alone->slots;
}

void record_flush(void)
{
	if (taping())
		stop_tape(true);
	finish_pending(NULL);
	if (taping())
		stop_tape(true);
	fold_flush();
}
