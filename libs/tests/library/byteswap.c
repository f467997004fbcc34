/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Every function of the library against its definition (FUNCTION/reference.c), at random values, lengths and alignments. */
#include <byteswap.h>
#include <stdio.h>
#include <string.h>

#define DECLARE(bits, type) \
	type reference_swap##bits(type value); \
	type reference_load_swap##bits(const void *address); \
	void reference_store_swap##bits(void *address, type value); \
	void reference_swap_buffer##bits(void *buffer, size_t count);
DECLARE(16, unsigned long)
DECLARE(32, unsigned long)
DECLARE(64, uint64_t)

static uint64_t state = 1;

static uint64_t random64(void)
{
	state = state * 6364136223846793005 + 1442695040888963407;
	return state ^ state >> 29;
}

enum { BYTES = 4096 };
static unsigned char buffer[BYTES + 64], expected[BYTES + 64];

static int wrong(const char *what)
{
	printf("%s is not what its definition says\n", what);
	return 1;
}

#define CHECK(bits) \
	static int check##bits(void) \
	{ \
		uint64_t value = random64(); \
		size_t offset = random64() % 64, count = random64() % (random64() & 1 ? BYTES / (bits / 8) : 40); \
\
		if (swap##bits(value) != reference_swap##bits(value)) \
			return wrong("swap" #bits); \
		if (load_swap##bits(buffer + offset) != reference_load_swap##bits(buffer + offset)) \
			return wrong("load_swap" #bits); \
		store_swap##bits(buffer + offset, value); \
		reference_store_swap##bits(expected + offset, value); \
		if (memcmp(buffer, expected, sizeof(buffer)) != 0) \
			return wrong("store_swap" #bits); \
		swap_buffer##bits(buffer + offset, count); \
		reference_swap_buffer##bits(expected + offset, count); \
		return memcmp(buffer, expected, sizeof(buffer)) != 0 && wrong("swap_buffer" #bits); \
	}
CHECK(16)
CHECK(32)
CHECK(64)

int main(void)
{
	for (int i = 0; i < BYTES + 64; i++)
		buffer[i] = expected[i] = (unsigned char)random64();
	for (int i = 0; i < 2000; i++)
		if (check16() || check32() || check64())
			return 1;
	puts("2000 rounds are as the definitions say");
	return 0;
}
