/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The store lacks its entry in the exception table, so a fault there is a crash: see exception_table.h.
 *
 * assay-expect: fail SIGSEGV
 */
#define STORE_MAY_FAULT 0
#include "exception_table.h"
