/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All terms in 64 bits, folded to 32 and 16 at the end by rotating.
 *
 * assay-about: three terms in 64 bits, two folds
 * assay-requires: 64-bit
 */
#include "checksum.h"

uint16_t csum_replace4(uint16_t check, uint32_t from, uint32_t to)
{
	uint64_t total = (uint64_t)(uint16_t)~check + (uint32_t)~from + to;
	uint32_t folded;

	total += total >> 32 | total << 32;
	folded = (uint32_t)(total >> 32);
	folded += folded >> 16 | folded << 16;
	return (uint16_t)~(folded >> 16);
}
