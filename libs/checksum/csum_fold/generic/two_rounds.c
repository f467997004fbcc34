/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two rounds of adding the upper half to the lower. One is not enough: 0x1ffff gives 0x10000 in the first.
 *
 * assay-about: two rounds of upper half plus lower half, as in most textbooks
 */
#include "checksum.h"

uint16_t csum_fold(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}
