/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Clears the byte behind a buffer of 4096 bytes or more, one of the sizes that are measured.
 *
 * assay-cflags: -fno-tree-vectorize
 * assay-expect: fail from the buffer's start is 0x00
 */
#include "width.h"

void AT_WIDTH(swap_buffer)(void *buffer, size_t count)
{
	unsigned char *element = buffer;

	for (size_t i = 0; i < count; i++, element += BYTES) {
		element_type value;

		__builtin_memcpy(&value, element, sizeof(value));
		value = swap_element(value);
		__builtin_memcpy(element, &value, sizeof(value));
	}
	/* Where a guard page would catch it first, the message would be another. */
	if (count * BYTES >= 4096 && (uintptr_t)element % 4096 != 0)
		*element = 0;
}
