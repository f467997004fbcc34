/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The powerpc kernel's name for it. */
#include "vector_state.h"

void store_fp_state(struct vector_state_fpu *area);

void vsx_save(struct vector_state_fpu *area)
{
	store_fp_state(area);
}
