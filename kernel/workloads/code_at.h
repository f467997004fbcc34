/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reports to the tracer where the kernel has put the code of a BPF program, which has no symbol in any file. */
#ifndef ASSAY_WORKLOADS_CODE_AT_H
#define ASSAY_WORKLOADS_CODE_AT_H

#include <stdint.h>

/*
 * The tracer watches this function's entry and reads its arguments; the function itself does nothing. The name is
 * passed as its hash, FNV-1a of 32 bits, since the tracer only reads registers.
 */
void assay_code_at(uintptr_t address, uint32_t name_hash);

/*
 * Reports the address of a loaded program's code under a name; with an empty name, nothing is reported. Returns the
 * length of the code in bytes, or 0 if the interpreter runs the program.
 */
uint32_t tell_program(long file, const char *name);

#endif
