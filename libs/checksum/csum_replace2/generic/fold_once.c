/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All three terms in 32 bits, folded at the end by rotating: fewer steps than bringing each carry round.
 *
 * assay-about: three terms in 32 bits, one fold
 */
#include "checksum.h"

uint16_t csum_replace2(uint16_t check, uint16_t from, uint16_t to)
{
	uint32_t total = (uint32_t)(uint16_t)~check + (uint16_t)~from + to;

	total += total >> 16 | total << 16;
	return (uint16_t)~(total >> 16);
}
