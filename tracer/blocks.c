// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// Blocks and their shapes. A block is interned by its address and bytes, because QEMU may translate the same code again
// at any time, and because a JIT may put other code at the same address, which is then another block.
//
// A shape is one sequence of accesses that a block has made. QEMU reports a 16-byte access as two of 8, a 32-byte one as
// four, and length-controlled vector accesses byte by byte: parts of one instruction's access that are adjacent in
// memory become one access here.

#include "tracer.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1 << 16, SHAPES_PER_BLOCK_MAX = 1 << 16, ACCESS_BYTES_MAX = 1 << 15 };

static struct block *buckets[BUCKETS];

static void *allocate(size_t count, size_t size)
{
	void *new = calloc(count ? count : 1, size);

	if (!new)
		tracer_fatal("out of memory");
	return new;
}

static uint64_t hash(uint64_t address, const uint8_t *code, size_t bytes)
{
	uint64_t h = address;

	for (size_t i = 0; i < bytes; i++)
		h = (h ^ code[i]) * 0x100000001b3u;
	return h ^ h >> 32;
}

static void add_slots(struct block *block)
{
	const uint8_t *code = block->code;

	block->slots = allocate(block->instructions, sizeof(*block->slots));
	for (uint32_t i = 0; i < block->instructions; i++) {
		struct slot *slot = &block->slots[i];
		uint32_t word = block->sizes[i] == 4 ? isa_word(code) : 0;
		struct instruction_facts facts = isa_facts(word);

		*slot = (struct slot){ block, (uint16_t)i, facts.cache_op, facts.store_only, facts.silent, .word = word };
		slot->turn_accesses = isa_turn_accesses(code, block->sizes[i]);
		code += block->sizes[i];
	}
	if (block->instructions && block->slots[block->instructions - 1].silent)
		block->tail_hole = &block->slots[block->instructions - 1];
}

static void (*show)(struct block *block);

void blocks_tell(void (*translated)(struct block *block))
{
	show = translated;
}

static struct block *intern(uint64_t address, const uint8_t *code, const uint8_t *sizes, uint32_t instructions)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < instructions; i++)
		bytes += sizes[i];
	struct block **bucket = &buckets[hash(address, code, bytes) % BUCKETS];
	for (struct block *b = *bucket; b; b = b->next)
		if (b->address == address && b->instructions == instructions && b->end == address + bytes &&
		    !memcmp(b->code, code, bytes) && !memcmp(b->sizes, sizes, instructions)) {
			if (show)
				show(b); // it may have come from another file
			return b;
		}
	struct block *block = allocate(1, sizeof(*block));
	block->address = address;
	block->end = address + bytes;
	block->instructions = instructions;
	block->code = allocate(bytes, 1);
	memcpy(block->code, code, bytes);
	block->sizes = allocate(instructions, 1);
	memcpy(block->sizes, sizes, instructions);
	add_slots(block);
	if (show)
		show(block);
	block->next = *bucket;
	*bucket = block;
	return block;
}

// Other threads may translate while the recorded one asks for a prefix.
static pthread_mutex_t intern_lock = PTHREAD_MUTEX_INITIALIZER;

struct block *block_intern(uint64_t address, const uint8_t *code, const uint8_t *sizes, uint32_t instructions)
{
	pthread_mutex_lock(&intern_lock);
	struct block *block = intern(address, code, sizes, instructions);
	pthread_mutex_unlock(&intern_lock);
	return block;
}

void blocks_change(void (*change)(uint64_t, uint64_t), uint64_t a, uint64_t b)
{
	pthread_mutex_lock(&intern_lock);
	change(a, b);
	for (unsigned i = 0; i < BUCKETS; i++)
		for (struct block *block = buckets[i]; block && show; block = block->next)
			show(block);
	pthread_mutex_unlock(&intern_lock);
}

void blocks_written(void (*visit)(const struct block *block))
{
	for (unsigned i = 0; i < BUCKETS; i++)
		for (const struct block *block = buckets[i]; block; block = block->next)
			if (block->id)
				visit(block);
}

void blocks_hold(bool hold)
{
	(hold ? pthread_mutex_lock : pthread_mutex_unlock)(&intern_lock);
}

// The block's first instructions alone.
struct block *block_prefix(struct block *block, uint32_t instructions)
{
	return block_intern(block->address, block->code, block->sizes, instructions);
}

// One instruction of it.
struct block *block_alone(struct slot *slot)
{
	const struct block *block = slot->block;
	uint64_t before = 0;

	for (uint32_t i = 0; i < slot->index; i++)
		before += block->sizes[i];
	if (!slot->alone)
		slot->alone = block_intern(block->address + before, block->code + before, block->sizes + slot->index, 1);
	return slot->alone;
}

// Does an instruction of the block begin there? Then says how many are before it.
bool block_holds(const struct block *block, uint64_t address, uint32_t *before)
{
	uint64_t at = block->address;
	uint32_t index = 0;

	while (at < address && index < block->instructions)
		at += block->sizes[index++];
	*before = index;
	return at == address && index < block->instructions;
}

struct block *block_marker(enum marker marker, uint8_t value)
{
	static struct block *markers[MARKER_INTERRUPT_OVER + 1][256];
	struct block **place = &markers[marker][value];

	if (!*place) {
		*place = allocate(1, sizeof(**place));
		(*place)->marker = (uint8_t)marker;
		(*place)->marker_value = value;
	}
	return *place;
}

// ---- Shapes ---------------------------------------------------------------------------------------------------

static uint32_t info_bytes(uint32_t info)
{
	return info & INFO_SYNTHETIC ? info & 0xffff : 1u << qemu_plugin_mem_size_shift(info);
}

static unsigned event_kinds(const struct raw *raw)
{
	uint32_t info = raw->info;

	if (raw->slot->store_only)
		return QEMU_MEMORY_WRITE;
	if (info & INFO_SYNTHETIC)
		return (info & INFO_STORE ? QEMU_MEMORY_WRITE : 0) | (info & INFO_LOAD ? QEMU_MEMORY_READ : 0);
	// An atomic read-modify-write is one event with both bits, for which the interface has no function.
	unsigned kinds = info >> 16 & 3;
	return kinds == QEMU_MEMORY_BOTH ? kinds : qemu_plugin_mem_is_store(info) ? QEMU_MEMORY_WRITE : QEMU_MEMORY_READ;
}

static uint8_t access_flags(const struct slot *slot, uint32_t info, bool store)
{
	uint8_t flags = store ? ACCESS_STORE : 0;

	if (slot->cache_op || (info & INFO_SYNTHETIC && info & INFO_CACHE_OP))
		flags = ACCESS_CACHE_OP;
	if (info & INFO_SYNTHETIC && info & INFO_UNKNOWN)
		flags |= ACCESS_UNKNOWN;
	return flags;
}

// Do these raw events have this shape? Then writes the accesses' addresses.
static bool matches(const struct shape *shape, const struct raw *raw, uint32_t count, uint64_t *addresses)
{
	if (shape->raw_count != count)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (shape->raw[i].slot != raw[i].slot || shape->raw[i].info != raw[i].info)
			return false;
	for (uint32_t i = 0; i < shape->count; i++)
		addresses[i] = raw[shape->source[i]].address;
	for (uint32_t i = 0; i < count; i++) {
		const struct raw_template *t = &shape->raw[i];

		if (addresses[t->access] + t->offset != raw[i].address)
			return false;
	}
	return true;
}

static void add_access(struct shape *shape, const struct raw *raw, uint32_t i, bool store)
{
	struct access access = { raw->slot->index, (uint16_t)info_bytes(raw->info), access_flags(raw->slot, raw->info, store) };

	shape->accesses[shape->count] = access;
	shape->source[shape->count++] = i;
}

// Makes the raw event a part of the instruction's last access if it begins where that ends.
static bool merge(struct shape *shape, const struct raw *raw, uint32_t i)
{
	if (!shape->count || event_kinds(&raw[i]) == QEMU_MEMORY_BOTH)
		return false;
	struct access *last = &shape->accesses[shape->count - 1];
	const struct raw *head = &raw[shape->source[shape->count - 1]];
	uint32_t bytes = info_bytes(raw[i].info);
	uint8_t flags = access_flags(raw[i].slot, raw[i].info, event_kinds(&raw[i]) == QEMU_MEMORY_WRITE);

	if (head->slot != raw[i].slot || last->flags != flags || flags & ACCESS_UNKNOWN ||
	    head->address + last->bytes != raw[i].address || last->bytes + bytes > ACCESS_BYTES_MAX)
		return false;
	shape->raw[i].access = shape->count - 1;
	shape->raw[i].offset = last->bytes;
	last->bytes = (uint16_t)(last->bytes + bytes);
	return true;
}

static struct shape *new_shape(struct block *block, const struct raw *raw, uint32_t count)
{
	struct shape *shape = allocate(1, sizeof(*shape));

	if (++block->shapes_count > SHAPES_PER_BLOCK_MAX)
		tracer_fatal("the block at 0x%llx accesses memory in more than %d ways", (unsigned long long)block->address,
			     SHAPES_PER_BLOCK_MAX);
	shape->block = block;
	shape->raw_count = count;
	shape->raw = allocate(count, sizeof(*shape->raw));
	shape->accesses = allocate(2 * count, sizeof(*shape->accesses));
	shape->source = allocate(2 * count, sizeof(*shape->source));
	for (uint32_t i = 0; i < count; i++) {
		unsigned kinds = event_kinds(&raw[i]);

		shape->raw[i] = (struct raw_template){ raw[i].slot, raw[i].info, shape->count, 0 };
		if (merge(shape, raw, i))
			continue;
		if (kinds & QEMU_MEMORY_READ)
			add_access(shape, &raw[i], i, false);
		if (kinds & QEMU_MEMORY_WRITE)
			add_access(shape, &raw[i], i, true);
	}
	shape->last = allocate(shape->count, sizeof(*shape->last));
	shape->next = block->shapes;
	block->shapes = shape;
	return shape;
}

struct shape *shape_of(struct block *block, const struct raw *raw, uint32_t count, uint64_t *addresses)
{
	for (struct shape **link = &block->shapes; *link; link = &(*link)->next) {
		struct shape *shape = *link;

		if (matches(shape, raw, count, addresses)) {
			*link = shape->next; // most recent first
			shape->next = block->shapes;
			block->shapes = shape;
			return shape;
		}
	}
	struct shape *shape = new_shape(block, raw, count);
	for (uint32_t i = 0; i < shape->count; i++)
		addresses[i] = raw[shape->source[i]].address;
	return shape;
}
