/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Go's ClearFat: an array of so many bytes is cleared. clear_fat.S has the call itself. */
#include "driver.h"

extern uint64_t array[256];
uint64_t array[256];

void prepare(unsigned long bytes)
{
	require(bytes >= 8 && bytes <= sizeof(array) && bytes % 8 == 0);
}
