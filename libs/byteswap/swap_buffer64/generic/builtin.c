/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One element at a time with the compiler's byte swap; whether it becomes a vector loop is the compiler's choice.
 */
#include "../../byteswap.h"

void swap_buffer64(void *buffer, size_t count)
{
	unsigned char *element = buffer;

	for (; count; count--, element += 8) {
		uint64_t value;

		__builtin_memcpy(&value, element, sizeof(value));
		value = __builtin_bswap64(value);
		__builtin_memcpy(element, &value, sizeof(value));
	}
}
