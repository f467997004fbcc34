/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What regcheck's own files and its architectures share. */
#ifndef REGCHECK_INTERNAL_H
#define REGCHECK_INTERNAL_H

#include "regcheck.h"

#include <stdbool.h>

/* The classes of registers, in the order of the table. */
enum regcheck_class { CLASS_GENERAL, CLASS_CONDITION, CLASS_FLOATING, CLASS_VECTOR, CLASS_CONTROL, CLASS_COUNT };

/* One register, or a part of one: bytes offset to offset + 7 of struct registers as an integer, under a mask. */
struct regcheck_register {
	enum regcheck_class class;
	const char *name;
	unsigned int offset;
	uint64_t mask;
};

#if defined(__x86_64__)
#include "arch/x86_64.h"
#elif defined(__powerpc64__)
#include "arch/power64.h"
#elif defined(__powerpc__)
#include "arch/powerpc.h"
#elif defined(__aarch64__)
#include "arch/aarch64.h"
#elif defined(__riscv)
#include "arch/riscv64.h"
#elif defined(__loongarch__)
#include "arch/loongarch64.h"
#else
#error "regcheck has no register list for this architecture"
#endif

/* All registers that a call preserves, as regcheck_cross loads and stores them. */
struct registers {
	_Alignas(16) unsigned char bytes[REGISTERS_BYTES];
};

/* Fills every register from `fill`, calls `cross`, and stores every register to `seen`. In arch/ARCH.S. */
void regcheck_cross(void (*cross)(void), const struct registers *fill, struct registers *seen);

/* The system, with a libc (host_libc.c) or without (host_bare.c). */
void regcheck_write(const char *text);
int regcheck_main(int argc, char **argv);

#endif
