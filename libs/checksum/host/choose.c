/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For programs with a C library on Linux: tells the dispatchers what the CPU has, before main. AT_HWCAP and AT_HWCAP2 come
 * from the kernel, so a form is chosen only if the kernel saves its registers. x86-64's dispatchers ask the CPU themselves;
 * AArch64 has one form only. A constructor that runs earlier gets the scalar forms.
 */
#if defined(__powerpc__) || defined(__riscv) || defined(__loongarch__)
#include <sys/auxv.h>

void csum_partial_init(unsigned long hwcap, unsigned long hwcap2);
void csum_partial_copy_init(unsigned long hwcap, unsigned long hwcap2);

__attribute__((constructor(101))) static void choose_forms(void)
{
	unsigned long hwcap = getauxval(AT_HWCAP), hwcap2 = getauxval(AT_HWCAP2);

	csum_partial_init(hwcap, hwcap2);
#if !defined(__powerpc__) || defined(__powerpc64__)
	csum_partial_copy_init(hwcap, hwcap2);
#endif
}
#else
/* A translation unit may not be empty. */
typedef int checksum_needs_no_choice;
#endif
