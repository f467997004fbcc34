/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The readers: how a time is computed from a clock page. Everything is inline, needs no libc, takes no lock, writes nothing
 * but its result, and is safe in signal handlers and after fork.
 *
 * The fast path is vdso_try_time(): one pass, no loop, no call, so that it needs no stack frame. Rare cases leave it for
 * vdso_read_time_slow(): a writer at work, another source than the architecture's counter, a counter below cycle_last, a delta
 * whose product needs more than 64 bits. The slow path tries a bounded number of times and then gives up with VDSO_FALLBACK: the
 * caller asks the kernel. So a page whose writer died, or one with arbitrary contents, costs bounded time.
 *
 * Nothing outside the page is read, whatever it holds. A time namespace's page, which sends its reader to the system's one step
 * behind it, gets VDSO_FALLBACK here: only the images, whose kernel maps both, follow it (image/namespace.h).
 *
 * VDSO_TEST_COUNTER, if defined, is a function that replaces the counter: tests set it as they like. VDSO_TEST_BARRIER is one
 * that replaces the barriers: a test's writer commits there, between any two loads of a reader.
 */
#ifndef VDSO_READ_H
#define VDSO_READ_H

#include "vdso_page.h"
#include "vdso_hypervisor.h"

#if defined(__powerpc__)
#include "arch/powerpc.h"
#elif defined(__x86_64__)
#include "arch/x86_64.h"
#elif defined(__aarch64__)
#include "arch/aarch64.h"
#elif defined(__riscv) && __riscv_xlen == 64
#include "arch/riscv64.h"
#elif defined(__loongarch64)
#include "arch/loongarch64.h"
#else
#error "no clock page for this architecture: add libs/vdso/arch/<arch>.h"
#endif

/* private: */
#ifdef VDSO_TEST_COUNTER
uint64_t VDSO_TEST_COUNTER(void);
#define vdso_counter VDSO_TEST_COUNTER
#endif
#ifdef VDSO_TEST_BARRIER
void VDSO_TEST_BARRIER(void);
#define vdso_read_barrier VDSO_TEST_BARRIER
#endif

#define VDSO_INLINE static inline __attribute__((always_inline, unused))
#define VDSO_COLD static __attribute__((noinline, cold, unused))
#define VDSO_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define VDSO_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
/* public: */

/* What a reader returns: 0, or that the page has no answer and the system call has to give it. */
enum { VDSO_OK = 0, VDSO_FALLBACK = -1 };

/* A writer holds the sequence odd for some tens of stores. A writer that is preempted meanwhile holds it for long; then the
 * system call is faster. */
enum { VDSO_TRIES_MAX = 1000 };

struct vdso_time {
	int64_t sec;
	uint32_t nsec; /* 0 to 999999999 */
};

/* private: */
VDSO_INLINE uint32_t vdso_seq(const struct vdso_data *vd, uintptr_t zero)
{
	return __atomic_load_n((const uint32_t *)((uintptr_t)&vd->seq + zero), __ATOMIC_RELAXED);
}

/* A 32-bit machine shifts two words; a compiler that does not know that shift < 32 adds a branch. */
VDSO_INLINE uint64_t vdso_shift(uint64_t value, uint32_t shift)
{
#if __SIZEOF_POINTER__ == 4
	uint32_t high = (uint32_t)(value >> 32), low = (uint32_t)value;

	if (VDSO_LIKELY(shift - 1 < 31))
		return (uint64_t)(high >> shift) << 32 | (high << (32 - shift) | low >> shift);
#endif
	return value >> (shift & 63);
}

/* ------------------------------------------------------------------ exact arithmetic for the slow path */

/* A 128-bit number as four words, least significant first: products and quotients without a libgcc. */
struct vdso_wide {
	uint32_t word[4];
};

VDSO_COLD void vdso_wide_add(struct vdso_wide *sum, uint64_t low, unsigned int at)
{
	uint64_t carry = 0;

	for (unsigned int i = at; i < 4; i++) {
		carry += (uint64_t)sum->word[i] + (i == at ? (uint32_t)low : i == at + 1 ? (uint32_t)(low >> 32) : 0);
		sum->word[i] = (uint32_t)carry;
		carry >>= 32;
	}
}

VDSO_COLD void vdso_wide_shift(struct vdso_wide *value, uint32_t shift)
{
	for (; shift >= 32; shift -= 32) {
		value->word[0] = value->word[1];
		value->word[1] = value->word[2];
		value->word[2] = value->word[3];
		value->word[3] = 0;
	}
	for (; shift; shift--) {
		for (int i = 0; i < 3; i++)
			value->word[i] = value->word[i] >> 1 | value->word[i + 1] << 31;
		value->word[3] >>= 1;
	}
}

/* Divides in place by a billion, bit by bit; returns the remainder. */
VDSO_COLD uint32_t vdso_wide_split(struct vdso_wide *value)
{
	uint32_t rest = 0;

	for (int bit = 127; bit >= 0; bit--) {
		uint32_t *word = &value->word[bit >> 5], mask = 1u << (bit & 31);

		rest = rest << 1 | (*word & mask ? 1 : 0);
		*word &= ~mask;
		if (rest >= VDSO_NSEC_PER_SEC) {
			rest -= VDSO_NSEC_PER_SEC;
			*word |= mask;
		}
	}
	return rest;
}

/* (delta * mult + base) >> shift nanoseconds, added to sec; exact for any operands. Seconds are taken modulo 2^64. */
VDSO_COLD void vdso_exact(uint64_t delta, uint32_t mult, uint64_t base, uint32_t shift, uint64_t sec, struct vdso_time *time)
{
	struct vdso_wide ns = { { 0, 0, 0, 0 } };

	vdso_wide_add(&ns, (delta & 0xffffffff) * mult, 0);
	vdso_wide_add(&ns, (delta >> 32) * mult, 1);
	vdso_wide_add(&ns, base, 0);
	vdso_wide_shift(&ns, shift & 63);
	time->nsec = vdso_wide_split(&ns);
	time->sec = (int64_t)(sec + ((uint64_t)ns.word[1] << 32 | ns.word[0]));
}

/* ------------------------------------------------------------------ high resolution and raw */

/* The counter that a mode stands for; false if there is none, or none that can be trusted now. */
VDSO_INLINE bool vdso_counter_of(int32_t mode, const void *hypervisor, uint64_t *cycles)
{
	if (mode == VDSO_CLOCKMODE_ARCH) {
		*cycles = vdso_counter();
		return 1;
	}
#if defined(__x86_64__)
	if (hypervisor && mode == VDSO_CLOCKMODE_PVCLOCK)
		return vdso_pvclock_ns(hypervisor, vdso_counter, cycles);
	if (hypervisor && mode == VDSO_CLOCKMODE_HVCLOCK)
		return vdso_hyperv_100ns(hypervisor, vdso_counter, cycles);
#else
	(void)hypervisor;
#endif
	return 0;
}

/* One pass under the sequence count; false if it has to be tried again. */
VDSO_COLD int vdso_hres_system(const struct vdso_page *page, unsigned int block, unsigned int clock, const void *hypervisor,
			       struct vdso_time *time)
{
	const struct vdso_data *vd = &page->data[block];

	for (unsigned int tries = 0; tries < VDSO_TRIES_MAX; tries++, vdso_relax()) {
		uint32_t seq = vdso_seq(vd, 0), mult, shift;
		uint64_t cycles, delta, away, mask, base, sec, lifetime;

		if (seq & 1)
			continue;
		vdso_read_barrier();
		if (!vdso_counter_of(vd->clock_mode, hypervisor, &cycles))
			return VDSO_FALLBACK;
		mask = vd->mask;
		delta = (cycles - vd->cycle_last) & mask;
		mult = vd->mult;
		shift = vd->shift;
		base = vd->basetime[clock].nsec;
		sec = vd->basetime[clock].sec;
		lifetime = page->limits.lifetime_cycles;
		vdso_read_barrier();
		if (vdso_seq(vd, vdso_zero_after(cycles)) != seq)
			continue;
		away = delta;
		/* More than half the counter's range ahead means behind: this processor's counter lags a little. */
		if (delta > mask >> 1) {
			away = (0 - delta) & mask;
			delta = 0;
		}
		/* No processor's lags by the lifetime: that counter began anew, as at a boot, and the page is an older one's. */
		if (lifetime && away > lifetime)
			return VDSO_FALLBACK;
		vdso_exact(delta, mult, base, shift, sec, time);
		return VDSO_OK;
	}
	return VDSO_FALLBACK;
}

/* The fast path. On any result but VDSO_OK, `time` is undefined and vdso_read_time_slow has to be called. */
VDSO_INLINE int vdso_try_hres(const struct vdso_page *page, unsigned int block, unsigned int clock, struct vdso_time *time)
{
	const struct vdso_data *vd = &page->data[block];
	uint32_t seq = vdso_seq(vd, 0);
	uint64_t cycles, delta, ns;

	vdso_read_barrier();
	/* The mode is read after the barrier: by a stale one a counter might be read that no longer exists. */
	if (VDSO_UNLIKELY((seq & 1) | (uint32_t)(vd->clock_mode ^ VDSO_CLOCKMODE_ARCH)))
		return VDSO_FALLBACK;
	cycles = vdso_counter();
	delta = cycles - vd->cycle_last;
#if __SIZEOF_POINTER__ == 8
	delta &= vd->mask;
	if (VDSO_UNLIKELY(delta > page->limits.max_cycles[block]))
		return VDSO_FALLBACK;
	ns = delta * vd->mult + vd->basetime[clock].nsec;
#else
	/* The counters of 32-bit machines have 64 bits. One test of the high words for a long delta and for a mask of fewer. */
	if (VDSO_UNLIKELY(((uint32_t)(delta >> 32) | ~(uint32_t)(vd->mask >> 32)) != 0))
		return VDSO_FALLBACK;
	ns = (uint64_t)(uint32_t)delta * vd->mult + vd->basetime[clock].nsec;
#endif
	ns = vdso_shift(ns, vd->shift);
	time->sec = (int64_t)vd->basetime[clock].sec;
	vdso_read_barrier();
	if (VDSO_UNLIKELY(vdso_seq(vd, vdso_zero_after(cycles)) != seq))
		return VDSO_FALLBACK;
	/* Whole seconds since the last update are rare, and a hostile page must not cause a long loop. */
	if (VDSO_UNLIKELY((uint32_t)(ns >> 32) != 0))
		return VDSO_FALLBACK;
	time->nsec = (uint32_t)ns;
	if (time->nsec >= VDSO_NSEC_PER_SEC) {
		time->nsec -= VDSO_NSEC_PER_SEC;
		time->sec = (int64_t)((uint64_t)time->sec + 1);
		if (VDSO_UNLIKELY(time->nsec >= VDSO_NSEC_PER_SEC))
			return VDSO_FALLBACK;
	}
	return VDSO_OK;
}

/* ------------------------------------------------------------------ coarse */

VDSO_COLD int vdso_coarse_system(const struct vdso_data *vd, unsigned int clock, struct vdso_time *time)
{
	for (unsigned int tries = 0; tries < VDSO_TRIES_MAX; tries++, vdso_relax()) {
		uint32_t seq = vdso_seq(vd, 0);
		uint64_t nsec;

		if (seq & 1)
			continue;
		vdso_read_barrier();
		time->sec = (int64_t)vd->basetime[clock].sec;
		nsec = vd->basetime[clock].nsec;
		vdso_read_barrier();
		if (vdso_seq(vd, 0) != seq)
			continue;
		time->nsec = (uint32_t)nsec;
		/* No writer leaves these values: the page was never written, or holds something else. */
		return seq == 0 || nsec >= VDSO_NSEC_PER_SEC ? VDSO_FALLBACK : VDSO_OK;
	}
	return VDSO_FALLBACK;
}

VDSO_INLINE int vdso_try_coarse(const struct vdso_page *page, unsigned int clock, struct vdso_time *time)
{
	const struct vdso_data *vd = &page->data[VDSO_BLOCK_HRES_COARSE];
	uint32_t seq = vdso_seq(vd, 0);

	vdso_read_barrier();
	time->sec = (int64_t)vd->basetime[clock].sec;
	time->nsec = (uint32_t)vd->basetime[clock].nsec;
	vdso_read_barrier();
	/* seq 0: the page was never written. Invalid nanoseconds: not by one of our writers. */
	if (VDSO_UNLIKELY((seq & 1) || seq == 0 || time->nsec >= VDSO_NSEC_PER_SEC || vdso_seq(vd, 0) != seq))
		return VDSO_FALLBACK;
	return VDSO_OK;
}

/* ------------------------------------------------------------------ by number, as the calls of the vDSO have them */

VDSO_INLINE int vdso_try_time(const struct vdso_page *page, int32_t clock, struct vdso_time *time)
{
	uint32_t bit;

	if (VDSO_UNLIKELY((uint32_t)clock >= VDSO_BASES))
		return VDSO_FALLBACK;
	bit = 1u << clock;
	if (VDSO_LIKELY(bit & VDSO_HRES_CLOCKS))
		return vdso_try_hres(page, VDSO_BLOCK_HRES_COARSE, (unsigned int)clock, time);
	if (bit & VDSO_COARSE_CLOCKS)
		return vdso_try_coarse(page, (unsigned int)clock, time);
	if (bit & VDSO_RAW_CLOCKS)
		return vdso_try_hres(page, VDSO_BLOCK_RAW, (unsigned int)clock, time);
	return VDSO_FALLBACK;
}

/* The block that a clock stands in. */
VDSO_INLINE unsigned int vdso_block_of(int32_t clock)
{
	return clock == VDSO_CLOCK_MONOTONIC_RAW ? VDSO_BLOCK_RAW : VDSO_BLOCK_HRES_COARSE;
}

/* The time of one page, whatever it holds. */
VDSO_INLINE int vdso_page_time(const struct vdso_page *page, const void *hypervisor, int32_t clock, struct vdso_time *time)
{
	uint32_t bit;

	if ((uint32_t)clock >= VDSO_BASES)
		return VDSO_FALLBACK;
	bit = 1u << clock;
	if (bit & (VDSO_HRES_CLOCKS | VDSO_RAW_CLOCKS))
		return vdso_hres_system(page, vdso_block_of(clock), (unsigned int)clock, hypervisor, time);
	if (bit & VDSO_COARSE_CLOCKS)
		return vdso_coarse_system(&page->data[VDSO_BLOCK_HRES_COARSE], (unsigned int)clock, time);
	return VDSO_FALLBACK;
}

VDSO_COLD int vdso_read_time_slow(const struct vdso_page *page, const void *hypervisor, int32_t clock, struct vdso_time *time)
{
	return vdso_page_time(page, hypervisor, clock, time);
}
/* public: */

/*
 * Reads a clock by Linux's number. `hypervisor` is the page of VDSO_CLOCKMODE_PVCLOCK or _HVCLOCK, NULL if there is none.
 * VDSO_FALLBACK for a clock that no page has (CPU times, alarms), and whenever the page cannot tell.
 */
VDSO_INLINE int vdso_read_time(const struct vdso_page *page, const void *hypervisor, int32_t clock, struct vdso_time *time)
{
	if (VDSO_LIKELY(vdso_try_time(page, clock, time) == VDSO_OK))
		return VDSO_OK;
	return vdso_read_time_slow(page, hypervisor, clock, time);
}

/* private: */
VDSO_INLINE uint32_t vdso_try_resolution(const struct vdso_data *vd, int32_t clock)
{
	uint32_t number = (uint32_t)clock;

	if (VDSO_UNLIKELY(number >= VDSO_BASES))
		return 0;
	/* Two shifted masks, not one bit shifted: the second shift is then executed only on the path that needs it. */
	if (VDSO_LIKELY((VDSO_HRES_CLOCKS | VDSO_RAW_CLOCKS) >> number & 1))
		return vd->hrtimer_res;
	return VDSO_COARSE_CLOCKS >> number & 1 ? vd->coarse_res : 0;
}
/* public: */

/* A resolution in ns from one page; 0 if it has none, as a namespace's page or one that was never written. */
VDSO_INLINE uint32_t vdso_read_resolution(const struct vdso_page *page, int32_t clock)
{
	return vdso_try_resolution(page->data, clock);
}

/* private: */
VDSO_INLINE int64_t vdso_try_seconds(const struct vdso_data *vd)
{
	const uint64_t *sec = &vd->basetime[VDSO_CLOCK_REALTIME].sec;

#if __SIZEOF_POINTER__ == 8
	return (int64_t)__atomic_load_n(sec, __ATOMIC_RELAXED);
#else
	return (int32_t)__atomic_load_n((const uint32_t *)sec + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__), __ATOMIC_RELAXED);
#endif
}
/* public: */

/*
 * CLOCK_REALTIME's seconds at the last update: one load, which 64-bit machines make at once. time() of a 32-bit machine has 32
 * bits: the low half is the answer, and one load. 0 if the page has none, as a namespace's.
 */
VDSO_INLINE int64_t vdso_read_seconds(const struct vdso_page *page)
{
	return vdso_try_seconds(page->data);
}

#endif
