/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The calls on 32-bit PowerPC, each one function without a frame: what is left to gain where the 2020 thread stopped.
 *
 *   - No entry in assembly. C finds the page itself, with LR kept in a register for the three instructions that need it, and
 *     clears CR0's error bit itself. So nothing is stored to the stack and loaded again, and nothing waits for LR.
 *   - The shift is 24, which the page's writer promises by VDSO_FLAG_FIXED_SHIFT: two instructions, srwi and rlwimi, make the
 *     lower word of nanoseconds.
 *   - What is rare leaves at once: an update in progress, a delta of 2^32 ticks and more, more nanoseconds than 32 bits hold.
 *     So no product of the upper word, no loop that counts seconds, no 64-bit comparison; at most one second is to be taken out.
 *   - Each word of the page is loaded once, and of a clock only the words that are used.
 *   - Loads are ordered as in the old assembly, by addresses that depend on what has to be read before; that holds on machines
 *     with several processors, and costs less than lwsync on those that have it.
 *
 * The rare rest is a branch to assembly that makes a frame and calls the reader of vdso_read.h, which handles everything. That it
 * is a branch and not a call is left to the compiler: gcc makes it one, clang 19 does not on this architecture, makes a frame
 * for it and saves LR in its caller's. So compiled by clang this is for callers that have a frame.
 */
#ifndef VDSO_LEAF_H
#define VDSO_LEAF_H

#include "calls.h"
#include "convention.h"

#if defined(__powerpc64__) || !defined(__powerpc__)
#error "these are 32-bit PowerPC's"
#endif

/* What tests have to keep to, and may ask for. */
extern const unsigned char vdso_wants_fixed_shift, vdso_takes_long_deltas;
const unsigned char vdso_wants_fixed_shift = 1, vdso_takes_long_deltas = 1;

/* `bcl 20, 31` is the form that predictors know not to be a call. */
VDSO_INLINE const struct vdso_page *leaf_page(void)
{
	const struct vdso_page *page;
	uint32_t link;

	__asm__("mflr	%1\n\t"
		"bcl	20, 31, .+4\n"
		"1:	mflr	%0\n\t"
		"mtlr	%1\n\t"
		"addi	%0, %0, (vdso_data_page - 1b)@l"
		: "=&b"(page), "=&r"(link));
	return page;
}

/* A zero that is known when `value` is. */
VDSO_INLINE uint32_t leaf_zero_after(uint32_t value)
{
	uint32_t zero;

	__asm__ volatile("xor %0, %1, %1" : "=r"(zero) : "r"(value) : "memory");
	return zero;
}

VDSO_INLINE uint32_t leaf_load(const void *base, uint32_t offset)
{
	return *(const volatile uint32_t *)((uintptr_t)base + offset);
}

/* The lower word of a 64-bit field. */
enum { LOW = 4 };

/*
 * Realtime, monotonic, boottime, TAI and raw. False: not to be had this way, and nothing is changed. Neither does it matter
 * that `clock` is checked only to be one of these: the offset into the block is 16 bytes a clock.
 */
VDSO_INLINE _Bool leaf_high_resolution(const struct vdso_data *block, uint32_t clock, uint32_t *seconds, uint32_t *nanoseconds)
{
	uint32_t seq = leaf_load(block, VDSO_SEQ), high, low, again, mult, upper, ns, sec;
	const struct vdso_data *behind;
	uintptr_t base;
	uint64_t delta, sum;

	if (VDSO_UNLIKELY(seq & 1))
		return 0;
	behind = (const struct vdso_data *)((uintptr_t)block + leaf_zero_after(seq));
	base = (uintptr_t)behind + clock * sizeof(struct vdso_timestamp);
	do {
		__asm__ volatile("mftbu %0" : "=r"(high));
		__asm__ volatile("mftb %0" : "=r"(low));
		__asm__ volatile("mftbu %0" : "=r"(again));
	} while (VDSO_UNLIKELY(high != again));
	delta = ((uint64_t)high << 32 | low) -
		((uint64_t)leaf_load(behind, VDSO_CYCLE_LAST) << 32 | leaf_load(behind, VDSO_CYCLE_LAST + LOW));
	mult = leaf_load(behind, VDSO_MULT);
	if (VDSO_UNLIKELY((uint32_t)(delta >> 32)))
		return 0;
	sum = (uint64_t)(uint32_t)delta * mult +
	      ((uint64_t)leaf_load((const void *)base, VDSO_BASETIME + 8) << 32 |
	       leaf_load((const void *)base, VDSO_BASETIME + 8 + LOW));
	upper = (uint32_t)(sum >> 32);
	sec = leaf_load((const void *)base, VDSO_BASETIME + LOW);
	if (VDSO_UNLIKELY(upper >> VDSO_FIXED_SHIFT))
		return 0;
	ns = upper << (32 - VDSO_FIXED_SHIFT) | (uint32_t)sum >> VDSO_FIXED_SHIFT;
	if (VDSO_UNLIKELY(leaf_load((const void *)((uintptr_t)behind + leaf_zero_after(ns | sec)), VDSO_SEQ) != seq))
		return 0;
	if (VDSO_UNLIKELY(ns >= VDSO_NSEC_PER_SEC)) {
		ns -= VDSO_NSEC_PER_SEC;
		sec++;
		if (VDSO_UNLIKELY(ns >= VDSO_NSEC_PER_SEC))
			return 0;
	}
	*seconds = sec;
	*nanoseconds = ns;
	return 1;
}

VDSO_INLINE _Bool leaf_coarse(const struct vdso_data *block, uint32_t clock, uint32_t *seconds, uint32_t *nanoseconds)
{
	uint32_t seq = leaf_load(block, VDSO_SEQ);
	uintptr_t behind, base;

	if (VDSO_UNLIKELY(seq & 1))
		return 0;
	behind = (uintptr_t)block + leaf_zero_after(seq);
	base = behind + clock * sizeof(struct vdso_timestamp);
	*seconds = leaf_load((const void *)base, VDSO_BASETIME + LOW);
	*nanoseconds = leaf_load((const void *)base, VDSO_BASETIME + 8 + LOW);
	return leaf_load((const void *)(behind + leaf_zero_after(*seconds | *nanoseconds)), VDSO_SEQ) == seq;
}

/*
 * `name`: the way of everything rare, with the arguments in r3 and r4 as they came. The caller need not have a frame, so LR
 * is kept in ours and the C function gets the save word of ours.
 */
#define LEAF_RARE(name, function)                                                             \
	__asm__("	.section .text." #name ", \"ax\", @progbits\n"                       \
		"	.balign	4\n"                                                         \
		"	.type	" #name ", @function\n"                                      \
		#name ":\n"                                                                  \
		"	stwu	%r1, -16(%r1)\n"                                             \
		"	mflr	%r0\n"                                                       \
		"	stw	%r0, 8(%r1)\n"                                               \
		"	bl	" #function "\n"                                             \
		"	lwz	%r0, 8(%r1)\n"                                               \
		"	addi	%r1, %r1, 16\n"                                              \
		"	mtlr	%r0\n"                                                       \
		"	cmpwi	%r3, 0\n"                                                    \
		"	crclr	4*cr0+so\n"                                                  \
		"	bgelr+\n"                                                            \
		"	neg	%r3, %r3\n"                                                  \
		"	crset	4*cr0+so\n"                                                  \
		"	blr\n"                                                               \
		"	.size	" #name ", . - " #name "\n"                                  \
		"	.previous\n")

#define LEAF_BEHIND	__attribute__((used, noinline, visibility("hidden")))

#endif
