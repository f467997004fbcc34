/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is checked and timed is in common/register_test.h. */
#define SWAP		swap64
#define REFERENCE	swap64_reference
#define BITS		64
#define VALUE		uint64_t
#include "common/register_test.h"
