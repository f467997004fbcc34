/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For writing: hint 8 of preld.
 *
 * assay-about: preld 8, for writing
 */
#define HINT(address) __asm__ volatile("preld 8, %0, 0" : : "r"(address))
#include "cache_log_prefetch/loop.h"
