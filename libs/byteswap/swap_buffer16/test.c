/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is checked and timed is in common/buffer_test.h. */
#define SWAP		swap_buffer16
#define REFERENCE	swap_buffer16_reference
#define BITS		16
#include "common/buffer_test.h"
