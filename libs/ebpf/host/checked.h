/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Compiled code entered by the test runner's checked call (runner/call.c): it runs on a guarded stack, with patterns in
 * all registers that the C calling convention preserves. On return the patterns must be unchanged, and so must the stack
 * pointer, the caller's frame and, on POWER, the TOC pointer, CR2 to CR4 and the words of the frame header.
 */
#ifndef EBPF_HOST_CHECKED_H
#define EBPF_HOST_CHECKED_H

#include "host.h"

/* struct ebpf_platform's enter_code. What is wrong ends the program with status 1 and a line "failure: ...". */
uint64_t checked_enter(void *context, const void *code, size_t bytes, struct ebpf_frame *frame);

/*
 * For helpers, called first of all: checks what compiled code owes to a C function that it calls. The stack pointer has to be
 * aligned and, on POWER, the back chain has to lead over frames with return addresses in their LR save words to
 * where the code was entered. Does nothing if the helper was not called by compiled code.
 */
static inline __attribute__((always_inline)) void checked_helper(void)
{
	void checked_helper_frame(const void *frame, const void *return_address);

	checked_helper_frame(__builtin_frame_address(0), __builtin_return_address(0));
}

#endif
