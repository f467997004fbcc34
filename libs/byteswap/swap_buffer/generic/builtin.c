/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One element at a time with the compiler's byte swap; whether it becomes a vector loop is the compiler's choice.
 */
#include "width.h"

void AT_WIDTH(swap_buffer)(void *buffer, size_t count)
{
	unsigned char *element = buffer;

	for (; count; count--, element += BYTES) {
		element_type value;

		__builtin_memcpy(&value, element, sizeof(value));
		value = swap_element(value);
		__builtin_memcpy(element, &value, sizeof(value));
	}
}
