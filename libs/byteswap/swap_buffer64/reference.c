/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The definition: the bytes of each element in reverse order.
 */
#include "../byteswap.h"

void swap_buffer64(void *buffer, size_t count)
{
	unsigned char *element = buffer;

	for (; count; count--, element += 8) {
		for (unsigned int i = 0; i < 4; i++) {
			unsigned char byte = element[i];

			element[i] = element[7 - i];
			element[7 - i] = byte;
		}
	}
}
