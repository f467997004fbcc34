/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A checksum as of UDP (RFC 768) over a payload that arrives in two pieces, the first of even length. */
#include <checksum.h>
#include <stdio.h>

int main(void)
{
	static const unsigned char whole[] =
		"the quick brown fox jumps over the lazy dog, and again until there are vectors of it: "
		"the quick brown fox jumps over the lazy dog, the quick brown fox jumps over it";
	unsigned char copy[sizeof(whole)];
	uint32_t first = csum_partial(whole, 100, 0);
	uint16_t in_pieces = csum_fold(csum_partial(whole + 100, sizeof(whole) - 100, first));
	uint16_t at_once = csum_fold(csum_partial_copy(whole, copy, sizeof(whole)));

	printf("%04x %04x\n", in_pieces, at_once);
	return in_pieces != at_once || copy[3] != whole[3];
}
