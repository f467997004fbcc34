/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The library's own hint: for reading, into all levels.
 *
 * assay-about: the library's hint, for reading, into all levels
 */
#define HINT(address) cache_log_prefetch_line(address)
#include "cache_log_prefetch/loop.h"
