/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The powerpc kernel's name for it. */
#include "vector_state.h"

void load_fp_state(const struct vector_state_fpu *area);

void vsx_restore(const struct vector_state_fpu *area)
{
	load_fp_state(area);
}
