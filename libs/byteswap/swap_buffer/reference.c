/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The definition: the bytes of each element in reverse order.
 */
#include "width.h"

void AT_WIDTH(swap_buffer)(void *buffer, size_t count)
{
	unsigned char *element = buffer;

	for (; count; count--, element += BYTES) {
		for (unsigned int i = 0; i < BYTES / 2; i++) {
			unsigned char byte = element[i];

			element[i] = element[BYTES - 1 - i];
			element[BYTES - 1 - i] = byte;
		}
	}
}
