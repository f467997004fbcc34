/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sixteen bytes at a time: rev16, rev32 and rev64 on bytes are exactly this operation.
 */
#include <arm_neon.h>

#include "width.h"

void AT_WIDTH(swap_buffer)(void *buffer, size_t count)
{
	unsigned char *element = buffer;

	for (; count >= 16 / BYTES; count -= 16 / BYTES, element += 16)
		vst1q_u8(element, BY_WIDTH(vrev16q_u8, vrev32q_u8, vrev64q_u8)(vld1q_u8(element)));
	for (; count; count--, element += BYTES)
		swap_element_at(element);
}
