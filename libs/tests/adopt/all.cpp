/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The same as C++. */
#include "all.c"
