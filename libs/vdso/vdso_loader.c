// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See vdso_loader.h. The layouts are the ELF specification's (gABI 4.1, chapter 5) and its GNU extension for versions. */
#include "vdso_loader.h"

#include <stdbool.h>

#if __SIZEOF_POINTER__ == 8
enum { CLASS = 2 };
typedef uint64_t word;
struct program_header {
	uint32_t type, flags;
	uint64_t offset, address, physical, file_bytes, memory_bytes, alignment;
};
struct symbol {
	uint32_t name;
	uint8_t info, other;
	uint16_t section;
	uint64_t value, bytes;
};
#else
enum { CLASS = 1 };
typedef uint32_t word;
struct program_header {
	uint32_t type, offset, address, physical, file_bytes, memory_bytes, flags, alignment;
};
struct symbol {
	uint32_t name, value, bytes;
	uint8_t info, other;
	uint16_t section;
};
#endif

struct header {
	unsigned char identity[16];
	uint16_t type, machine;
	uint32_t version;
	word entry, program_headers, section_headers;
	uint32_t flags;
	uint16_t header_bytes, program_header_bytes, program_headers_count;
	uint16_t section_header_bytes, section_headers_count, section_names;
};

struct dynamic {
	word tag, value;
};

struct version_definition {
	uint16_t revision, flags, index, auxiliaries_count;
	uint32_t hash, auxiliary, next;
};

enum { TYPE_SHARED = 3, SEGMENT_LOAD = 1, SEGMENT_DYNAMIC = 2, FLAG_BASE = 1, SECTION_UNDEFINED = 0 };
enum { BIND_GLOBAL = 1, BIND_WEAK = 2 };
enum {
	DT_NULL = 0,
	DT_PLTRELSZ = 2,
	DT_HASH = 4,
	DT_STRTAB = 5,
	DT_SYMTAB = 6,
	DT_RELASZ = 8,
	DT_STRSZ = 10,
	DT_SONAME = 14,
	DT_RELSZ = 18
};
#define DT_GNU_HASH 0x6ffffef5
#define DT_VERSYM 0x6ffffff0
#define DT_VERDEF 0x6ffffffc
#define DT_VERDEFNUM 0x6ffffffd

#if defined(__powerpc64__)
enum { MACHINE = 21 };
#elif defined(__powerpc__)
enum { MACHINE = 20 };
#elif defined(__x86_64__)
enum { MACHINE = 62 };
#elif defined(__aarch64__)
enum { MACHINE = 183 };
#elif defined(__riscv)
enum { MACHINE = 243 };
#elif defined(__loongarch__)
enum { MACHINE = 258 };
#endif

const char *vdso_loader_describe(enum vdso_loader_result result)
{
	switch (result) {
	case VDSO_LOADER_OK:
		return "loaded";
	case VDSO_LOADER_NOT_ELF:
		return "is not an ELF shared object of this architecture";
	case VDSO_LOADER_NO_SEGMENT:
		return "has no loadable segment, or one that is longer than the file";
	case VDSO_LOADER_NO_DYNAMIC:
		return "has no dynamic section with symbols, strings and a hash table";
	case VDSO_LOADER_OUT_OF_BOUNDS:
		return "has a table that lies outside the file";
	case VDSO_LOADER_NEEDS_RELOCATION:
		return "has relocations, which a vDSO cannot have";
	}
	return "unknown";
}

static bool inside(const struct vdso_image *image, uint64_t offset, uint64_t bytes)
{
	return offset <= image->bytes && bytes <= image->bytes - offset;
}

static bool same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

/* A string of the image; "" if its offset is invalid. The table's last byte is known to be 0. */
static const char *string_at(const struct vdso_image *image, uint64_t offset)
{
	return offset < image->strings_bytes ? image->strings + offset : "";
}

static bool is_ours(const struct header *header)
{
	static const unsigned char magic[4] = { 0x7f, 'E', 'L', 'F' };
	int data = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 2 : 1;

	for (int i = 0; i < 4; i++)
		if (header->identity[i] != magic[i])
			return false;
	return header->identity[4] == CLASS && header->identity[5] == data && header->type == TYPE_SHARED &&
	       header->machine == MACHINE && header->program_header_bytes == sizeof(struct program_header);
}

/* What the dynamic section says, still as addresses in the image. */
struct tables {
	word hash, gnu_hash, strings, strings_bytes, symbols, versions, definitions, definitions_count, soname, relocations;
	bool has_hash, has_gnu_hash, has_strings, has_symbols;
};

static void read_dynamic(const struct dynamic *dynamic, size_t count, struct tables *tables)
{
	for (; count && dynamic->tag != DT_NULL; count--, dynamic++) {
		switch (dynamic->tag) {
		case DT_HASH:
			tables->hash = dynamic->value;
			tables->has_hash = true;
			break;
		case DT_GNU_HASH:
			tables->gnu_hash = dynamic->value;
			tables->has_gnu_hash = true;
			break;
		case DT_STRTAB:
			tables->strings = dynamic->value;
			tables->has_strings = true;
			break;
		case DT_SYMTAB:
			tables->symbols = dynamic->value;
			tables->has_symbols = true;
			break;
		case DT_STRSZ:
			tables->strings_bytes = dynamic->value;
			break;
		case DT_SONAME:
			tables->soname = dynamic->value;
			break;
		case DT_VERSYM:
			tables->versions = dynamic->value;
			break;
		case DT_VERDEF:
			tables->definitions = dynamic->value;
			break;
		case DT_VERDEFNUM:
			tables->definitions_count = dynamic->value;
			break;
		case DT_RELASZ:
		case DT_RELSZ:
		case DT_PLTRELSZ:
			tables->relocations |= dynamic->value;
			break;
		}
	}
}

/*
 * Addresses in the dynamic section count from the segment's address, or from 0 once a dynamic linker (glibc, for the kernel's
 * image on some architectures) has added the base to them in place.
 */
static uint64_t offset_of(const struct vdso_image *image, word address, word segment)
{
	word offset = address - segment;

	return offset < image->bytes ? offset : (word)(address - (uintptr_t)image->base);
}

/*
 * GNU's hash table does not tell how many symbols there are. A bucket has the first symbol of its chain; the symbols of a chain
 * are behind each other, and the last one's entry has bit 0 set. So the symbols end with the chain of the highest bucket.
 */
static bool count_by_gnu_hash(struct vdso_image *image, uint64_t at)
{
	const uint32_t *header = (const uint32_t *)(image->base + at), *buckets;
	uint64_t chains;
	uint32_t last = 0, first;

	if (at & 3 || !inside(image, at, 16))
		return false;
	first = header[1];
	/* Behind the header are a filter of words, the buckets, and an entry for each symbol from the first that is hashed. */
	at += 16 + (uint64_t)header[2] * sizeof(word);
	chains = at + (uint64_t)header[0] * 4;
	if (!inside(image, at, (uint64_t)header[0] * 4))
		return false;
	buckets = (const uint32_t *)(image->base + at);
	for (uint32_t i = 0; i < header[0]; i++)
		last = buckets[i] > last ? buckets[i] : last;
	image->symbols_count = first;
	if (last < first)
		return true;
	for (at = chains + (uint64_t)(last - first) * 4;; at += 4, last++) {
		if (!inside(image, at, 4))
			return false;
		if (*(const uint32_t *)(image->base + at) & 1)
			break;
	}
	image->symbols_count = last + 1;
	return true;
}

/* The number of symbols, by either hash table. */
static bool count_symbols(struct vdso_image *image, const struct tables *tables, word segment)
{
	uint64_t hash = offset_of(image, tables->hash, segment);

	if (!tables->has_hash)
		return count_by_gnu_hash(image, offset_of(image, tables->gnu_hash, segment));
	if (hash & 3 || !inside(image, hash, 8))
		return false;
	/* The second word of the hash table is the number of its chain's entries: one a symbol. */
	image->symbols_count = ((const uint32_t *)(image->base + hash))[1];
	return true;
}

static enum vdso_loader_result take_tables(struct vdso_image *image, const struct tables *tables, word segment)
{
	uint64_t strings = offset_of(image, tables->strings, segment), symbols = offset_of(image, tables->symbols, segment);
	uint64_t versions = offset_of(image, tables->versions, segment);
	uint64_t definitions = offset_of(image, tables->definitions, segment);

	if (!count_symbols(image, tables, segment) || !inside(image, strings, tables->strings_bytes) ||
	    tables->strings_bytes == 0 || image->base[strings + tables->strings_bytes - 1] != 0)
		return VDSO_LOADER_OUT_OF_BOUNDS;
	image->strings = (const char *)image->base + strings;
	image->strings_bytes = tables->strings_bytes;
	if (symbols % sizeof(word) || !inside(image, symbols, (uint64_t)image->symbols_count * sizeof(struct symbol)))
		return VDSO_LOADER_OUT_OF_BOUNDS;
	image->symbols = image->base + symbols;
	if (tables->versions) {
		if (versions & 1 || !inside(image, versions, (uint64_t)image->symbols_count * 2))
			return VDSO_LOADER_OUT_OF_BOUNDS;
		image->versions = (const uint16_t *)(image->base + versions);
	}
	if (tables->definitions) {
		if (definitions & 3 || !inside(image, definitions, sizeof(struct version_definition)))
			return VDSO_LOADER_OUT_OF_BOUNDS;
		image->definitions = image->base + definitions;
		image->definitions_count = (uint32_t)tables->definitions_count;
	}
	image->soname = string_at(image, tables->soname);
	return VDSO_LOADER_OK;
}

enum vdso_loader_result vdso_image_open(struct vdso_image *image, const void *base, size_t bytes)
{
	const struct header *header = base;
	const struct program_header *segment, *load = NULL, *dynamic = NULL;
	struct tables tables = { 0 };

	*image = (struct vdso_image){ .base = base, .bytes = bytes };
	if (bytes < sizeof(*header) || !is_ours(header))
		return VDSO_LOADER_NOT_ELF;
	if (header->program_headers % sizeof(word) ||
	    !inside(image, header->program_headers, (uint64_t)header->program_headers_count * sizeof(*segment)))
		return VDSO_LOADER_OUT_OF_BOUNDS;
	segment = (const struct program_header *)(image->base + header->program_headers);
	for (unsigned int i = 0; i < header->program_headers_count; i++) {
		if (segment[i].type == SEGMENT_LOAD && !load)
			load = &segment[i];
		if (segment[i].type == SEGMENT_DYNAMIC)
			dynamic = &segment[i];
	}
	if (!load || load->offset != 0 || !inside(image, 0, load->file_bytes))
		return VDSO_LOADER_NO_SEGMENT;
	if (!dynamic)
		return VDSO_LOADER_NO_DYNAMIC;
	if (dynamic->offset % sizeof(word) || !inside(image, dynamic->offset, dynamic->file_bytes))
		return VDSO_LOADER_OUT_OF_BOUNDS;
	read_dynamic((const struct dynamic *)(image->base + dynamic->offset), dynamic->file_bytes / sizeof(struct dynamic),
		     &tables);
	if ((!tables.has_hash && !tables.has_gnu_hash) || !tables.has_strings || !tables.has_symbols)
		return VDSO_LOADER_NO_DYNAMIC;
	if (tables.relocations)
		return VDSO_LOADER_NEEDS_RELOCATION;
	image->linked_at = (uintptr_t)load->address;
	return take_tables(image, &tables, load->address);
}

/* The name of a version by its index. The chain may only go forward, so even a hostile one ends. */
static const char *version_named(const struct vdso_image *image, unsigned int index)
{
	uint64_t at = (uint64_t)(image->definitions - image->base);

	for (uint32_t i = 0; i < image->definitions_count; i++) {
		const struct version_definition *definition;

		if (at & 3 || !inside(image, at, sizeof(*definition)))
			return NULL;
		definition = (const struct version_definition *)(image->base + at);
		if (definition->index == index && !(definition->flags & FLAG_BASE)) {
			uint64_t auxiliary = at + definition->auxiliary;

			if (auxiliary & 3 || !inside(image, auxiliary, 8))
				return NULL;
			return string_at(image, *(const uint32_t *)(image->base + auxiliary));
		}
		if (definition->next == 0)
			return NULL;
		at += definition->next;
	}
	return NULL;
}

_Bool vdso_image_export(const struct vdso_image *image, uint32_t index, struct vdso_image_export *export)
{
	const struct symbol *symbol;
	unsigned int bind;
	word offset;

	if (index >= image->symbols_count)
		return 0;
	symbol = (const struct symbol *)image->symbols + index;
	bind = symbol->info >> 4;
	/* The dynamic linker that adds the base to the dynamic section's addresses leaves the symbols as they were linked. */
	offset = symbol->value - (word)image->linked_at;
	if (symbol->section == SECTION_UNDEFINED || (bind != BIND_GLOBAL && bind != BIND_WEAK) || !inside(image, offset, 0) ||
	    offset == 0)
		return 0;
	*export = (struct vdso_image_export){
		.name = string_at(image, symbol->name),
		.version = NULL,
		.address = image->base + offset,
		.bytes = (size_t)symbol->bytes,
		.weak = bind == BIND_WEAK,
	};
	/* Bit 15 hides a symbol from links without a version; 0 and 1 are local and unversioned. */
	if (image->versions && image->definitions && (image->versions[index] & 0x7fff) > 1)
		export->version = version_named(image, image->versions[index] & 0x7fff);
	return 1;
}

void *vdso_image_symbol(const struct vdso_image *image, const char *name, const char *version)
{
	for (uint32_t i = 1; i < image->symbols_count; i++) {
		struct vdso_image_export export;

		if (vdso_image_export(image, i, &export) && same(export.name, name) &&
		    (!version || (export.version && same(export.version, version))))
			return (void *)(uintptr_t)export.address;
	}
	return NULL;
}
