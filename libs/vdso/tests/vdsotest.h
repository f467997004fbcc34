/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The verbs of the test program; each is one file. They print records, one a line, fields separated by tabs. */
#ifndef VDSO_TEST_H
#define VDSO_TEST_H

#include "machine.h"

/* A whole `milliseconds` for each of the sixteen interfaces, and the others that the image has. */
void test_verify(struct machine *machine, const struct vdso_calls *calls, uint64_t milliseconds);
void test_abi(struct machine *machine, const struct vdso_calls *calls);
void test_bench(struct machine *machine, uint64_t milliseconds, uint64_t rounds);
void test_torture(struct machine *machine, uint64_t milliseconds, uint64_t update_ns);
void test_hostile(struct machine *machine, uint64_t pages);

#endif
