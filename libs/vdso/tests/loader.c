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

void test_loader(const char *path, uint64_t cases)
{
	static unsigned char good[65536] __attribute__((aligned(8)));
	size_t bytes = read_image(path, good, sizeof(good));
	/* The image ends where an inaccessible page begins, so that reading behind it is found. */
	struct assay_region region = assay_region_new(sizeof(good));
	unsigned char *copy = region.end - ((bytes + 7) & ~(size_t)7);
	struct vdso_image image;

	group_start();
	bytes = (bytes + 7) & ~(size_t)7;
	memcpy(copy, good, bytes);
	bare_expect(vdso_image_open(&image, copy, bytes) == VDSO_LOADER_OK, "the image itself is refused");
	for (size_t short_by = 8; short_by < bytes; short_by += 8)
		memcpy(region.end - (bytes - short_by), good, bytes - short_by),
			walk(region.end - (bytes - short_by), bytes - short_by);
	for (uint64_t i = 0; i < cases; i++) {
		memcpy(copy, good, bytes);
		for (unsigned int n = 1 + assay_random_below(8); n; n--)
			copy[assay_random_below(i & 1 ? 1536 : (uint32_t)bytes)] = (unsigned char)assay_random();
		walk(copy, bytes);
	}
	bare_passed++;
	group_end("images that are broken or cut", cases + bytes / 8);
}
