/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For writing: the line comes in an exclusive state, so a store need not request it again.
 *
 * assay-about: prfm pstl1keep, for writing
 */
#define HINT(address) __asm__ volatile("prfm pstl1keep, [%0]" : : "r"(address))
#include "cache_log_prefetch/loop.h"
