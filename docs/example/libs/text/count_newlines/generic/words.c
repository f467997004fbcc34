/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * assay-about: eight bytes at a time: those that are zero behind an exclusive or have their upper bit set, and are counted
 *
 * The sum of seven bits and 0x7f has its upper bit set unless they are all zero; no carry leaves a byte, so the count is exact.
 */
#include <stddef.h>
#include <stdint.h>

size_t count_newlines(const void *text, size_t bytes)
{
	const uint64_t low_bits = 0x7f7f7f7f7f7f7f7f, newlines = 0x0a0a0a0a0a0a0a0a;
	const unsigned char *byte = text;
	size_t count = 0;

	for (; bytes >= 8; bytes -= 8, byte += 8) {
		uint64_t word, zeros;

		__builtin_memcpy(&word, byte, 8);
		word ^= newlines;
		zeros = ~(((word & low_bits) + low_bits) | word | low_bits);
		count += (zeros >> 7) * 0x0101010101010101 >> 56;
	}
	for (; bytes > 0; bytes--, byte++)
		count += *byte == '\n';
	return count;
}
