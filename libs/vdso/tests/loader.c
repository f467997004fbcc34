// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The loader on an image that is cut or has other bytes: it refuses or answers, and reads nothing outside. */
#include "reader_support.h"
#include "vdso_loader.h"

static size_t read_image(const char *path, unsigned char *to, size_t bytes_max)
{
	long file = bare_call(SYS_OPENAT, (uintptr_t)-100, (uintptr_t)path, 0, 0), bytes;

	if (file < 0)
		assay_die("%s cannot be opened (errno %ld)", path, -file);
	bytes = bare_call(SYS_READ, (uintptr_t)file, (uintptr_t)to, bytes_max);
	if (bytes <= 0)
		assay_die("%s cannot be read", path);
	return (size_t)bytes;
}

static void walk(const unsigned char *base, size_t bytes)
{
	struct vdso_image image;
	struct vdso_image_export export;
	volatile char seen;

	if (vdso_image_open(&image, base, bytes) != VDSO_LOADER_OK)
		return;
	for (uint32_t i = 0; i < image.symbols_count; i++)
		if (vdso_image_export(&image, i, &export))
			for (const char *c = export.name; *c; c++)
				seen = *c;
	(void)seen;
	vdso_image_symbol(&image, "no such symbol", "no such version");
}

/* Where ELF has what prelinking changes, in bytes, for words of 4 and of 8. */
#define BY_WORD(four, eight) (sizeof(uintptr_t) == 8 ? (eight) : (four))
enum { DYNAMIC = 2, HASH = 4, STRTAB = 5, SYMTAB = 6, DEBUG = 21 };
#define GNU_HASH 0x6ffffef5

static uintptr_t *word_at(unsigned char *base, size_t offset)
{
	return (uintptr_t *)(void *)(base + offset);
}

static void move_dynamic(uintptr_t *dynamic, uintptr_t by)
{
	for (; dynamic[0]; dynamic += 2)
		if ((dynamic[0] >= HASH && dynamic[0] <= SYMTAB) || dynamic[0] == GNU_HASH || dynamic[0] == 0x6ffffff0 ||
		    dynamic[0] == 0x6ffffffc)
			dynamic[1] += by;
}

/* As an image is when its linker was given an address; returns its dynamic section. */
static uintptr_t *prelink(unsigned char *base, size_t bytes, uintptr_t address)
{
	unsigned char *header = base + *word_at(base, BY_WORD(28, 32));
	unsigned int headers_count = *(uint16_t *)(void *)(base + BY_WORD(44, 56));
	struct vdso_image image;
	uintptr_t *dynamic = NULL;

	vdso_image_open(&image, base, bytes);
	for (uint32_t i = 1; i < image.symbols_count; i++)
		*word_at((unsigned char *)(uintptr_t)image.symbols, i * BY_WORD(16u, 24u) + BY_WORD(4, 8)) += address;
	for (; headers_count; headers_count--, header += BY_WORD(32, 56)) {
		*word_at(header, BY_WORD(8, 16)) += address;
		if (*(uint32_t *)(void *)header == DYNAMIC)
			dynamic = word_at(base, *word_at(header, BY_WORD(4, 8)));
	}
	move_dynamic(dynamic, address);
	return dynamic;
}

/* As a linker makes it that writes GNU's hash table alone: the other one's entry becomes one that no loader reads. */
static void keep_gnu_hash(uintptr_t *dynamic)
{
	for (; dynamic[0]; dynamic += 2)
		if (dynamic[0] == HASH)
			dynamic[0] = DEBUG;
}

static void expect_same_exports(const unsigned char *good, const unsigned char *other, size_t bytes, const char *what)
{
	struct vdso_image image, moved;
	struct vdso_image_export is, should;
	_Bool opened = vdso_image_open(&image, good, bytes) == VDSO_LOADER_OK &&
		       vdso_image_open(&moved, other, bytes) == VDSO_LOADER_OK;

	bare_expect(opened, "%s: refused", what);
	if (!opened)
		return;
	bare_expect(moved.symbols_count == image.symbols_count, "%s: %u symbols, not %u", what, moved.symbols_count,
		    image.symbols_count);
	for (uint32_t i = 0; i < image.symbols_count; i++) {
		_Bool exported = vdso_image_export(&image, i, &should);

		bare_expect(vdso_image_export(&moved, i, &is) == exported &&
				    (!exported ||
				     (const unsigned char *)is.address - other == (const unsigned char *)should.address - good),
			    "%s: symbol %u is elsewhere", what, i);
	}
	bare_expect(!vdso_image_export(&moved, UINT32_MAX, &is), "%s: a symbol that is none", what);
}

void test_loader(const char *path, uint64_t cases)
{
	static unsigned char good[65536] __attribute__((aligned(8))), gnu[65536] __attribute__((aligned(8)));
	size_t bytes = read_image(path, good, sizeof(good));
	/* The image ends where an inaccessible page begins, so that reading behind it is found. */
	struct assay_region region = assay_region_new(sizeof(good));
	unsigned char *copy = region.end - ((bytes + 7) & ~(size_t)7);
	struct vdso_image image;

	group_start();
	bytes = (bytes + 7) & ~(size_t)7;
	memcpy(copy, good, bytes);
	bare_expect(vdso_image_open(&image, copy, bytes) == VDSO_LOADER_OK, "the image itself is refused");
	/* Kernels with VDSO_PRELINK; then after glibc's dynamic linker, which adds where the image is to where it should be. */
	prelink(copy, bytes, 0x100000);
	expect_same_exports(good, copy, bytes, "an image that was linked for an address");
	memcpy(copy, good, bytes);
	move_dynamic(prelink(copy, bytes, 0x100000), (uintptr_t)copy - 0x100000);
	expect_same_exports(good, copy, bytes, "the same, loaded");
	memcpy(gnu, good, bytes);
	keep_gnu_hash(prelink(gnu, bytes, 0));
	expect_same_exports(good, gnu, bytes, "an image with GNU's hash table alone");
	memcpy(copy, gnu, bytes);
	move_dynamic(prelink(copy, bytes, 0x100000), (uintptr_t)copy - 0x100000);
	expect_same_exports(good, copy, bytes, "the same, linked for an address and loaded");
	for (size_t short_by = 8; short_by < bytes; short_by += 8)
		memcpy(region.end - (bytes - short_by), good, bytes - short_by),
			walk(region.end - (bytes - short_by), bytes - short_by);
	for (uint64_t i = 0; i < cases; i++) {
		memcpy(copy, i & 2 ? gnu : good, bytes);
		for (unsigned int n = 1 + assay_random_below(8); n; n--)
			copy[assay_random_below(i & 1 ? 1536 : (uint32_t)bytes)] = (unsigned char)assay_random();
		walk(copy, bytes);
	}
	bare_passed++;
	group_end("images that are broken or cut", cases + bytes / 8);
}
