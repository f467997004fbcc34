/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is checked and timed is in common/load_test.h. */
#define LOAD		load_swap64
#define REFERENCE	load_swap64_reference
#define BITS		64
#define VALUE		uint64_t
#include "common/load_test.h"
