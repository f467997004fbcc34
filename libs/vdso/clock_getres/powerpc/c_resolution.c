/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * clock_getres of the 2020 thread: the resolution is read for a clock that has it, and only then.
 *
 * assay-about: the thread's C, resolution read when needed
 */
#define STEP_RESOLUTION 1
#include "thread/clock_getres.h"
