/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Nineteen registers are saved and loaded again: 0 by one instruction each way, 1 by nineteen. */
#include "driver.h"

void save_multiple(uint32_t *room);
void save_single(uint32_t *room);

static uint32_t room[32];

void prepare(unsigned long form)
{
	require(form <= 1);
}

void call(unsigned long form)
{
	(form ? save_single : save_multiple)(room);
}
