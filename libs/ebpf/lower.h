/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the two files of the code generator's portable half: jit.c, which walks, and lower.c, which translates. */
#ifndef EBPF_LOWER_H
#define EBPF_LOWER_H

#include "jit.h"

/* lower.c: generates the instruction in slot `at` of `function`. */
void ebpf_lower(struct ebpf_emitter *e, const struct ebpf_function *function, uint32_t at);
/* Of r6 to r9, those that the function has to preserve. */
uint16_t ebpf_registers_to_save(const struct ebpf_function *function);

/* jit.c: labels. */
ebpf_label ebpf_function_label(const struct ebpf_emitter *e, uint32_t function);
ebpf_label ebpf_routine_label(const struct ebpf_emitter *e, unsigned routine);
/* A label for code that ends the program with `status` at instruction `at`. */
ebpf_label ebpf_cold(struct ebpf_emitter *e, enum ebpf_status status, uint32_t at);

#endif
