/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The definition of csum_fold: while there is something above 16 bits, add it below; then complement. */
#include "checksum.h"

uint16_t csum_fold(uint32_t sum)
{
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}
