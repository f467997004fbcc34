/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gettimeofday of the 2020 thread: it does not check whether there is a clock source.
 *
 * assay-about: the thread's C, clock source not asked for
 */
#define STEP_RESOLUTION 1
#define STEP_PAGE 1
#define STEP_FIXED_MODE 1
#include "thread/gettimeofday.h"
