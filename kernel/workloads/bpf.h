/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What our programs pass to bpf(2): commands, attributes and instructions as linux/bpf.h lays them out. */
#ifndef ASSAY_WORKLOADS_BPF_H
#define ASSAY_WORKLOADS_BPF_H

#include "freestanding.h"

enum { MAP_CREATE = 0, MAP_LOOKUP = 1, MAP_UPDATE = 2, PROG_LOAD = 5, PROG_TEST_RUN = 10, OBJ_GET_INFO = 15 };
enum { SOCKET_FILTER = 1, MAP_ARRAY = 2 };
/* A program's accesses need not be aligned, even if the kernel asks for that by default; needs CAP_BPF then. */
enum { ANY_ALIGNMENT = 2 };

struct map {
	uint32_t type, key_bytes, value_bytes, entries;
	uint8_t rest[64];
};

struct map_element {
	uint32_t file, padding;
	uint64_t key, value, flags;
};

struct load {
	uint32_t type, count;
	uint64_t instructions, license;
	uint32_t log_level, log_size;
	uint64_t log;
	uint32_t kernel_version, flags;
	char name[16];
	uint8_t rest[56];
};

struct test_run {
	uint32_t file, result, in_bytes, out_bytes;
	uint64_t in, out;
	uint32_t repeat, duration;
	uint8_t rest[40];
};

struct info {
	uint32_t file, bytes;
	uint64_t to;
};

struct program_info {
	uint32_t type, id;
	uint8_t tag[8];
	uint32_t compiled_bytes, checked_bytes;
	uint64_t compiled, checked;
	uint8_t between[64];
	uint32_t addresses_count, lengths_count;
	uint64_t addresses; /* where to store the address of each function that the JIT has compiled */
	uint8_t rest[112];
};

struct instruction {
	uint8_t code;
	/* As in linux/bpf.h: the ABI of each byte order allocates bit-fields in its own order. */
	uint8_t to : 4, from : 4;
	int16_t offset;
	int32_t value;
};

/*
 * Whether this is Linux before 6.6, which refuses the instructions of cpu=v4: unconditional swaps, sign-extending loads
 * and moves, signed division and long jumps.
 */
static inline bool lacks_v4(void)
{
	char text[16] = "";
	long file = CALL(SYS_OPENAT, AT_FDCWD, "/proc/sys/kernel/osrelease", 0);
	unsigned int version[2] = { 0, 0 }, part = 0;

	if (file < 0 || CALL(SYS_READ, file, text, sizeof(text) - 1) <= 0) {
		say(ERRORS, "/proc/sys/kernel/osrelease cannot be read\n");
		leave(2);
	}
	(void)CALL(SYS_CLOSE, file);
	for (const char *at = text; part < 2 && ((*at >= '0' && *at <= '9') || *at == '.'); at++) {
		if (*at == '.')
			part++;
		else
			version[part] = version[part] * 10 + (unsigned int)(*at - '0');
	}
	return version[0] < 6 || (version[0] == 6 && version[1] < 6);
}

/* Whether the instruction is one of cpu=v4's. */
static inline bool is_of_v4(const struct instruction *at)
{
	uint8_t class = at->code & 7, operation = at->code & 0xf0;
	bool computes = class == 4 || class == 7;

	return at->code == 0xd7 || at->code == 0x06 || (at->code & 0xe7) == 0x81 ||
	       (computes && at->offset && (operation == 0xb0 || operation == 0x30 || operation == 0x90));
}

#endif
