/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* csum_partial for code with the entry point of the kernel's powerpc: the same contract, another name. */
#include "checksum.h"

uint32_t __csum_partial(const void *buf, int len, uint32_t sum);

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	return __csum_partial(buf, len, sum);
}
