/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Exchange neighbouring bytes, then neighbouring halfwords, then the words: three masked rounds.
 * Compilers may recognise the pattern and put their own byte swap in its place; the count shows it.
 */
#include "../../byteswap.h"

uint64_t swap64(uint64_t value)
{
	value = ((value & 0x00ff00ff00ff00ff) << 8) | ((value >> 8) & 0x00ff00ff00ff00ff);
	value = ((value & 0x0000ffff0000ffff) << 16) | ((value >> 16) & 0x0000ffff0000ffff);
	return (value << 32) | (value >> 32);
}
