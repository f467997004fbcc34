/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * clock_getres of the 2020 thread: generic C as it was first, which finds the page by a call.
 *
 * assay-about: the thread's C, first form
 */

#include "thread/clock_getres.h"
