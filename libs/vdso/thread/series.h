/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The C of the 2020 thread for 32-bit PowerPC, with a macro for each step of the series. Structure and order of reads are those
 * of the kernel's lib/vdso after each step, for a kernel without SMP and without time namespaces, as on the two boards; the text
 * is ours. A variant sets some of these to 1 and includes this file:
 *
 *   STEP_RESOLUTION   clock_getres reads the resolution only for a clock that has it
 *   STEP_PAGE         the entry, in assembly, finds the page and passes it on; without, C calls a function for it
 *   STEP_FIXED_MODE   the mode of the one clock source is not checked
 *   STEP_SHIFT        shifting 64 bits by less than 32 is written in 32-bit operations
 *
 * It is kept to judge the thread's measurements. It lacks the barrier that a machine with several processors needs; a product
 * of more than 64 bits is wrong; an update in progress is waited for without limit.
 */
#ifndef VDSO_THREAD_SERIES_H
#define VDSO_THREAD_SERIES_H

#include "calls.h"
#include "thread/system_call.h"

#if defined(__powerpc64__) || !defined(__powerpc__)
#error "the thread's steps are judged on 32-bit PowerPC"
#endif

#define always_inline	inline __attribute__((always_inline))
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define read_once(x)	(*(const volatile __typeof__(x) *)&(x))
#define compiler_barrier() __asm__ volatile("" : : : "memory")

/* The kernel's own time, whose parts have 64 bits on every architecture. */
struct wide_time {
	int64_t sec;
	long long nsec;
};

/* ------------------------------------------------------------------ entry */

#define TEXT(name)	"	.section .text." #name ", \"ax\", @progbits\n	.balign 4\n"
#define FUNCTION(name)	TEXT(name) "	.globl " #name "\n	.type " #name ", @function\n" #name ":\n"
#define END(name)	"	.size " #name ", . - " #name "\n	.previous\n"

/* The page's address from the program counter: `bcl 20, 31` is the form that branch predictors know not to be a call. */
#define FIND_PAGE(register)                                        \
	"	bcl	20, 31, .+4\n"                             \
	"1:	mflr	%" #register "\n"                          \
	"	addi	%" #register ", %" #register ", (vdso_data_page - 1b)@l\n"

#if STEP_PAGE
#define HAND_ON_PAGE(register) FIND_PAGE(register)
#else
#define HAND_ON_PAGE(register) ""
struct vdso_page *vdso_find_page(void);

__asm__(FUNCTION(vdso_find_page)
	"	mflr	%r0\n"
	"	bcl	20, 31, 2f\n"
	"1:	.long	vdso_data_page - 1b\n"
	"2:	mflr	%r3\n"
	"	mtlr	%r0\n"
	"	lwz	%r0, 0(%r3)\n"
	"	add	%r3, %r0, %r3\n"
	"	blr\n"
	END(vdso_find_page));
#endif

/*
 * C cannot report an error by CR0. So each call enters in assembly, makes a frame, calls the C function and negates its
 * negative errno; `page` is the register of its last argument.
 */
#define ENTRY(name, function, page)                                \
	__asm__(FUNCTION(name)                                     \
		"	stwu	%r1, -16(%r1)\n"                   \
		"	mflr	%r0\n"                             \
		"	stw	%r0, 20(%r1)\n"                    \
		HAND_ON_PAGE(page)                                 \
		"	bl	" #function "\n"                   \
		"	lwz	%r0, 20(%r1)\n"                    \
		"	cmpwi	%r3, 0\n"                          \
		"	mtlr	%r0\n"                             \
		"	addi	%r1, %r1, 16\n"                    \
		"	crclr	4*cr0+so\n"                        \
		"	beqlr+\n"                                  \
		"	crset	4*cr0+so\n"                        \
		"	neg	%r3, %r3\n"                        \
		"	blr\n"                                     \
		END(name))

/* time cannot fail, and what it returns is no status. */
#define ENTRY_TIME(name, function, page)                           \
	__asm__(FUNCTION(name)                                     \
		"	stwu	%r1, -16(%r1)\n"                   \
		"	mflr	%r0\n"                             \
		"	stw	%r0, 20(%r1)\n"                    \
		HAND_ON_PAGE(page)                                 \
		"	bl	" #function "\n"                   \
		"	lwz	%r0, 20(%r1)\n"                    \
		"	crclr	4*cr0+so\n"                        \
		"	mtlr	%r0\n"                             \
		"	addi	%r1, %r1, 16\n"                    \
		"	blr\n"                                     \
		END(name))

/* The functions that the entries call are not declared anywhere else, but must not be static. */
#define BEHIND_ENTRY	__attribute__((used, visibility("hidden")))

#if STEP_PAGE
#define PAGE_ARGUMENT	, const struct vdso_page *page
#define PAGE		(page)
#else
#define PAGE_ARGUMENT
#define PAGE		((const struct vdso_page *)vdso_find_page())
#endif

/* 0 or a negative errno. */
static always_inline int system_call(uint32_t number, uint32_t a, uint32_t b)
{
	register uint32_t r0 __asm__("r0") = number;
	register uint32_t r3 __asm__("r3") = a;
	register uint32_t r4 __asm__("r4") = b;

	__asm__ volatile("sc\n\tbns+ 1f\n\tneg %0, %0\n1:"
			 : "+r"(r3), "+r"(r4), "+r"(r0)
			 :
			 : "memory", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "cr0", "ctr");
	return (int)r3;
}

/* ------------------------------------------------------------------ reading the page */

/* The time base is read in two halves, again until the upper one has not changed. */
static always_inline uint64_t time_base(void)
{
	uint32_t high, low, again;

	do {
		__asm__ volatile("mftbu %0" : "=r"(high));
		__asm__ volatile("mftb %0" : "=r"(low));
		__asm__ volatile("mftbu %0" : "=r"(again));
	} while (high != again);
	return (uint64_t)high << 32 | low;
}

static always_inline uint32_t read_begin(const struct vdso_data *block)
{
	uint32_t seq;

	while (unlikely((seq = read_once(block->seq)) & 1))
		compiler_barrier();
	compiler_barrier();
	return seq;
}

static always_inline int read_again(const struct vdso_data *block, uint32_t seq)
{
	compiler_barrier();
	return unlikely(read_once(block->seq) != seq);
}

static always_inline uint64_t shift_nanoseconds(uint64_t ns, uint32_t shift)
{
#if STEP_SHIFT
	uint32_t high = (uint32_t)(ns >> 32);
	uint32_t low = (uint32_t)ns;

	low >>= shift;
	low |= high << (32 - shift);
	high >>= shift;
	if (likely(high == 0))
		return low;
	return (uint64_t)high << 32 | low;
#else
	return ns >> shift;
#endif
}

/* Carries seconds out of nanoseconds, one by one: usually there is none, and a division would take long. */
static always_inline uint32_t take_seconds(uint64_t ns, uint32_t per_second, uint64_t *rest)
{
	uint32_t seconds = 0;

	while (ns >= per_second) {
		/* Keeps the compiler from turning the loop into a division. */
		__asm__("" : "+r"(ns));
		ns -= per_second;
		seconds++;
	}
	*rest = ns;
	return seconds;
}

static always_inline int read_high_resolution(const struct vdso_data *block, int clock, struct wide_time *time)
{
	const struct vdso_timestamp *base = &block->basetime[clock];
	uint64_t cycles, last, sec, ns;
	uint32_t seq;

	do {
		seq = read_begin(block);
#if !STEP_FIXED_MODE
		if (unlikely(block->clock_mode == VDSO_CLOCKMODE_NONE))
			return -1;
#endif
		cycles = time_base();
		ns = base->nsec;
		last = block->cycle_last;
		ns += (cycles - last) * block->mult;
		ns = shift_nanoseconds(ns, block->shift);
		sec = base->sec;
	} while (read_again(block, seq));

	time->sec = (int64_t)(sec + take_seconds(ns, VDSO_NSEC_PER_SEC, &ns));
	time->nsec = (long long)ns;
	return 0;
}

static always_inline int read_coarse(const struct vdso_data *block, int clock, struct wide_time *time)
{
	const struct vdso_timestamp *base = &block->basetime[clock];
	uint32_t seq;

	do {
		seq = read_begin(block);
		time->sec = (int64_t)base->sec;
		time->nsec = (long long)base->nsec;
	} while (read_again(block, seq));
	return 0;
}

static always_inline int read_clock(const struct vdso_page *page, int clock, struct wide_time *time)
{
	const struct vdso_data *blocks = page->data;
	uint32_t bit;

	if (unlikely((uint32_t)clock >= 16))
		return -1;
	bit = 1u << clock;
	if (likely(bit & VDSO_HRES_CLOCKS))
		return read_high_resolution(&blocks[VDSO_BLOCK_HRES_COARSE], clock, time);
	if (bit & VDSO_COARSE_CLOCKS)
		return read_coarse(&blocks[VDSO_BLOCK_HRES_COARSE], clock, time);
	if (bit & VDSO_RAW_CLOCKS)
		return read_high_resolution(&blocks[VDSO_BLOCK_RAW], clock, time);
	return -1;
}

#endif
