/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Into the second level: the lines of a table larger than the first level would evict each other there.
 *
 * assay-about: prfm pldl2keep, into the second level
 */
#define HINT(address) __asm__ volatile("prfm pldl2keep, [%0]" : : "r"(address))
#include "cache_log_prefetch/loop.h"
