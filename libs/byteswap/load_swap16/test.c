/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is checked and timed is in common/load_test.h. */
#define LOAD		load_swap16
#define REFERENCE	load_swap16_reference
#define BITS		16
#define VALUE		unsigned long
#include "common/load_test.h"
