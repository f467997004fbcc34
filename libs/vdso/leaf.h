/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The calls on 32-bit PowerPC, each one function without a frame: what could still be gained after the 2020 thread. The vDSO
 * image exports them (image/leaf.c), and they are judged as the hot paths' variant `leaf`.
 *
 *   - No entry in assembly. C finds the page itself, with LR kept in a register for the three instructions that need it, and
 *     clears CR0's error bit itself. So nothing is stored to the stack and loaded again, and nothing depends on LR.
 *   - One word of the page says that the counter is the time base, that all of its bits count, and that the shift is 24: two
 *     instructions, srwi and rlwimi, make the lower word of nanoseconds.
 *   - Rare cases leave at once: a page that says otherwise, an update in progress, a carry between the two halves of the time
 *     base, a delta of 2^32 ticks or more, more nanoseconds than 32 bits hold. So there is no product of the upper word, no loop
 *     that counts seconds, no 64-bit comparison; at most one second has to be carried.
 *   - Each word of the page is loaded once, and of a clock only the words that are used.
 *   - Loads are ordered as in the old assembly, by addresses that depend on the values that have to be read first. That holds on
 *     machines with several processors, and costs less than lwsync on those that have it.
 *
 * Rare cases jump to assembly that makes a frame and calls the reader of vdso_read.h, which handles everything. On this
 * architecture clang 19 does not turn a call at a function's end into a jump, but makes a frame for it, which slows every call.
 * So the jump is written in assembly. That is right as long as the function has no frame and uses only registers that a call may
 * change; the image's build checks both.
 */
#ifndef VDSO_LEAF_H
#define VDSO_LEAF_H

#include "calls.h"
#include "convention.h"

#if defined(__powerpc64__) || !defined(__powerpc__)
#error "these are 32-bit PowerPC's"
#endif

/* The page's symbol, and what unwinders are told while LR is in r0: an image says otherwise. */
#ifndef LEAF_PAGE
#define LEAF_PAGE "vdso_data_page"
#define LEAF_LR_IN_R0
#define LEAF_LR_BACK
#endif

/* `bcl 20, 31` is the form that predictors know not to be a call. */
VDSO_INLINE const struct vdso_page *leaf_page(void)
{
	const struct vdso_page *page;

	__asm__("mflr	0\n\t" LEAF_LR_IN_R0 "bcl	20, 31, 1f\n"
		"1:	mflr	%0\n\t"
		"mtlr	0\n\t" LEAF_LR_BACK "addis	%0, %0, (" LEAF_PAGE " - 1b)@ha\n\t"
		"addi	%0, %0, (" LEAF_PAGE " - 1b)@l"
		: "=&b"(page)
		:
		: "r0");
	return page;
}

/* Goes on with `function`, which gets the arguments that this call was made with. */
#define LEAF_GO(function, first, second) \
	do { \
		register uintptr_t leaf_r3 __asm__("r3") = (uintptr_t)(first); \
		register uintptr_t leaf_r4 __asm__("r4") = (uintptr_t)(second); \
		__asm__ volatile("b	" #function : : "r"(leaf_r3), "r"(leaf_r4) : "memory"); \
		__builtin_unreachable(); \
	} while (0)

/* A zero that depends on `value`. */
VDSO_INLINE uint32_t leaf_zero_after(uint32_t value)
{
	uint32_t zero;

	__asm__ volatile("xor %0, %1, %1" : "=r"(zero) : "r"(value) : "memory");
	return zero;
}

VDSO_INLINE uint32_t leaf_load(uintptr_t base, uint32_t offset)
{
	return *(const volatile uint32_t *)(base + offset);
}

/* Odd: an update in progress, or a namespace's page; 0: never written. Neither is so if the rotated value is above zero. */
VDSO_INLINE _Bool leaf_is_open(uint32_t seq)
{
	return VDSO_UNLIKELY((int32_t)(seq >> 1 | seq << 31) <= 0);
}

enum {
	LEAF_LOW = 4, /* the lower word of a 64-bit field */
	LEAF_SEC = VDSO_BASETIME,
	LEAF_NSEC = VDSO_BASETIME + 8,
	LEAF_USEC_NSEC = 1000,
};

/* sec_high is valid only if the caller asks for it. */
struct leaf_time {
	uint32_t sec_high, sec, nsec;
};

/*
 * Realtime, monotonic, boottime, TAI, and with the offset of that block, raw. False: not to be had this way. It does not
 * matter that `clock` is checked only to be one of these: the offset into the block is 16 bytes a clock.
 */
VDSO_INLINE _Bool leaf_high_resolution(const struct vdso_page *page, uint32_t block, uint32_t clock, _Bool wide,
				       struct leaf_time *time)
{
	uint32_t seq = leaf_load((uintptr_t)page, block + VDSO_SEQ), plain, high, low, again, mult, upper;
	uintptr_t behind, base;
	uint64_t sum;

	if (leaf_is_open(seq))
		return 0;
	behind = (uintptr_t)page + leaf_zero_after(seq);
	plain = leaf_load(behind, VDSO_PLAIN_SHIFT);
	__asm__ volatile("mftbu %0" : "=r"(high));
	__asm__ volatile("mftb %0" : "=r"(low));
	__asm__ volatile("mftbu %0" : "=r"(again));
	/* The retry is in the slow path: a backward branch would be predicted as that of a loop. */
	if (VDSO_UNLIKELY(high != again))
		return 0;
	/* Made part of an address, or it could be read after the count is read again; a writer changes it with the rest. */
	base = behind + clock * sizeof(struct vdso_timestamp) + plain - VDSO_FIXED_SHIFT;
	/* Makes the delta of the counter, by words: subtracted as 64 bits, it takes clang five instructions. */
	__asm__("subfc	%0, %2, %0\n\tsubfe	%1, %3, %1"
		: "+&r"(low), "+r"(high)
		: "r"(leaf_load(behind, block + VDSO_CYCLE_LAST + LEAF_LOW)), "r"(leaf_load(behind, block + VDSO_CYCLE_LAST))
		: "xer");
	mult = leaf_load(behind, block + VDSO_MULT);
	if (VDSO_UNLIKELY(high | (plain ^ VDSO_FIXED_SHIFT)))
		return 0;
	sum = (uint64_t)low * mult +
	      ((uint64_t)leaf_load(base, block + LEAF_NSEC) << 32 | leaf_load(base, block + LEAF_NSEC + LEAF_LOW));
	upper = (uint32_t)(sum >> 32);
	time->sec = leaf_load(base, block + LEAF_SEC + LEAF_LOW);
	if (wide)
		time->sec_high = leaf_load(base, block + LEAF_SEC);
	if (VDSO_UNLIKELY(upper >> VDSO_FIXED_SHIFT))
		return 0;
	time->nsec = upper << (32 - VDSO_FIXED_SHIFT) | (uint32_t)sum >> VDSO_FIXED_SHIFT;
	behind += leaf_zero_after(time->nsec | time->sec | (wide ? time->sec_high : 0));
	if (VDSO_UNLIKELY(leaf_load(behind, block + VDSO_SEQ) != seq))
		return 0;
	if (VDSO_UNLIKELY(time->nsec >= VDSO_NSEC_PER_SEC)) {
		time->nsec -= VDSO_NSEC_PER_SEC;
		time->sec++;
		if (wide)
			time->sec_high += time->sec == 0;
		if (VDSO_UNLIKELY(time->nsec >= VDSO_NSEC_PER_SEC))
			return 0;
	}
	return 1;
}

VDSO_INLINE _Bool leaf_coarse(const struct vdso_page *page, uint32_t clock, _Bool wide, struct leaf_time *time)
{
	uint32_t seq = leaf_load((uintptr_t)page, VDSO_SEQ);
	uintptr_t behind, base;

	if (leaf_is_open(seq))
		return 0;
	behind = (uintptr_t)page + leaf_zero_after(seq);
	base = behind + clock * sizeof(struct vdso_timestamp);
	time->nsec = leaf_load(base, LEAF_NSEC + LEAF_LOW);
	time->sec = leaf_load(base, LEAF_SEC + LEAF_LOW);
	if (wide)
		time->sec_high = leaf_load(base, LEAF_SEC);
	behind += leaf_zero_after(time->nsec | time->sec | (wide ? time->sec_high : 0));
	/* No writer leaves a second or more of nanoseconds. */
	return VDSO_LIKELY(leaf_load(behind, VDSO_SEQ) == seq) && VDSO_LIKELY(time->nsec < VDSO_NSEC_PER_SEC);
}

/* The time of a clock by its number. */
VDSO_INLINE _Bool leaf_time_of(int32_t clock, _Bool wide, struct leaf_time *time)
{
	uint32_t number = (uint32_t)clock, bit;
	const struct vdso_page *page;

	if (VDSO_UNLIKELY(number >= VDSO_BASES))
		return 0;
	bit = 1u << number;
	page = leaf_page();
	if (VDSO_LIKELY(bit & VDSO_HRES_CLOCKS))
		return leaf_high_resolution(page, VDSO_BLOCK_HRES_COARSE * VDSO_BLOCK_SIZE, number, wide, time);
	if (bit & VDSO_COARSE_CLOCKS)
		return leaf_coarse(page, number, wide, time);
	if (bit & VDSO_RAW_CLOCKS)
		return leaf_high_resolution(page, VDSO_BLOCK_RAW * VDSO_BLOCK_SIZE, number, wide, time);
	return 0;
}

/* ------------------------------------------------------------------ the calls */

/*
 * The error bit is cleared before the stores, which do not change CR: on e300 CR logic waits until all older instructions have
 * completed, and mfcr in the caller would wait for both in turn.
 */
VDSO_INLINE int leaf_clock_gettime(int32_t clock, struct vdso_timespec *result)
{
	struct leaf_time time;
	int status;

	if (VDSO_UNLIKELY(!leaf_time_of(clock, 0, &time)))
		LEAF_GO(vdso_rare_clock_gettime, clock, result);
	status = vdso_succeed();
	result->sec = (long)time.sec;
	result->nsec = (long)time.nsec;
	return status;
}

VDSO_INLINE int leaf_clock_gettime64(int32_t clock, struct vdso_timespec64 *result)
{
	struct leaf_time time;
	int status;

	if (VDSO_UNLIKELY(!leaf_time_of(clock, 1, &time)))
		LEAF_GO(vdso_rare_clock_gettime64, clock, result);
	status = vdso_succeed();
	result->sec = (int64_t)((uint64_t)time.sec_high << 32 | time.sec);
	result->nsec = (int64_t)time.nsec;
	return status;
}

/* Callers hardly ever ask for the time zone, and never for nothing. */
VDSO_INLINE int leaf_gettimeofday(struct vdso_timeval *result, struct vdso_timezone *zone)
{
	struct leaf_time time;

	if (VDSO_UNLIKELY(zone || !result))
		LEAF_GO(vdso_rare_gettimeofday, result, zone);
	if (VDSO_UNLIKELY(!leaf_high_resolution(leaf_page(), 0, VDSO_CLOCK_REALTIME, 0, &time)))
		LEAF_GO(vdso_rare_gettimeofday, result, zone);
	result->sec = (long)time.sec;
	result->usec = (long)(time.nsec / LEAF_USEC_NSEC);
	return vdso_succeed();
}

/* A page's resolution never changes while it is in use; a page without one is a namespace's, or was never written. */
VDSO_INLINE int leaf_clock_getres(int32_t clock, struct vdso_timespec *result)
{
	uint32_t number = (uint32_t)clock, bit, nanoseconds;

	if (VDSO_UNLIKELY(number >= VDSO_BASES))
		LEAF_GO(vdso_rare_clock_getres, clock, result);
	bit = 1u << number;
	if (VDSO_LIKELY(bit & (VDSO_HRES_CLOCKS | VDSO_RAW_CLOCKS)))
		nanoseconds = leaf_load((uintptr_t)leaf_page(), VDSO_HRTIMER_RES);
	else if (bit & VDSO_COARSE_CLOCKS)
		nanoseconds = leaf_load((uintptr_t)leaf_page(), VDSO_COARSE_RES);
	else
		LEAF_GO(vdso_rare_clock_getres, clock, result);
	if (VDSO_UNLIKELY(nanoseconds == 0))
		LEAF_GO(vdso_rare_clock_getres, clock, result);
	if (VDSO_LIKELY(result)) {
		result->sec = 0;
		result->nsec = (long)nanoseconds;
	}
	return vdso_succeed();
}

/* 0 also stands for a page that was never written, so the first second of 1970 comes from the kernel, too. */
VDSO_INLINE long leaf_time(long *result)
{
	long now = (long)leaf_load((uintptr_t)leaf_page(), LEAF_SEC + LEAF_LOW);

	if (VDSO_UNLIKELY(now == 0))
		LEAF_GO(vdso_rare_time, result, 0);
	if (result)
		*result = now;
	return vdso_succeed_with(now);
}

/* ------------------------------------------------------------------ of the hot paths */

/*
 * `name`: the slow path, with the arguments in r3 and r4 unchanged. The caller need not have a frame, so LR is saved in ours,
 * and the C function may use our frame's LR save word. An image has its own, in powerpc.S.
 */
#define LEAF_RARE(name, function) \
	__asm__("	.section .text." #name ", \"ax\", @progbits\n" \
		"	.balign	4\n" \
		"	.type	" #name ", @function\n" #name ":\n" \
		"	stwu	%r1, -16(%r1)\n" \
		"	mflr	%r0\n" \
		"	stw	%r0, 8(%r1)\n" \
		"	bl	" #function "\n" \
		"	lwz	%r0, 8(%r1)\n" \
		"	addi	%r1, %r1, 16\n" \
		"	mtlr	%r0\n" \
		"	cmpwi	%r3, 0\n" \
		"	crclr	4*cr0+so\n" \
		"	bgelr+\n" \
		"	neg	%r3, %r3\n" \
		"	crset	4*cr0+so\n" \
		"	blr\n" \
		"	.size	" #name ", . - " #name "\n" \
		"	.previous\n")

#define LEAF_BEHIND __attribute__((used, noinline, visibility("hidden")))

#endif
