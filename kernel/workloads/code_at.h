/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tells a trace where the kernel has put a program of BPF, which has no symbol in any file. */
#ifndef ASSAY_WORKLOADS_CODE_AT_H
#define ASSAY_WORKLOADS_CODE_AT_H

#include <stdint.h>

/*
 * The tracer looks for this function's entry and takes its arguments; the function itself does nothing. The name is told by
 * its hash, FNV-1a of 32 bits, since the tracer reads registers alone.
 */
void assay_code_at(uintptr_t address, uint32_t name_hash);

/*
 * Of a program that was loaded: tells where its code is, under a name (without one, nothing is told). Returns the bytes of its
 * code, or 0 where the interpreter runs it.
 */
uint32_t tell_program(long file, const char *name);

#endif
