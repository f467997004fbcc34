/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks and bench of csum_replace4: a field of 32 bits. */
#define NAME "csum_replace4"
#define REPLACE csum_replace4
#define REFERENCE csum_replace4_reference
#define FIELD uint32_t
#define PASS_FIELD assay_u32
#include "replace_test.h"
