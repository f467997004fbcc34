/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the dispatchers of LoongArch choose by AT_HWCAP, for every set of its bits below 64, on a machine of any architecture:
 * the vector forms want the unaligned accesses (UAL) that no kernel emulates for vectors.
 */
#include <stdint.h>
#include <stdio.h>
#include <sys/auxv.h>

#undef __x86_64__
#define __loongarch__ 1
#define FORMS 3
#define getauxval(type) hwcap

static unsigned long hwcap;

#include "../../byteswap/host/choose.c"
#undef getauxval
#include "../../checksum/csum_partial_copy/loongarch64/dispatch.c"

/* The forms themselves are only pointed to. */
#define FORM(bits, name) \
	void swap_buffer##bits##_##name(void *buffer, size_t count) \
	{ \
		(void)buffer, (void)count; \
	}
#define FORMS_OF(name) FORM(16, name) FORM(32, name) FORM(64, name)
FORMS_OF(scalar)
FORMS_OF(vector)
FORMS_OF(wide)

uint32_t csum_partial_copy_lsx(const void *src, void *dst, int len)
{
	return (void)src, (void)dst, (uint32_t)len;
}

uint32_t csum_partial_copy_lasx(const void *src, void *dst, int len)
{
	return (void)src, (void)dst, (uint32_t)len;
}

int main(void)
{
	int wrong = 0;

	for (hwcap = 0; hwcap < 64; hwcap++) {
		unsigned int unaligned = hwcap >> 2 & 1, lsx = hwcap >> 4 & 1, lasx = hwcap >> 5;
		unsigned int expected = !unaligned ? 0 : lasx ? 2 : lsx;
		copy_function *const copies[] = { copy_words, csum_partial_copy_lsx, csum_partial_copy_lasx };

		csum_partial_copy_init(hwcap, 0);
		if (widest() == expected && long_form == copies[expected])
			continue;
		printf("AT_HWCAP 0x%lx: byteswap has form %u, not %u; csum_partial_copy has %s\n", hwcap, widest(), expected,
		       long_form == copies[expected] ? "the right one" : "another one");
		wrong = 1;
	}
	return wrong;
}
