/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Exchange neighbouring bytes, then neighbouring halfwords, then the words: masked rounds, the last of them a rotation.
 * Compilers recognise the pattern and may put their own byte swap in its place. assay-cflags cannot forbid that; the
 * count of instructions shows it.
 */
#include "width.h"

value_type AT_WIDTH(swap)(value_type value)
{
#if BITS == 16
	return ((value & 0xff) << 8) | ((value >> 8) & 0xff);
#elif BITS == 32
	uint32_t x = value;

	x = ((x & 0x00ff00ff) << 8) | ((x >> 8) & 0x00ff00ff);
	return (uint32_t)((x << 16) | (x >> 16));
#else
	value = ((value & 0x00ff00ff00ff00ff) << 8) | ((value >> 8) & 0x00ff00ff00ff00ff);
	value = ((value & 0x0000ffff0000ffff) << 16) | ((value >> 16) & 0x0000ffff0000ffff);
	return (value << 32) | (value >> 32);
#endif
}
