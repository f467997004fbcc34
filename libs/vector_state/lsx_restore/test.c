/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is checked and timed is in common/state_test.h. */
#define FACILITY lsx
#include "common/state_test.h"
