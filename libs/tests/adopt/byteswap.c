/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A buffer of big-endian numbers made readable for a little-endian machine, and back. */
#include <byteswap.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
	uint32_t numbers[100], swapped[100];

	for (uint32_t i = 0; i < 100; i++)
		numbers[i] = 0x01020300 + i;
	memcpy(swapped, numbers, sizeof(swapped));
	swap_buffer32(swapped, 100);
	printf("%08lx %08lx\n", load_swap32(&numbers[9]), (unsigned long)swapped[9]);
	return load_swap32(&numbers[9]) != swapped[9] || swap32(swapped[99]) != numbers[99];
}
