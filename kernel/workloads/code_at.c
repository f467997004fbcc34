/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "code_at.h"

#include "bpf.h"

__attribute__((noinline)) void assay_code_at(uintptr_t address, uint32_t name_hash)
{
	__asm__ volatile("" : : "r"(address), "r"(name_hash));
}

static uint32_t hash(const char *name)
{
	uint32_t h = 0x811c9dc5;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 0x01000193;
	return h;
}

uint32_t tell_program(long file, const char *name)
{
	uint64_t address = 0;
	struct program_info information = { .addresses_count = 1, .addresses = (uintptr_t)&address };
	struct info info = { .file = (uint32_t)file, .bytes = sizeof(information), .to = (uintptr_t)&information };

	if (CALL(SYS_BPF, OBJ_GET_INFO, &info, sizeof(info)) || !information.compiled_bytes)
		return 0;
	if (*name && address)
		assay_code_at((uintptr_t)address, hash(name));
	return information.compiled_bytes;
}
