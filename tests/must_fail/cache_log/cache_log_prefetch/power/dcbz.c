/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dcbz instead of dcbt: zeroes the task's lines, and faults where nothing is mapped.
 *
 * assay-expect: fail SIG
 */
#define HINT(address) __asm__ volatile("dcbz 0, %0" : : "r"(address) : "memory")
#include "cache_log_prefetch/loop.h"
