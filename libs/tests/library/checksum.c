/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every function of the library against its definition (FUNCTION/reference.c), at random lengths, alignments and values. The
 * hot paths' own tests do that for each form; this does it for the form that the dispatcher chooses on this CPU.
 */
#include <checksum.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t reference_csum_partial(const void *buf, int len, uint32_t sum);
uint16_t reference_csum_fold(uint32_t sum);
uint32_t reference_csum_partial_copy(const void *src, void *dst, int len);
uint16_t reference_ip_fast_csum(const void *iph, unsigned int ihl);
uint16_t reference_csum_ipv6_magic(const void *saddr, const void *daddr, uint32_t len, uint8_t proto, uint32_t sum);
uint16_t reference_csum_replace2(uint16_t check, uint16_t from, uint16_t to);
uint16_t reference_csum_replace4(uint16_t check, uint32_t from, uint32_t to);

static uint64_t state = 1;

static uint32_t random32(void)
{
	state = state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(state >> 32);
}

static int wrong(const char *what, int length, unsigned int found, unsigned int expected)
{
	printf("%s, length %d: %08x, not %08x\n", what, length, found, expected);
	return 1;
}

enum { BYTES = 9000 };
static unsigned char buffer[BYTES + 64] __attribute__((aligned(64))), copy[BYTES + 64], expected_copy[BYTES + 64];

static int buffers(void)
{
	int length = (int)(random32() % (random32() & 1 ? BYTES : 200)), offset = (int)(random32() % 64),
	    to = (int)(random32() % 64);
	uint32_t sum = random32(), found, expected;

	for (int i = 0; i < BYTES + 64; i++)
		buffer[i] = random32() & 3 ? (unsigned char)random32() : 0xff;
	found = csum_fold(csum_partial(buffer + offset, length, sum));
	expected = reference_csum_fold(reference_csum_partial(buffer + offset, length, sum));
	if (found != expected)
		return wrong("csum_partial", length, found, expected);
	memset(copy, 0x5a, sizeof(copy));
	memset(expected_copy, 0x5a, sizeof(copy));
	length = length > BYTES - 64 ? BYTES - 64 : length;
	found = csum_fold(csum_partial_copy(buffer + offset, copy + to, length));
	expected = reference_csum_fold(reference_csum_partial_copy(buffer + offset, expected_copy + to, length));
	if (found != expected)
		return wrong("csum_partial_copy", length, found, expected);
	if (memcmp(copy, expected_copy, sizeof(copy)) != 0)
		return wrong("what csum_partial_copy wrote", length, 0, 0);
	return 0;
}

static int headers(void)
{
	unsigned int words = 5 + random32() % 11;
	uint32_t a = random32(), b = random32(), c = random32();
	uint16_t found = ip_fast_csum(buffer, words), expected = reference_ip_fast_csum(buffer, words);

	if (found != expected)
		return wrong("ip_fast_csum", (int)words, found, expected);
	found = csum_ipv6_magic(buffer, buffer + 16, a >> 16, (uint8_t)b, c);
	expected = reference_csum_ipv6_magic(buffer, buffer + 16, a >> 16, (uint8_t)b, c);
	if (found != expected)
		return wrong("csum_ipv6_magic", 0, found, expected);
	found = csum_replace2((uint16_t)a, (uint16_t)b, (uint16_t)c);
	expected = reference_csum_replace2((uint16_t)a, (uint16_t)b, (uint16_t)c);
	if (found != expected)
		return wrong("csum_replace2", 0, found, expected);
	found = csum_replace4((uint16_t)a, b, c);
	expected = reference_csum_replace4((uint16_t)a, b, c);
	return found != expected && wrong("csum_replace4", 0, found, expected);
}

int main(void)
{
	for (int i = 0; i < 1000; i++)
		if (buffers() || headers())
			return 1;
	puts("1000 rounds are as the definitions say");
	return 0;
}
