/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Non-temporal: for lines that a slice reads a single time.
 *
 * assay-about: prefetchnta, for one use
 */
#define HINT(address) __asm__ volatile("prefetchnta (%0)" : : "r"(address))
#include "cache_log_prefetch/loop.h"
