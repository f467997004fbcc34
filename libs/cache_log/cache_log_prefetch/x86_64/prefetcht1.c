/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Into the second level and beyond: a table larger than the first level would only push its own lines out of there.
 *
 * assay-about: prefetcht1, past the first level
 */
#define HINT(address) __asm__ volatile("prefetcht1 (%0)" : : "r"(address))
#include "cache_log_prefetch/loop.h"
