/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Exchange neighbouring bytes, then the halves: a rotate by 16. Compilers recognise the pattern and may
 * put their own byte swap in its place; assay-cflags cannot forbid that, the count shows it.
 */
#include "../../byteswap.h"

unsigned long swap32(unsigned long value)
{
	uint32_t x = value;

	x = ((x & 0x00ff00ff) << 8) | ((x >> 8) & 0x00ff00ff);
	return (uint32_t)((x << 16) | (x >> 16));
}
