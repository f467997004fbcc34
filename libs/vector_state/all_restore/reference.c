/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The references of the parts, one after the other.
 *
 * assay-requires: altivec xsave
 */
#ifdef __x86_64__
#include "vector_state.h"

void all_restore(const struct vector_state_x86 *area)
{
	__asm__ volatile("xrstor64 %0" : : "m"(*area), "a"(0xe7), "d"(0) : "memory");
}
#else
#define PART_(function, part) function##part
#define PART(function, part) PART_(function, part)

#ifdef __powerpc64__
#define vsx_restore PART(all_restore, _fpu)
#include "../vsx_restore/reference.c"
#undef LOAD
#else
#define fpu_restore PART(all_restore, _fpu)
#include "../fpu_restore/reference.c"
#undef LOAD
#endif
#define vmx_restore PART(all_restore, _vmx)
#include "../vmx_restore/reference.c"

void all_restore(const struct vector_state_all *area)
{
	PART(all_restore, _fpu)(&area->fpu);
	PART(all_restore, _vmx)(&area->vmx);
}
#endif
