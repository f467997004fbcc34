/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * clock_getres of the 2020 thread: the entry in assembly finds the page and hands it on.
 *
 * assay-about: the thread's C, page found by the entry
 */
#define STEP_RESOLUTION 1
#define STEP_PAGE 1
#include "thread/clock_getres.h"
