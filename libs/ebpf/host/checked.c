/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See checked.h. */
#include "checked.h"

#include <standalone.h>

static struct {
	uintptr_t start, end;
} code_range;

static bool in_code(uintptr_t address)
{
	return address >= code_range.start && address < code_range.end;
}

uint64_t checked_enter(void *context, const void *code, size_t bytes, struct ebpf_frame *frame)
{
	uintptr_t arguments[8] = { (uintptr_t)frame };
	static bool under_way;
	uint64_t result;
	unsigned i;

	(void)context;
	if (under_way)
		assay_fail("started a run within a run, for which the checked call has no second stack");
	for (i = 1; i < 8; i++)
		arguments[i] = (uintptr_t)UINT64_C(0xbad0bad0bad0bad0) + i; /* one is used: the others are garbage */
	code_range.start = (uintptr_t)code;
	code_range.end = code_range.start + bytes;
	under_way = true;
	result = assay_call_words((void (*)(void))(uintptr_t)code, arguments);
	under_way = false;
	return result;
}

#if defined(__powerpc64__)

/* 64-Bit ELF V2 ABI, section 2.2.2.1: word 0 of a frame is the back chain, word 2 the callee's LR. */
static const uintptr_t *stack_of_caller(const void *frame)
{
	return *(const uintptr_t *const *)frame;
}

/*
 * Whether the address follows a bl in compiled code: local functions are called by bl. A helper's return address, which may
 * have been left in the same word, follows a bctrl.
 */
static bool is_return_address(uintptr_t address)
{
	return in_code(address) && in_code(address - 4) && (*(const uint32_t *)(address - 4) & 0xfc000003) == 0x48000001;
}

static void check_chain(const uintptr_t *frame)
{
	unsigned depth;

	for (depth = 0; depth <= EBPF_CALL_DEPTH_MAX; depth++) {
		const uintptr_t *next = (const uintptr_t *)frame[0];

		if (next <= frame || (uintptr_t)next % 16)
			assay_fail("called a helper with a broken back chain: 0x%lx leads to 0x%lx",
				   (unsigned long)(uintptr_t)frame, (unsigned long)(uintptr_t)next);
		if (next[2] == (uintptr_t)assay_call_returned)
			return;
		if (!is_return_address(next[2]))
			assay_fail("called a helper with 0x%lx, no return address, in the LR save word of frame %u",
				   (unsigned long)next[2], depth + 1);
		frame = next;
	}
	assay_fail("called a helper with a back chain of more than %u frames", (unsigned)EBPF_CALL_DEPTH_MAX);
}

#else

static const uintptr_t *stack_of_caller(const void *frame)
{
#if defined(__x86_64__)
	return (const uintptr_t *)frame + 2; /* above rbp and the return address */
#else
	return frame; /* LoongArch: the frame pointer is what sp was */
#endif
}

static void check_chain(const uintptr_t *frame)
{
	(void)frame;
}

#endif

/* The stack may be the very thing that is wrong, and compilers rely on its alignment on x86-64. */
#ifdef __x86_64__
#define ANY_STACK __attribute__((force_align_arg_pointer))
#else
#define ANY_STACK
#endif

void checked_helper_frame(const void *frame, const void *return_address);
ANY_STACK void checked_helper_frame(const void *frame, const void *return_address)
{
	const uintptr_t *stack;

	if (!in_code((uintptr_t)return_address))
		return;
	stack = stack_of_caller(frame);
	if ((uintptr_t)stack % 16)
		assay_fail("called a helper with the stack pointer at 0x%lx, which is no multiple of 16",
			   (unsigned long)(uintptr_t)stack);
	check_chain(stack);
}
