/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the tests of the calls share: the page, filled at random or for the bench, and calls that check the error bit.
 *
 * A counter cannot be stopped, so a result has to lie between two exact ones, from just before and just after it. Half of the
 * pages have a rate so low that these two are equal, so the comparison is exact.
 */
#ifndef VDSO_TEST_SUPPORT_H
#define VDSO_TEST_SUPPORT_H

#include "assay.h"
#include "calls.h"
#include "exact.h"
#include "harness.h"
#include "test_counter.h"
#include "test_system_call.h"

/* A variant defines these to say how it reads; only whether they are defined counts, not their value. */
extern const unsigned char vdso_reads_stamp __attribute__((weak)); /* powerpc's old stamp, not the blocks */
extern const unsigned char vdso_takes_long_deltas __attribute__((weak)); /* products beyond 64 bits are right, too */

/* It gets a system page of its own, so that it can be made writable although it lies among code. */
#ifdef __powerpc__
#define PAGE_SECTION ".text.vdso_data_page, \"ax\", @progbits"
#define PAGE_BYTES "4096"
#else
#define PAGE_SECTION ".bss.vdso_data_page, \"aw\", @nobits"
#define PAGE_BYTES "65536"
#endif
__asm__(".section " PAGE_SECTION "\n"
	"	.balign	" PAGE_BYTES "\n"
	"	.globl	vdso_data_page\n"
	"vdso_data_page:\n"
	"	.zero	" PAGE_BYTES "\n"
	"	.previous\n");

static inline bool reads_stamp(void)
{
	return &vdso_reads_stamp != NULL;
}

/* Whether a clock's time is in what the variant reads. */
static inline bool is_served(int clock)
{
	if (reads_stamp())
		return clock == VDSO_CLOCK_REALTIME || clock == VDSO_CLOCK_MONOTONIC;
	return clock >= 0 && clock < 32 && (1u << clock & (VDSO_HRES_CLOCKS | VDSO_COARSE_CLOCKS | VDSO_RAW_CLOCKS)) != 0;
}

/* Makes the page writable; `function` is the variant's, which has to be near on powerpc. */
static inline void page_open(void (*function)(void))
{
#ifdef __powerpc__
	uintptr_t distance = (uintptr_t)&vdso_data_page - (uintptr_t)function;

	if (distance + 32000 > 64000)
		assay_die("the page is %ld bytes from the code, too far for one addi", (long)distance);
#else
	(void)function;
#endif
	assay_allow(&vdso_data_page, sizeof(vdso_data_page));
}

static inline uint64_t random64(void)
{
	return (uint64_t)assay_random() << 32 | assay_random();
}

/* How fast a page's time goes: ns a tick is mult / 2^shift. */
struct rate {
	uint32_t mult, shift;
	uint64_t delta; /* ticks from cycle_last to about now */
};

static inline void block_fill(struct vdso_data *block, const struct rate *rate, uint64_t now)
{
	*block = (struct vdso_data){
		.seq = (assay_random() & ~1u) + 2,
		.clock_mode = VDSO_CLOCKMODE_ARCH,
		.cycle_last = now - rate->delta,
		.mask = UINT64_MAX,
		.mult = rate->mult,
		.shift = rate->shift,
		.tz_minuteswest = (int32_t)assay_random(),
		.tz_dsttime = (int32_t)assay_random(),
		.hrtimer_res = 1 + assay_random_below(100),
		.coarse_res = VDSO_LOW_RES,
	};
	for (unsigned int clock = 0; clock < VDSO_BASES; clock++) {
		uint64_t nsec = assay_random_below(VDSO_NSEC_PER_SEC);

		block->basetime[clock].sec = assay_random() >> 2;
		block->basetime[clock].nsec = 1u << clock & VDSO_COARSE_CLOCKS ? nsec : nsec << rate->shift;
	}
}

static inline void stamp_fill(struct vdso_powerpc_stamp *stamp, const struct rate *rate, uint64_t now)
{
	*stamp = (struct vdso_powerpc_stamp){
		.tb_update_count = assay_random() & ~1u,
		.stamp_sec_fraction = assay_random(),
		.tb_orig_stamp = now - rate->delta,
		.tb_to_xs = random64() >> assay_random_below(20),
		.stamp_xtime_sec = assay_random() >> 2,
		.wtom_clock_sec = -(int64_t)(assay_random() >> 3),
		.wtom_clock_nsec = assay_random_below(VDSO_NSEC_PER_SEC),
		.hrtimer_res = 1 + assay_random_below(100),
	};
}

/* A rate with products of at most 64 bits and times of some seconds; every other one is so slow that calls see one time. */
static inline struct rate random_rate(unsigned int round)
{
	struct rate rate = { .shift = assay_random_below(2) ? VDSO_FIXED_SHIFT : 20 + assay_random_below(12) };

	if (round % 2) {
		rate.mult = 1 + assay_random_below(8);
		rate.delta = random64() >> (8 + assay_random_below(30));
	} else {
		rate.mult = assay_random() >> assay_random_below(12) | 1;
		rate.delta = random64() >> (32 + assay_random_below(20));
	}
	/* Variants count seconds one by one, so there have to be few. */
	while (vdso_exact_nanoseconds(rate.delta, rate.mult, 0, rate.shift) > 8ull * VDSO_NSEC_PER_SEC)
		rate.delta >>= 1;
	return rate;
}

/* As a writer would set it. */
static inline void page_is_plain(void)
{
	const struct vdso_data *data = vdso_data_page.data;

	vdso_data_page.header.plain_shift = data[0].shift == data[1].shift ? data[0].shift : 0;
}

/* The products of the largest mult that Linux computes with leave room for ten minutes; 128 bits are for longer. */
static inline void page_random(unsigned int round)
{
	uint64_t now = test_counter();
	struct vdso_page *page = &vdso_data_page;

	for (unsigned int block = 0; block < VDSO_BLOCKS; block++) {
		struct rate rate = random_rate(round);

		block_fill(&page->data[block], &rate, now);
		page->limits.max_cycles[block] = UINT64_MAX / rate.mult / 2;
		if (block == 0)
			stamp_fill(&page->powerpc_stamp, &rate, now);
	}
	page_is_plain();
}

/*
 * A page as in use: just updated, with a counter of 2.3 GHz, which is about QEMU's rate, and a shift of 24; no second ends
 * while the bench runs. The counters of the studied cores are slower, but that changes no instruction.
 */
static inline void page_for_bench(void)
{
	const uint32_t mult = (uint32_t)(((uint64_t)VDSO_NSEC_PER_SEC << VDSO_FIXED_SHIFT) / 2300000000u);
	struct rate rate = { .mult = mult, .shift = VDSO_FIXED_SHIFT };
	struct vdso_page *page = &vdso_data_page;

	page->header.plain_shift = VDSO_FIXED_SHIFT;
	for (unsigned int block = 0; block < VDSO_BLOCKS; block++) {
		block_fill(&page->data[block], &rate, 0);
		page->limits.max_cycles[block] = UINT64_MAX / mult / 2;
		for (unsigned int clock = 0; clock < VDSO_BASES; clock++)
			page->data[block].basetime[clock].nsec =
				1u << clock & VDSO_COARSE_CLOCKS ? 100000000 : 100000000ull << VDSO_FIXED_SHIFT;
	}
	page->powerpc_stamp = (struct vdso_powerpc_stamp){
		.tb_update_count = 2,
		.stamp_sec_fraction = 1u << 28,
		/* 2^20 parts of a second a tick, as a fraction of 2^64. */
		.tb_to_xs = ((uint64_t)1 << 63) / 2300000000u << 21,
		.stamp_xtime_sec = 1579196675,
		.wtom_clock_sec = -1579000000,
		.wtom_clock_nsec = 200000000,
		.hrtimer_res = 1,
	};
}

/* The last thing before the loop: the page was updated now. */
static inline void page_update_now(void)
{
	uint64_t now = test_counter();

	vdso_data_page.data[0].cycle_last = vdso_data_page.data[1].cycle_last = now;
	vdso_data_page.powerpc_stamp.tb_orig_stamp = now;
}

static uint64_t page_age;

/* The first thing behind the loop. */
static inline void page_note_age(void)
{
	page_age = test_counter() - vdso_data_page.powerpc_stamp.tb_orig_stamp;
}

/*
 * Whether calls may have found the page older than it ever is where a kernel runs: the old assembly takes another path from
 * 2^20 ticks on, some tenths of a millisecond of QEMU's counter.
 */
static inline bool page_has_aged(void)
{
	return reads_stamp() && page_age >> 20 != 0;
}

/* ------------------------------------------------------------------ calls */

#ifdef __powerpc__
/* XER's summary overflow bit, which every compare copies into its field of CR, is the caller's and may be set. */
static inline void set_summary_overflow(bool set)
{
	__asm__ volatile("mtxer %0" : : "r"(set ? 0x80000000u : 0) : "xer");
}
#else
static inline void set_summary_overflow(bool set)
{
	(void)set;
}
#endif

/* 0 or a negative errno; some calls check the preserved registers, the others the error bit. */
static inline int call_watched(void (*function)(void), uintptr_t a, uintptr_t b)
{
	int status = (int)assay_call(function, a, b), error;
	long result;

	for (int overflow = 0; overflow <= 1; overflow++) {
		bool failed;

		set_summary_overflow(overflow);
		failed = vdso_call((vdso_word)function, a, b, &result);
		set_summary_overflow(false);
		error = (int)result;
		if (failed != (error != 0))
			assay_fail("returned %d, and in CR0 that this is %s, with XER's summary overflow bit %s", error,
				   failed ? "an error" : "none", overflow ? "set" : "clear");
		if (error != status)
			assay_fail("returned %d when all registers were watched, and %d then", status, error);
	}
#ifdef __powerpc__
	return -status;
#else
	return status;
#endif
}

static inline bool is_before(struct vdso_exact_time a, struct vdso_exact_time b)
{
	return a.sec < b.sec || (a.sec == b.sec && a.nsec < b.nsec);
}

/* A failure unless `got` is neither before `first` nor after `last`. */
static inline void require_between(struct vdso_exact_time first, struct vdso_exact_time got, struct vdso_exact_time last)
{
	if (is_before(got, first))
		assay_fail("%llu.%09llu is before %llu.%09llu, the time just before the call", (unsigned long long)got.sec,
			   (unsigned long long)got.nsec, (unsigned long long)first.sec, (unsigned long long)first.nsec);
	if (is_before(last, got))
		assay_fail("%llu.%09llu is after %llu.%09llu, the time just after the call", (unsigned long long)got.sec,
			   (unsigned long long)got.nsec, (unsigned long long)last.sec, (unsigned long long)last.nsec);
	assay_passed();
}

#endif
