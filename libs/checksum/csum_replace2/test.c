/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks and bench of csum_replace2: a field of 16 bits. */
#define NAME "csum_replace2"
#define REPLACE csum_replace2
#define REFERENCE csum_replace2_reference
#define FIELD uint16_t
#define PASS_FIELD assay_u16
#include "replace_test.h"
