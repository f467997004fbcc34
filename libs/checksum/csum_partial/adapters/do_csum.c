/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * csum_partial for code with the kernel's inner entry point (arm64, loongarch, riscv, alpha): the sum of the
 * data alone, folded to 16 bits, to which the initial sum is added.
 */
#include "checksum.h"

unsigned int do_csum(const unsigned char *buf, int len);

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	uint32_t data = do_csum(buf, len);

	sum += data;
	return sum + (sum < data);
}
