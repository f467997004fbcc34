/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The time by a clock, asked through a pointer as a program asks the vDSO. */
#include "driver.h"

struct timespec32 {
	uint32_t seconds, nanoseconds;
};

int gettime(unsigned long clock, struct timespec32 *result);

static int (*volatile entry)(unsigned long clock, struct timespec32 *result) = gettime;
static struct timespec32 result;

void prepare(unsigned long clock)
{
	require(clock <= 1);
}

void call(unsigned long clock)
{
	entry(clock, &result);
}
