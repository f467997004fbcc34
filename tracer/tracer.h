// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// What the parts of the tracer share. An event passes through them in this order:
//
//   plugin.c   QEMU's callbacks. In a loop that is under way each is one comparison with the tape, see below.
//   places.c   where the regions are.
//   region.c   is this thread recorded, and is it inside the region of interest?
//   system.c   for a whole machine: interrupts and changes of task inside the region.
//   record.c   gathers the accesses of one execution of a block; owns the tape.
//   fold.c     finds repeated sequences, of blocks, then of loops, and counts them.
//   signals.c  what ends the program without a callback.
//   system_calls.c  what the program asks of Linux: to end, to unmap code, to give handlers a stack.
//   images.c   which files the code came from, for names of functions.
//   stream.c   writes what is left as varints in zstd frames (docs/trace-format.md).
//   files.c    the file that they go to, out of the program's reach.
//   maps.c     which files are mapped where.
//   guest.c    the guest's registers and memory, as far as a plugin can reach them.
//   isa.c      facts about instructions, for the events that QEMU does not report.
//   target.c   which machine is traced; how the tracer gives up. All others call it, and none calls plugin.c.

#ifndef TRACER_H
#define TRACER_H

#include "qemu_api.h"

#include <stdatomic.h>

#define TRACER_VERSION "1"

enum arch {
	ARCH_POWERPC = 1,
	ARCH_POWERPC64,
	ARCH_POWERPC64LE,
	ARCH_LOONGARCH64,
	ARCH_X86_64,
	ARCH_AARCH64,
	ARCH_RISCV64
}; // the numbers of crates/arch; they are in the file

struct target {
	enum arch arch;
	const char *qemu_name, *name;
	bool big_endian;
	unsigned word_bytes;
};
extern const struct target *target;
extern bool system_mode; // a whole machine

bool target_choose(const char *qemu_name);
bool target_choose_arch(const char *name); // of those that the chosen QEMU runs
void tracer_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
// The tracer gives up: discards the unfinished trace and ends the program, whose caller waits for a trace.
void tracer_fatal(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
extern void (*tracer_discard)(void);

// ---- Blocks ---------------------------------------------------------------------------------------------------

struct block;

// Where a memory event comes from: one instruction of one block. Callbacks get its address.
struct slot {
	struct block *block;
	uint16_t index; // of the instruction in the block
	bool cache_op; // dcbst, icbi: QEMU reports a load, but the machine loads no register
	bool store_only; // a conditional store, which QEMU reports as a read and a write
	bool silent; // accesses memory but QEMU reports nothing: see struct hole
	uint8_t turn_accesses; // of each turn of a repeated string instruction of x86, or 0
	uint32_t word; // the instruction, for those
	struct block *alone; // the instruction as a block of its own, once there is one
};

// A translated block: straight-line code that QEMU runs from its first instruction. The same address with other
// bytes is another block. Lives for ever, since QEMU may call back with it at any time.
struct block {
	uint64_t address;
	uint64_t end; // address after the last instruction
	uint32_t id; // in the file; 0: not written yet
	uint32_t instructions;
	uint8_t *code; // the bytes
	uint8_t *sizes; // of each instruction
	struct slot *slots; // one for each instruction
	struct slot *tail_hole; // the last instruction accesses memory without a report
	struct shape *shapes; // in order of last use
	unsigned shapes_count;
	uint8_t entry_of; // 1 + number of the region that starts here, or 0
	uint8_t marker; // not code: an event of the region, enum marker
	uint8_t marker_value;
	struct block *next; // in the hash table
};

enum marker { MARKER_NONE, MARKER_ENTER, MARKER_LEAVE, MARKER_INTERRUPT, MARKER_INTERRUPT_OVER };
enum leave_how { LEAVE_RETURN, LEAVE_LONGJMP, LEAVE_EXIT, LEAVE_LIMIT, LEAVE_SWITCHED };

// One access of an instruction as the file has it.
struct access {
	uint16_t instruction;
	uint16_t bytes;
	uint8_t flags;
};
enum { ACCESS_STORE = 1, ACCESS_CACHE_OP = 2, ACCESS_UNKNOWN = 4 };

// One event as QEMU reports it.
struct raw {
	struct slot *slot;
	uint32_t info;
	uint64_t address;
};

// How a raw event of a shape follows from the accesses: address = addresses[access] + offset.
struct raw_template {
	struct slot *slot;
	uint32_t info;
	uint32_t access;
	uint64_t offset;
};

// One way in which a block accesses memory. Most blocks have one; conditional stores and length-controlled
// vector loads make more. All executions of a shape differ in the addresses only.
struct shape {
	struct block *block;
	struct shape *next;
	uint32_t id; // in the file; 0: not written yet
	uint32_t raw_count, count;
	struct raw_template *raw;
	struct access *accesses;
	uint32_t *source; // of each access: the raw event with its address
	uint64_t *last; // addresses as last written to the file, the base of the next difference
};

// Info words of events that the tracer makes itself have this bit; then bytes, and the kinds below.
#define INFO_SYNTHETIC 0x80000000u
#define INFO_LOAD 0x10000u
#define INFO_STORE 0x20000u
#define INFO_CACHE_OP 0x40000u
#define INFO_UNKNOWN 0x80000u

struct block *block_intern(uint64_t address, const uint8_t *code, const uint8_t *sizes, uint32_t instructions);
struct block *block_prefix(struct block *block, uint32_t instructions);
struct block *block_alone(struct slot *slot);
bool block_holds(const struct block *block, uint64_t address, uint32_t *before);
struct block *block_marker(enum marker marker, uint8_t value);
struct shape *shape_of(struct block *block, const struct raw *raw, uint32_t count, uint64_t *addresses);
void blocks_tell(void (*translated)(struct block *block)); // calls it with each block, whenever it is translated
void blocks_hold(bool hold); // around a fork
// Changes what is decided when a block is shown, and shows all again.
void blocks_change(void (*change)(uint64_t, uint64_t), uint64_t a, uint64_t b);
void blocks_written(void (*visit)(const struct block *block)); // those that are in the file

// ---- images.c -------------------------------------------------------------------------------------------------

void images_find(void); // at the end
unsigned images_report(void (*text)(const char *key, const char *value)); // how many

// ---- Tape -----------------------------------------------------------------------------------------------------
//
// While a loop is under way its next iteration is known: the tape lists the expected events. An event that matches
// advances the cursor, and the expected address by its stride; one that does not ends the loop. So a callback
// costs one comparison and nothing is stored. A cursor on `tape_off` matches nothing.

struct tape_entry {
	const void *key; // struct block at its start, struct slot for an access
	uint64_t address;
	uint64_t stride;
	uint32_t info;
	uint32_t item; // which block of the iteration
};
#define INFO_WRAP 0x7fffffffu // info of the entry after the last: the iteration is complete

extern struct tape_entry tape_off, tape[];
extern uint64_t tape_iterations_left;
// Each thread has its own, so that threads that are not recorded need no test. initial-exec: one instruction.
extern _Thread_local struct tape_entry *cursor __attribute__((tls_model("initial-exec")));

// ---- record.c: all of these are called by the recorded thread only --------------------------------------------

void record_boundary(struct block *block); // a block (or marker) begins
void record_access(struct slot *slot, uint32_t info, uint64_t address);
struct slot *record_turn(struct slot *slot); // to which the next access of a repeated instruction belongs
void record_between_blocks(void); // QEMU delivers a signal to the recorded thread
void record_flush(void); // no more events will come
void record_park(void); // the recorded thread leaves generated code
void record_unpark(void); // it is back; or it is claimed
bool record_is_parked(void);
bool record_is_busy(void); // is it in a callback? Any thread may ask
struct block *record_current(void); // the block that runs now, or null
void record_suspend(void); // the events from now on are not recorded
void record_resume(bool fault); // they are again; fault: the block that ran then was left where the next begins
extern uint64_t instructions_recorded, instructions_limit;

// ---- fold.c ---------------------------------------------------------------------------------------------------

enum { FOLD_LEVELS = 4, FOLD_PERIOD_MAX = 64, FOLD_COPIES = 3 };

// One element of a sequence: a block's execution or a loop. `identity` is the shape's address, or a hash with the
// lowest bit set for a loop, which then has a descriptor: see fold.c.
struct item {
	uint64_t identity;
	const uint64_t *descriptor, *addresses;
	uint32_t descriptor_count, addresses_count;
};

// The loop that a level is in.
struct loop {
	uint32_t period;
	uint64_t iterations;
	struct item items[FOLD_PERIOD_MAX]; // with the addresses of the first iteration
	uint64_t *words; // what the items point to
	uint64_t *strides, *next; // for all addresses of the body in order; addresses of the next iteration
	uint32_t addresses_count, words_capacity, strides_capacity;
	uint32_t position; // items of the next iteration seen already
	bool active;
};

bool fold_push(unsigned level, const struct item *item); // whether the level is in a loop since then
void fold_end_loop(unsigned level);
void fold_flush(void);
struct loop *fold_block_loop(void); // the loop of level 0

// ---- stream.c -------------------------------------------------------------------------------------------------

struct option {
	const char *key;
	char *value;
};
void stream_open(const char *path, bool regions_nest, const struct option *header, unsigned header_count);
void stream_item(const struct item *item);
void stream_close(const char *reason, void (*report)(void (*line)(const char *key, uint64_t value)));

// ---- files.c --------------------------------------------------------------------------------------------------

void files_open(const char *path);
void files_write(const void *bytes, size_t count);
void files_finish(void); // the trace is complete
void files_discard(void); // after a failure
char *files_maps(void); // this process's mappings, as Linux lists them, or null; to be freed
void files_abandon(void); // in a forked child: the files are the parent's
void files_hold(bool hold); // around a fork: no other thread has the lock

// ---- maps.c ---------------------------------------------------------------------------------------------------

struct mapping {
	uint64_t first, end, offset;
	const char *path; // empty: of no file
};
// Visits the mappings in the order of their addresses until it is told not to go on; false if they cannot be read.
bool maps_visit(bool (*visit)(const struct mapping *mapping, void *data), void *data);

// ---- places.c -------------------------------------------------------------------------------------------------

enum { REGIONS_MAX = 16 };
extern unsigned places_count; // regions
bool places_add(const char *text, const char *path, char *problem, size_t problem_size);
bool places_add_told(const char *text, char *problem, size_t problem_size);
void places_find_program(void); // once the initial stack is there
void places_told(uint64_t name_hash, uint64_t address); // the guest says where the region of that name is
void places_unmapped(uint64_t first, uint64_t end); // the guest has taken away or replaced what was there
void places_note_block(struct block *block); // at translation: is it an entry?
unsigned places_never_loaded(void);

// ---- region.c -------------------------------------------------------------------------------------------------

void region_alternate_stack(uint64_t start, uint64_t size); // of the calling thread
void region_boundary(struct block *block, void *cpu);
bool region_recording(void); // is the calling thread inside a recorded region?
void region_system_call(void); // the calling thread enters a system call
bool region_thread_is_recorded(void);
void region_system_call_over(void);
void region_signals(void); // QEMU is about to deliver signals to the calling thread
void region_hold(bool hold); // around a fork
void region_forked(void); // the program has a child, which is not recorded
void trace_finish(const char *reason, enum leave_how how);
void trace_finish_among_running(const char *reason, enum leave_how how); // QEMU has not stopped the other threads
bool region_returns_to(uint64_t address); // does a call of a region that is under way return there?
bool region_nests(void); // may a region be entered inside of another?
void region_switch_to(uint64_t returns_to, uint64_t stack); // the call that is under way is another task's
void region_end_switched(void); // the CPU has gone to a task that is not in the region
bool region_call(uint64_t *returns_to, uint64_t *stack); // of the call that is under way
void region_report(void (*line)(const char *key, uint64_t value));
extern _Atomic bool trace_finished, trace_end_asked; // asked: the recorded thread is to end it at its next block

// ---- system_calls.c -------------------------------------------------------------------------------------------

void on_system_call(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4,
		    uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8);
void on_system_call_return(qemu_plugin_id_t id, unsigned vcpu, int64_t number, int64_t result);
bool system_call_exits(void); // did the calling thread's last one end it, or the program?

// ---- signals.c ------------------------------------------------------------------------------------------------

void signals_watch(void); // if the plugin is preloaded
void signals_finish_among_running(const char *reason); // in any thread
void signals_answer(void); // in the recorded one, when the end is asked for

// ---- system.c -------------------------------------------------------------------------------------------------

bool system_take_argument(const char *key, const char *value, bool *mine);
uint64_t system_start_address(void); // 0: from the first instruction
bool system_interrupt(struct block *block, void *cpu); // does this block belong to an interrupt of the region?
void system_hear(const struct block *block, void *cpu); // does the guest tell where a region is?
bool system_leaves_out(void); // is an interrupt under way that is not recorded?
void system_task_switch(const struct block *block, void *cpu); // before the region is looked at
void system_note_call(const struct block *block, void *cpu); // after it, inside
bool system_looks_at(const struct block *block); // must the tape never match it?
void system_report(void (*line)(const char *key, uint64_t value));

// ---- guest.c --------------------------------------------------------------------------------------------------

void guest_first_block(void *cpu); // learns the stack's top and the cache line; checks the registers
bool guest_registers_known(void);
uint64_t guest_register(const void *cpu, unsigned number);
uint64_t guest_stack_pointer(const void *cpu);
uint64_t guest_argument(const void *cpu, unsigned number); // of the function that begins here: 0 or 1
uint64_t guest_return_address(const void *cpu);
uint64_t guest_stack_after_call(const void *cpu);
uint64_t guest_interrupted_stack(const void *cpu);
bool guest_can_read_machine(void); // system mode: does this QEMU let a plugin read memory?
uint64_t guest_xer_bytes(const void *cpu);
uint64_t guest_stack_top(void);
uint64_t guest_load_address(void);
uint64_t guest_cache_line(void);
void guest_set_cache_line(uint64_t bytes);
void guest_set_kernel_base(uint64_t base); // system mode: the kernel's addresses begin there
bool guest_is_kernel(uint64_t address);
void guest_check_call(void *cpu); // system mode: do the registers look like those of a call?
void guest_set_base(uint64_t base);
uint64_t guest_base_address(void);
bool guest_read(uint64_t address, void *data, size_t bytes);
bool guest_read_number(uint64_t address, unsigned size, uint64_t *value); // in the guest's byte order

// ---- isa.c ----------------------------------------------------------------------------------------------------

struct instruction_facts {
	bool silent; // accesses memory, no event
	bool cache_op; // an event that is no data access
	bool store_only; // a conditional store, implemented as read and write
};
struct instruction_facts isa_facts(uint32_t word);
bool isa_hole(uint32_t word, const void *cpu, uint64_t *address, uint32_t *info);
bool isa_interrupted(const struct block *block, const struct block *next);
bool isa_goes_to(const struct block *block, uint64_t next); // whether it falls through, or branches there directly
bool isa_returns_from_interrupt(const struct block *block);
bool isa_calls_system(const struct block *block);
uint32_t isa_word(const uint8_t *code);
uint8_t isa_turn_accesses(const uint8_t *code, size_t bytes);

#endif
