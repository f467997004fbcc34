/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes pages into a pipe and reads them again: the kernel's copies to the program are long enough for its vector
 * loops, if it has them (POWER8: from 3328 bytes on), so it acquires the vector unit and releases it.
 *
 *     copies [ROUNDS]    (1000)
 *
 * To see what that costs: --roi enter_vmx_usercopy, or enable_kernel_altivec.
 */
#include "freestanding.h"

#define PAGE 4096

static char page[PAGE] __attribute__((aligned(PAGE)));

_Noreturn void assay_main(uintptr_t *stack)
{
	int ends[2];
	unsigned long rounds = stack[0] > 1 ? 0 : 1000;

	for (const char *digit = stack[0] > 1 ? (const char *)stack[2] : ""; *digit >= '0' && *digit <= '9'; digit++)
		rounds = rounds * 10 + (unsigned long)(*digit - '0');
	if (rounds == 0 || CALL(SYS_PIPE2, ends, 0) != 0) {
		say(ERRORS, "copies [ROUNDS]: no rounds, or no pipe\n");
		leave(2);
	}
	while (rounds--) {
		page[rounds % PAGE]++;
		if (CALL(ASSAY_SYS_WRITE, ends[1], page, PAGE) != PAGE || CALL(SYS_READ, ends[0], page, PAGE) != PAGE) {
			say(ERRORS, "copies: a page got lost\n");
			leave(1);
		}
	}
	leave(0);
}
