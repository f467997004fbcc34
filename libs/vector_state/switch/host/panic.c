// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* context_panic for programs with a libc: the message on standard error, and abort(). */
#ifndef CONTEXT_DEBUG
#define CONTEXT_DEBUG
#endif
#include "../context_switch.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void context_panic(const char *message)
{
	fprintf(stderr, "%s\n", message);
	abort();
}
