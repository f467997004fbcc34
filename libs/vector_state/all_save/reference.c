/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The references of the parts, one after the other.
 *
 * assay-requires: altivec xsave
 */
#ifdef __x86_64__
#include "vector_state.h"

void all_save(struct vector_state_x86 *area)
{
	__asm__ volatile("xsave64 %0" : "+m"(*area) : "a"(0xe7), "d"(0) : "memory");
}
#else
#define PART_(function, part) function##part
#define PART(function, part) PART_(function, part)

#ifdef __powerpc64__
#define vsx_save PART(all_save, _fpu)
#include "../vsx_save/reference.c"
#undef STORE
#else
#define fpu_save PART(all_save, _fpu)
#include "../fpu_save/reference.c"
#undef STORE
#endif
#define vmx_save PART(all_save, _vmx)
#include "../vmx_save/reference.c"

void all_save(struct vector_state_all *area)
{
	PART(all_save, _fpu)(&area->fpu);
	PART(all_save, _vmx)(&area->vmx);
}
#endif
