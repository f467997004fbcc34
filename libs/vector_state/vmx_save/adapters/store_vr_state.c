/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The powerpc kernel's name for it. */
#include "vector_state.h"

void store_vr_state(struct vector_state_vmx *area);

void vmx_save(struct vector_state_vmx *area)
{
	store_vr_state(area);
}

/* Called by functions of the kernel's vector.S that are privileged and never called here. */
__attribute__((weak, noreturn)) void load_up_fpu(void)
{
	__builtin_trap();
}

__attribute__((weak, noreturn)) void fast_interrupt_return_srr(void)
{
	__builtin_trap();
}
