/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Each addition in 16 bits with its carry brought round at once, the form of the kernel's csum16_add.
 *
 * assay-about: two 16-bit additions, each with its carry brought round
 */
#include "checksum.h"

static uint16_t add(uint16_t a, uint16_t b)
{
	uint16_t sum = (uint16_t)(a + b);

	return (uint16_t)(sum + (sum < b));
}

uint16_t csum_replace2(uint16_t check, uint16_t from, uint16_t to)
{
	return (uint16_t)~add(add((uint16_t)~check, (uint16_t)~from), to);
}
