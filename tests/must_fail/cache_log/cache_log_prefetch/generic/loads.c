/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loads the lines instead of prefetching them: faults where nothing is mapped.
 *
 * assay-expect: fail SIG
 */
#define HINT(address) (void)*(volatile const char *)(address)
#include "cache_log_prefetch/loop.h"
