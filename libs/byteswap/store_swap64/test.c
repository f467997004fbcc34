/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is checked and timed is in common/store_test.h. */
#define STORE		store_swap64
#define REFERENCE	store_swap64_reference
#define BITS		64
#define VALUE		uint64_t
#include "common/store_test.h"
