/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sixteen bytes at a time: rev16 on bytes is exactly this operation.
 */
#include <arm_neon.h>

#include "../../byteswap.h"

void swap_buffer16(void *buffer, size_t count)
{
	unsigned char *element = buffer;

	for (; count >= 8; count -= 8, element += 16)
		vst1q_u8(element, vrev16q_u8(vld1q_u8(element)));
	for (; count; count--, element += 2) {
		uint16_t value;

		__builtin_memcpy(&value, element, sizeof(value));
		value = __builtin_bswap16(value);
		__builtin_memcpy(element, &value, sizeof(value));
	}
}
