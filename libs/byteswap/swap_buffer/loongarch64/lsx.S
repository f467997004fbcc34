/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * 16 bytes at a time with LSX: see vectors.h.
 *
 * assay-requires: lsx
 */
#define VECTOR_SHIFT 4
#define VECTOR $vr0
#define V(instruction) v##instruction
#include "vectors.h"
