// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// Writes the content of the trace file. docs/trace-format.md describes it; the only other writer is the small one in
// crates/trace.

#include "tracer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { FRAME_BYTES = 1 << 20, FRAME_SLACK = 1 << 20, TEXT_MAX = 1 << 12, ZSTD_LEVEL = 3 };
enum { RECORD_END, RECORD_BLOCK, RECORD_SHAPE, RECORD_LOOP, RECORD_FIRST_SHAPE };

struct counts {
	uint64_t instructions, loads, stores, cache_ops, blocks, entries, unknown;
};

static struct {
	uint8_t *buffer; // of one frame
	size_t used;
	uint8_t *compressed;
	ZSTD_CCtx *zstd;
	uint32_t blocks, shapes; // defined so far
	uint64_t last_block_address;
	struct counts counts;
} stream;

// ---- Bytes ----------------------------------------------------------------------------------------------------

static size_t encode_varint(uint8_t *out, uint64_t value)
{
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		out[n++] = (uint8_t)(value | 0x80);
	out[n++] = (uint8_t)value;
	return n;
}

static void put(uint64_t value)
{
	stream.used += encode_varint(stream.buffer + stream.used, value);
}

static void put_signed(uint64_t value)
{
	put(value << 1 ^ (uint64_t)((int64_t)value >> 63));
}

static void put_bytes(const void *bytes, size_t count)
{
	memcpy(stream.buffer + stream.used, bytes, count);
	stream.used += count;
}

static void put_text(const char *text)
{
	size_t length = strlen(text);

	if (length > TEXT_MAX)
		length = TEXT_MAX;
	put(length);
	put_bytes(text, length);
}

static void flush_frame(void)
{
	uint8_t prefix[20];
	size_t n = encode_varint(prefix, stream.used);

	if (!stream.used)
		return;
	size_t size = ZSTD_compress2(stream.zstd, stream.compressed, ZSTD_compressBound(FRAME_BYTES + FRAME_SLACK),
				     stream.buffer, stream.used);
	if (ZSTD_isError(size))
		tracer_fatal("zstd: %s", ZSTD_getErrorName(size));
	n += encode_varint(prefix + n, size);
	files_write(prefix, n);
	files_write(stream.compressed, size);
	stream.used = 0;
}

// ---- The file -------------------------------------------------------------------------------------------------

void stream_open(const char *path, bool regions_nest, const struct option *header, unsigned header_count)
{
	static const uint8_t magic[8] = { 0x89, 'A', 'S', 'S', 'A', 'Y', 'T', '\n' };
	uint8_t prefix[10];

	stream.buffer = malloc(FRAME_BYTES + FRAME_SLACK);
	stream.compressed = malloc(ZSTD_compressBound(FRAME_BYTES + FRAME_SLACK));
	stream.zstd = ZSTD_createCCtx();
	if (!stream.buffer || !stream.compressed || !stream.zstd)
		tracer_fatal("out of memory");
	ZSTD_CCtx_setParameter(stream.zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	ZSTD_CCtx_setParameter(stream.zstd, ZSTD_c_checksumFlag, 1);
	files_open(path);
	size_t n = encode_varint(prefix, system_mode ? 2 : regions_nest ? 4 : 1); // docs/trace-format.md
	n += encode_varint(prefix + n, target->arch);
	files_write(magic, sizeof(magic));
	files_write(prefix, n);
	put(header_count);
	for (unsigned i = 0; i < header_count; i++) {
		put_text(header[i].key);
		put_text(header[i].value);
	}
	flush_frame();
}

// ---- Records --------------------------------------------------------------------------------------------------

static void define_block(struct block *block)
{
	uint32_t n = block->instructions;
	bool uniform = true;

	for (uint32_t i = 1; i < n; i++)
		uniform &= block->sizes[i] == block->sizes[0];
	put(RECORD_BLOCK);
	put_signed(block->address - stream.last_block_address);
	stream.last_block_address = block->address;
	put(n);
	put(uniform ? block->sizes[0] : 0);
	if (!uniform)
		put_bytes(block->sizes, n);
	put_bytes(block->code, block->end - block->address);
	block->id = ++stream.blocks;
}

static void define_shape(struct shape *shape)
{
	struct block *block = shape->block;
	uint16_t instruction = 0;

	if (!block->marker && !block->id)
		define_block(block);
	put(RECORD_SHAPE);
	put(block->marker ? 0 : block->id);
	if (block->marker) {
		put(block->marker);
		put(block->marker_value);
	}
	put(shape->count);
	for (uint32_t i = 0; i < shape->count; i++) {
		put_signed((uint64_t)shape->accesses[i].instruction - instruction);
		instruction = shape->accesses[i].instruction;
		put(shape->accesses[i].bytes);
		put(shape->accesses[i].flags);
	}
	shape->id = ++stream.shapes;
	if (stream.used > FRAME_BYTES)
		flush_frame();
}

static struct shape *shape_from(uint64_t identity)
{
	return (struct shape *)(uintptr_t)identity;
}

// Definitions come before the record that needs them, because they are not allowed inside a loop.
static void define_all(uint64_t identity, const uint64_t *descriptor)
{
	if (!(identity & 1)) {
		if (!shape_from(identity)->id)
			define_shape(shape_from(identity));
		return;
	}
	const uint64_t *d = descriptor + 2;
	for (uint64_t i = 0; i < descriptor[1]; i++) {
		define_all(d[0], d + 3);
		d += 3 + d[1];
	}
}

static void count_shape(const struct shape *shape, struct counts *sum)
{
	sum->blocks += !shape->block->marker;
	sum->entries += shape->block->marker == MARKER_ENTER;
	sum->instructions += shape->block->instructions;
	for (uint32_t i = 0; i < shape->count; i++) {
		uint8_t flags = shape->accesses[i].flags;

		sum->unknown += (flags & ACCESS_UNKNOWN) != 0;
		if (flags & ACCESS_CACHE_OP)
			sum->cache_ops++;
		else if (flags & ACCESS_STORE)
			sum->stores++;
		else
			sum->loads++;
	}
}

static void add_counts(struct counts *sum, const struct counts *part, uint64_t times)
{
	sum->instructions += part->instructions * times;
	sum->loads += part->loads * times;
	sum->stores += part->stores * times;
	sum->cache_ops += part->cache_ops * times;
	sum->blocks += part->blocks * times;
	sum->entries += part->entries * times;
	sum->unknown += part->unknown * times;
}

static void put_item(uint64_t identity, const uint64_t *descriptor, const uint64_t *addresses, uint32_t addresses_count,
		     struct counts *sum)
{
	if (!(identity & 1)) {
		struct shape *shape = shape_from(identity);

		put(RECORD_FIRST_SHAPE - 1 + shape->id);
		for (uint32_t i = 0; i < shape->count; i++) {
			put_signed(addresses[i] - shape->last[i]);
			shape->last[i] = addresses[i];
		}
		count_shape(shape, sum);
		return;
	}
	struct counts body = { 0 };
	const uint64_t *d = descriptor + 2;
	put(RECORD_LOOP);
	put(descriptor[0]);
	put(descriptor[1]);
	for (uint64_t i = 0; i < descriptor[1]; i++) {
		put_item(d[0], d + 3, addresses, (uint32_t)d[2], &body);
		addresses += d[2];
		d += 3 + d[1];
	}
	for (uint32_t i = 0; i < addresses_count; i++)
		put_signed(d[i]);
	add_counts(sum, &body, descriptor[0]);
}

void stream_item(const struct item *item)
{
	define_all(item->identity, item->descriptor);
	put_item(item->identity, item->descriptor, item->addresses, item->addresses_count, &stream.counts);
	if (stream.used > FRAME_BYTES)
		flush_frame();
}

// ---- The end --------------------------------------------------------------------------------------------------

static uint32_t end_lines;

static void count_line(const char *key, uint64_t value)
{
	(void)key, (void)value;
	end_lines++;
}

static void put_line(const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	put_text(key);
	put_text(text);
}

static void put_text_line(const char *key, const char *value)
{
	put_text(key);
	put_text(value);
}

static void put_end(const char *reason, void (*report)(void (*line)(const char *key, uint64_t value)))
{
	const struct counts *c = &stream.counts;

	end_lines = 0;
	report(count_line);
	images_find();
	put(RECORD_END);
	put(8 + end_lines + images_report(NULL));
	put_text("end");
	put_text(reason);
	put_line("instructions", c->instructions);
	put_line("loads", c->loads);
	put_line("stores", c->stores);
	put_line("cache_operations", c->cache_ops);
	put_line("blocks", c->blocks);
	put_line("region_entries", c->entries);
	put_line("unknown_addresses", c->unknown);
	report(put_line);
	images_report(put_text_line);
}

void stream_close(const char *reason, void (*report)(void (*line)(const char *key, uint64_t value)))
{
	put_end(reason, report);
	flush_frame();
	files_finish();
}
