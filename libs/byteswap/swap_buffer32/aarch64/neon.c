/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sixteen bytes at a time: rev32 on bytes is exactly this operation.
 */
#include <arm_neon.h>

#include "../../byteswap.h"

void swap_buffer32(void *buffer, size_t count)
{
	unsigned char *element = buffer;

	for (; count >= 4; count -= 4, element += 16)
		vst1q_u8(element, vrev32q_u8(vld1q_u8(element)));
	for (; count; count--, element += 4) {
		uint32_t value;

		__builtin_memcpy(&value, element, sizeof(value));
		value = __builtin_bswap32(value);
		__builtin_memcpy(element, &value, sizeof(value));
	}
}
