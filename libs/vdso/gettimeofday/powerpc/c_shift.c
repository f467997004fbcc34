/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gettimeofday of the 2020 thread: shifting is written in 32-bit operations, which is the end of the series.
 *
 * assay-about: the thread's C, final form: shift in 32-bit operations
 */
#define STEP_RESOLUTION 1
#define STEP_PAGE 1
#define STEP_FIXED_MODE 1
#define STEP_SHIFT 1
#include "thread/gettimeofday.h"
