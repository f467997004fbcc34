/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Each addition in 32 bits with its carry brought round at once, the form of the kernel's csum_add.
 *
 * assay-about: two 32-bit additions, each with its carry brought round, one fold
 */
#include "checksum.h"

static uint32_t add(uint32_t a, uint32_t b)
{
	a += b;
	return a + (a < b);
}

uint16_t csum_replace4(uint16_t check, uint32_t from, uint32_t to)
{
	uint32_t total = add(add((uint16_t)~check, ~from), to);

	total += total >> 16 | total << 16;
	return (uint16_t)~(total >> 16);
}
