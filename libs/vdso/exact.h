/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Times by exact integer arithmetic, slow and simple: what readers are compared with. Nothing here is shared with a reader.
 */
#ifndef VDSO_EXACT_H
#define VDSO_EXACT_H

#include "vdso_page.h"

struct vdso_exact_time {
	uint64_t sec, nsec;
};

/* (delta * mult + base) >> shift, with a product of 96 bits. The result is less than 2^64; `shift` is less than 64. */
static inline uint64_t vdso_exact_nanoseconds(uint64_t delta, uint32_t mult, uint64_t base, uint32_t shift)
{
	uint64_t below = (delta & 0xffffffff) * mult, above = (delta >> 32) * mult;
	uint64_t low = below + (above << 32), high = (above >> 32) + (low < below);

	low += base;
	high += low < base;
	return shift ? high << (64 - shift) | low >> shift : low;
}

/* The time that a page gives for the counter value `counter`. */
static inline struct vdso_exact_time vdso_exact_at(const struct vdso_page *page, uint32_t clock, uint64_t counter)
{
	const struct vdso_data *block = &page->data[1u << clock & VDSO_RAW_CLOCKS ? VDSO_BLOCK_RAW : VDSO_BLOCK_HRES_COARSE];
	struct vdso_exact_time time = { block->basetime[clock].sec, block->basetime[clock].nsec };
	uint64_t nanoseconds;

	if (1u << clock & VDSO_COARSE_CLOCKS)
		return time;
	nanoseconds = vdso_exact_nanoseconds((counter - block->cycle_last) & block->mask, block->mult, time.nsec, block->shift);
	time.sec += nanoseconds / VDSO_NSEC_PER_SEC;
	time.nsec = nanoseconds % VDSO_NSEC_PER_SEC;
	return time;
}

/*
 * Seconds since the epoch with 32 binary places, as powerpc's stamp has them: only the upper 32 bits of its scale are used,
 * which makes the time since the stamp too short by up to 0.25 ppm.
 */
static inline uint64_t vdso_exact_stamp_seconds(const struct vdso_powerpc_stamp *stamp, uint64_t counter)
{
	uint64_t ticks = (counter - stamp->tb_orig_stamp) << 12, scale = stamp->tb_to_xs >> 32;
	uint64_t seconds = ((ticks & 0xffffffff) * scale >> 32) + (ticks >> 32) * scale;

	return seconds + ((uint64_t)(uint32_t)stamp->stamp_xtime_sec << 32 | stamp->stamp_sec_fraction);
}

/* The same for realtime and monotonic, in units of which a second has `unit`: 10^9 or 10^6. */
static inline struct vdso_exact_time vdso_exact_stamp_at(const struct vdso_powerpc_stamp *stamp, uint32_t clock,
							 uint64_t counter, uint32_t unit)
{
	uint64_t seconds = vdso_exact_stamp_seconds(stamp, counter);
	struct vdso_exact_time time = { seconds >> 32, (seconds & 0xffffffff) * unit >> 32 };

	if (clock == VDSO_CLOCK_MONOTONIC) {
		time.sec = (uint32_t)(time.sec + (uint64_t)stamp->wtom_clock_sec);
		time.nsec += stamp->wtom_clock_nsec;
		if (time.nsec >= unit) {
			time.nsec -= unit;
			time.sec++;
		}
	}
	return time;
}

#endif
