/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The cases that bpf_conformance reads, one after the other. */
#ifndef ASSAY_WORKLOADS_BPF_CASES_H
#define ASSAY_WORKLOADS_BPF_CASES_H

#include "bpf.h"

enum { PROGRAM_MAX = 1024, MEMORY_BYTES_MAX = 4096 };

/* The two ways of loading a program; bpf_conformance.c describes them. */
enum way { OPTIMISED, KEPT, WAYS };
struct suite_case {
	const char *name;
	struct instruction program[PROGRAM_MAX];
	unsigned int length;
	uint8_t memory[MEMORY_BYTES_MAX];
	unsigned int memory_bytes;
	uint64_t result;
	const char *refusals[WAYS];
};

/* Both exit with status 2 and a message if the file or a line of it is malformed. */
void open_cases(const char *path);
bool next_case(struct suite_case *test);

_Noreturn void give_up(const char *what, const char *which);

#endif
