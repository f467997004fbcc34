/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Every access that may fault has its entry in the exception table: see exception_table.h. */
#define STORE_MAY_FAULT 1
#include "exception_table.h"
