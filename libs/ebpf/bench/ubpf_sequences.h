/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef EBPF_BENCH_UBPF_SEQUENCES_H
#define EBPF_BENCH_UBPF_SEQUENCES_H

#include "programs.h"

/* Code for a bench program as ubpf would generate it; bytes of code, or 0 if there is an instruction it does not know. */
size_t ubpf_sequences(const struct bench_slot *slots, size_t count, uint8_t *code, size_t capacity);

/* How the code is called: memory and its length as ubpf passes them, and the lowest address of 512 bytes of stack. */
typedef uint64_t (*ubpf_function)(void *memory, size_t bytes, void *stack);

#endif
