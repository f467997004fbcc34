// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// Which files the recorded code came from, and where they were loaded, so that a reader can name functions. The mappings are
// read when the recording ends: a library that was unloaded before is not found.

#define _GNU_SOURCE
#include "tracer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGES_MAX = 128, MAPPINGS_MAX = 4096 };

struct image {
	uint64_t start; // of the mapping of its offset 0, in the guest's addresses
	char *path;
	bool used; // a block of the trace is in it
};

static struct image images[IMAGES_MAX];
static unsigned images_count;
static struct {
	uint64_t first, end;
	unsigned image;
} mappings[MAPPINGS_MAX];
static unsigned mappings_count;

static bool note_mapping(const struct mapping *mapping, void *nothing)
{
	struct image *last = images_count ? &images[images_count - 1] : NULL;
	uint64_t base = guest_base_address(), first = mapping->first - base;

	(void)nothing;
	if (!*mapping->path || mapping->first < base)
		return true;
	// An unbroken run of mappings of one file; it begins where offset 0 is.
	if (!last || strcmp(last->path, mapping->path)) {
		if (mapping->offset || images_count == IMAGES_MAX)
			return true;
		images[images_count++] = (struct image){ first, strdup(mapping->path), false };
	}
	if (mappings_count < MAPPINGS_MAX) {
		mappings[mappings_count].first = first;
		mappings[mappings_count].end = mapping->end - base;
		mappings[mappings_count++].image = images_count - 1;
	}
	return true;
}

static void note_block(const struct block *block)
{
	unsigned low = 0, high = mappings_count; // they are in the order of their addresses

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (mappings[middle].end <= block->address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < mappings_count && mappings[low].first <= block->address)
		images[mappings[low].image].used = true;
}

static bool is_known(const char *path)
{
	for (unsigned i = 0; i < images_count; i++)
		if (images[i].used && !strcmp(images[i].path, path))
			return true;
	return false;
}

// A small program may have been read instead of mapped; its auxiliary vector says where it is.
static void note_program(void)
{
	// A QEMU that ends before it has loaded a program has no path, and crashes when asked for it.
	bool loaded = qemu_plugin_path_to_binary && guest_load_address();
	const char *given = loaded ? qemu_plugin_path_to_binary() : NULL;
	char *path = given ? realpath(given, NULL) : NULL;

	if (path && !is_known(path) && images_count < IMAGES_MAX)
		images[images_count++] = (struct image){ guest_load_address(), path, true };
	else
		free(path);
}

void images_find(void)
{
	if (system_mode || !maps_visit(note_mapping, NULL))
		return;
	blocks_written(note_block);
	note_program();
}

unsigned images_report(void (*text)(const char *key, const char *value))
{
	unsigned count = 0;

	for (unsigned i = 0; i < images_count; i++) {
		char value[4400];

		if (!images[i].used)
			continue;
		count++;
		snprintf(value, sizeof(value), "0x%" PRIx64 ":%s", images[i].start, images[i].path);
		if (text)
			text("image", value);
	}
	return count;
}
