/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is checked and timed is in common/register_test.h. */
#define SWAP		swap16
#define REFERENCE	swap16_reference
#define BITS		16
#define VALUE		unsigned long
#include "common/register_test.h"
