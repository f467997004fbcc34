/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads a vDSO image in memory: the kernel's own (AT_SYSINFO_EHDR) or one of ours. Needs no libc.
 *
 * Every offset in the image is checked against its size, so a truncated or hostile file is refused, not followed.
 */
#ifndef VDSO_LOADER_H
#define VDSO_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum vdso_loader_result {
	VDSO_LOADER_OK = 0,
	VDSO_LOADER_NOT_ELF, /* no ELF header, or another machine's */
	VDSO_LOADER_NO_SEGMENT, /* no loadable segment, or one that lies outside the file */
	VDSO_LOADER_NO_DYNAMIC, /* no dynamic section, or without symbols, strings or a hash table */
	VDSO_LOADER_OUT_OF_BOUNDS, /* a table lies outside the image */
	VDSO_LOADER_NEEDS_RELOCATION, /* only a dynamic linker could load it */
};

const char *vdso_loader_describe(enum vdso_loader_result result);

struct vdso_image {
	const unsigned char *base;
	size_t bytes;
	uintptr_t linked_at; /* the address that the image was linked for: 0, but for a prelinked one */
	const void *symbols;
	const char *strings;
	const uint16_t *versions; /* NULL: none */
	const unsigned char *definitions;
	uint32_t symbols_count;
	size_t strings_bytes;
	uint32_t definitions_count;
	const char *soname;
};

/* `bytes` is what may be read from `base` on; the kernel's image is at least a page. */
enum vdso_loader_result vdso_image_open(struct vdso_image *image, const void *base, size_t bytes);

/* The address of an exported symbol; NULL if there is none. `version` may be NULL: any. */
void *vdso_image_symbol(const struct vdso_image *image, const char *name, const char *version);

struct vdso_image_export {
	const char *name;
	const char *version; /* NULL: none */
	const void *address;
	size_t bytes;
	bool weak;
};

/* The exported symbol with this index, 1 to symbols_count - 1; false if that one is not exported. */
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" /* g++ takes a function of a struct's name for one that hides its constructor */
#endif
bool vdso_image_export(const struct vdso_image *image, uint32_t index, struct vdso_image_export *found);
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#ifdef __cplusplus
}
#endif

#endif
