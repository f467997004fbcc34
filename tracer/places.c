// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// Where regions of interest are in memory: at a fixed address, in a file that is loaded at an address of its own, or where
// the guest says. A file's place is found by the first of its blocks that is translated, and holds until it is unmapped.

#define _GNU_SOURCE
#include "tracer.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct region {
	char *name, *path; // path: of the file that has it, if that is loaded at an address of its own
	uint64_t address, local; // in the file; local == address where there is no local entry point
	uint64_t base;
	uint32_t told_as; // the hash of the name under which the guest tells where it is
	bool told, placed, ever_placed;
};

static struct region regions[REGIONS_MAX];
unsigned places_count;
static unsigned unplaced_count;

// Where the `:0xHEX` begins that ends at `end` and has something before it, or null.
static const char *address_before(const char *text, const char *end)
{
	const char *digits = end;

	while (digits > text && isxdigit((unsigned char)digits[-1]))
		digits--;
	return digits < end && digits - text > 3 && !strncmp(digits - 3, ":0x", 3) ? digits - 3 : NULL;
}

// NAME:0xADDRESS[:0xLOCAL]; the name may have colons itself, so it is read from its end.
bool places_add(const char *text, const char *path, char *problem, size_t problem_size)
{
	struct region *r = &regions[places_count];
	const char *last = address_before(text, text + strlen(text)), *first = last ? address_before(text, last) : NULL;

	if (places_count == REGIONS_MAX) {
		snprintf(problem, problem_size, "more than %d regions", REGIONS_MAX);
		return false;
	}
	if (!last) {
		snprintf(problem, problem_size, "roi=%s is not NAME:0xADDRESS[:0xLOCAL_ENTRY]", text);
		return false;
	}
	first = first ? first : last;
	r->name = strndup(text, (size_t)(first - text));
	r->address = strtoull(first + 1, NULL, 16);
	r->local = strtoull(last + 1, NULL, 16);
	r->path = path ? realpath(path, NULL) : NULL; // as /proc/self/maps has it
	if (path && !r->path) {
		snprintf(problem, problem_size, "image=%s: %s", path, strerror(errno));
		return false;
	}
	r->placed = r->ever_placed = !path;
	unplaced_count += !r->placed;
	places_count++;
	return true;
}

// NAME:0xHASH: where it is, the guest will say.
bool places_add_told(const char *text, char *problem, size_t problem_size)
{
	struct region *r = &regions[places_count];

	if (!places_add(text, NULL, problem, problem_size))
		return false;
	r->told_as = (uint32_t)r->address;
	r->told = true;
	r->placed = r->ever_placed = false;
	unplaced_count++;
	return true;
}

// Code of that name may be made again elsewhere; then it is there that the region is.
static void place_told(uint64_t name_hash, uint64_t address)
{
	for (unsigned i = 0; i < places_count; i++) {
		struct region *r = &regions[i];

		if (!r->told || r->told_as != (uint32_t)name_hash)
			continue;
		unplaced_count -= !r->placed;
		r->address = r->local = address;
		r->placed = r->ever_placed = true;
	}
}

void places_told(uint64_t name_hash, uint64_t address)
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
	for (unsigned i = 0; i < places_count; i++) {
		struct region *r = &regions[i];

		if (!r->placed && r->path && !strcmp(path, r->path)) {
			r->base = base;
			r->placed = r->ever_placed = true;
			unplaced_count--;
		}
	}
}

// The auxiliary vector says where the program itself is: QEMU does not always map it, but may read a small file.
void places_find_program(void)
{
	const char *given = qemu_plugin_path_to_binary ? qemu_plugin_path_to_binary() : NULL;
	char *path = given ? realpath(given, NULL) : NULL;

	if (path && guest_load_address())
		place_regions(path, guest_load_address());
	free(path);
}

// Where to look for a block, and the file whose mappings are under way.
struct search {
	uint64_t address, start;
	const char *path;
};

static bool look_at_mapping(const struct mapping *mapping, void *data)
{
	struct search *search = data;
	uint64_t base = guest_base_address();

	if (*mapping->path && strcmp(search->path, mapping->path)) {
		search->path = mapping->offset == 0 ? mapping->path : "";
		search->start = mapping->first;
	}
	if (search->address < mapping->first - base || search->address >= mapping->end - base)
		return true;
	if (known_count < sizeof(known) / sizeof(known[0])) {
		known[known_count].first = mapping->first - base;
		known[known_count++].end = mapping->end - base;
	}
	if (*mapping->path && !strcmp(search->path, mapping->path))
		place_regions(search->path, search->start - base);
	return false;
}

// Finds the file that a block is in. Its load address is the first mapping of its offset 0 in an unbroken run of its
// mappings: a small file has several of those, and QEMU itself may have mapped it elsewhere.
static void look_at_maps(uint64_t address)
{
	struct search search = { address, 0, "" };

	maps_visit(look_at_mapping, &search);
}

// A library may go, and come back elsewhere, or another may come to its place.
static void forget(uint64_t first, uint64_t end)
{
	for (unsigned i = 0; i < known_count;)
		if (known[i].first < end && first < known[i].end)
			known[i] = known[--known_count];
		else
			i++;
	for (unsigned i = 0; i < places_count; i++) {
		struct region *r = &regions[i];
		uint64_t at = r->base + r->address;

		if (r->path && r->placed && at >= first && at < end) {
			r->placed = false;
			unplaced_count++;
		}
	}
}

void places_unmapped(uint64_t first, uint64_t end)
{
	bool any = false;

	for (unsigned i = 0; i < places_count; i++)
		any |= regions[i].path != NULL;
	if (any)
		blocks_change(forget, first, end);
}

unsigned places_never_loaded(void)
{
	unsigned never = 0;

	for (unsigned i = 0; i < places_count; i++)
		never += !regions[i].ever_placed;
	return never;
}

void places_note_block(struct block *block)
{
	uint8_t entry_of = 0;

	if (unplaced_count && !system_mode && !is_known(block->address))
		look_at_maps(block->address);
	for (unsigned i = 0; i < places_count; i++) {
		const struct region *r = &regions[i];

		if (r->placed && (block->address == r->base + r->address || block->address == r->base + r->local))
			entry_of = (uint8_t)(i + 1);
	}
	block->entry_of = entry_of;
}
