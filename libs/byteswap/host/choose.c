/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The buffer functions of the library that meson.build makes, for programs with a C library on Linux: each calls the widest
 * form that the CPU has and whose registers the kernel saves. FORMS is how many forms this architecture has: scalar, vector,
 * wide. The choice is made before main; a constructor that runs earlier gets the scalar forms, which are right everywhere.
 */
#include "../byteswap.h"

#if FORMS > 1 && !defined(__x86_64__)
#include <sys/auxv.h>
#endif

typedef void swap_function(void *buffer, size_t count);

swap_function swap_buffer16_scalar, swap_buffer32_scalar, swap_buffer64_scalar;
swap_function swap_buffer16_vector, swap_buffer32_vector, swap_buffer64_vector;
swap_function swap_buffer16_wide, swap_buffer32_wide, swap_buffer64_wide;

static swap_function *const forms[FORMS][3] = {
	{ swap_buffer16_scalar, swap_buffer32_scalar, swap_buffer64_scalar },
#if FORMS > 1
	{ swap_buffer16_vector, swap_buffer32_vector, swap_buffer64_vector },
#endif
#if FORMS > 2
	{ swap_buffer16_wide, swap_buffer32_wide, swap_buffer64_wide },
#endif
};

static swap_function *const *chosen = forms[0];

void swap_buffer16(void *buffer, size_t count)
{
	chosen[0](buffer, count);
}

void swap_buffer32(void *buffer, size_t count)
{
	chosen[1](buffer, count);
}

void swap_buffer64(void *buffer, size_t count)
{
	chosen[2](buffer, count);
}

#if FORMS > 1

/* The number of the widest form. HWCAP bits: Linux, arch/ARCH/include/uapi/asm/hwcap.h and powerpc's cputable.h. */
static unsigned int widest(void)
{
#if defined(__x86_64__)
	/* These also ask whether the operating system saves the registers. */
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx512bw") ? 2 : __builtin_cpu_supports("avx2") ? 1 : 0;
#elif defined(__powerpc64__)
	const unsigned long vsx = 0x80, arch_3_00 = 0x00800000;

	if (!(getauxval(AT_HWCAP) & vsx))
		return 0;
	return getauxval(AT_HWCAP2) & arch_3_00 ? 2 : 1;
#elif defined(__powerpc__)
	const unsigned long altivec = 0x10000000;

	return getauxval(AT_HWCAP) & altivec ? 1 : 0;
#elif defined(__riscv)
	return getauxval(AT_HWCAP) >> ('V' - 'A') & 1;
#elif defined(__loongarch__)
	/* Without unaligned accesses (UAL) the kernel does those of general registers itself, rightly and slowly, but no vectors'. */
	const unsigned long ual = 1 << 2, lsx = 1 << 4, lasx = 1 << 5;

	if (!(getauxval(AT_HWCAP) & ual))
		return 0;
	return getauxval(AT_HWCAP) & lasx ? 2 : getauxval(AT_HWCAP) & lsx ? 1 : 0;
#endif
}

__attribute__((constructor(101))) static void choose_forms(void)
{
	chosen = forms[widest()];
}

#endif
