/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * 32 bytes at a time with LASX: see vectors.h.
 *
 * assay-requires: lasx
 */
#define VECTOR_SHIFT 5
#define VECTOR $xr0
#define V(instruction) xv##instruction
#include "vectors.h"
