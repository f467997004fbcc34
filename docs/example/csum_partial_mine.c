// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A user's own variant, as docs/add-a-variant.md tries it: one 64-bit sum of 32-bit words, which cannot overflow
// before 2^32 words, so that no carry has to be looked after inside the loop.
// assay-about: 32-bit words into a 64-bit sum

#include <stdint.h>

// Bytes may be unaligned; the compiler turns this into one load where the architecture allows.
static uint32_t load32(const unsigned char *bytes)
{
	uint32_t word;
	__builtin_memcpy(&word, bytes, sizeof word);
	return word;
}

uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	const unsigned char *bytes = buf;
	uint64_t total = sum;
	unsigned char tail[4] = { 0 };

	for (; len >= 4; bytes += 4, len -= 4)
		total += load32(bytes);
	for (int i = 0; i < len; i++)
		tail[i] = bytes[i];
	total += load32(tail);
	// 64 -> 32 bits with the end-around carry of ones' complement.
	total = (total & 0xffffffff) + (total >> 32);
	return (uint32_t)(total + (total >> 32));
}
