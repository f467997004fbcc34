/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is checked and timed is in common/store_test.h. */
#define STORE		store_swap32
#define REFERENCE	store_swap32_reference
#define BITS		32
#define VALUE		unsigned long
#include "common/store_test.h"
