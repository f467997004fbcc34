/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The resolution of a clock, asked through a pointer as a program asks the vDSO. */
#include "driver.h"

struct resolution {
	uint32_t seconds, nanoseconds;
};

int getres(unsigned long clock, struct resolution *result);

static int (*volatile entry)(unsigned long clock, struct resolution *result) = getres;
static struct resolution result;

void prepare(unsigned long clock)
{
	require(clock <= 15);
}

void call(unsigned long clock)
{
	entry(clock, &result);
}
