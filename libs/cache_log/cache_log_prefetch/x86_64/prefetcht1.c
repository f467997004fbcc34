/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Into the second level and beyond: the lines of a table larger than the first level would evict each other there.
 *
 * assay-about: prefetcht1, past the first level
 */
#define HINT(address) __asm__ volatile("prefetcht1 (%0)" : : "r"(address))
#include "cache_log_prefetch/loop.h"
