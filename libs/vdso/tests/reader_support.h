/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files of reader-test share: a counter that the tests move, a page and its writer, exact integers, and small helpers.
 * The readers are compiled with that counter, so this comes before any other header of the library.
 */
#ifndef VDSO_TESTS_READER_SUPPORT_H
#define VDSO_TESTS_READER_SUPPORT_H

#include <stdint.h>

#define VDSO_TEST_COUNTER test_counter
#define VDSO_TEST_BARRIER test_barrier

#include "bare.h"
#include "vdso_clock.h"
#include "vdso_hypervisor.h"
#include "vdso_read.h"
#include "vdso_writer.h"

/* What the counter shows, and how often it was read. */
extern uint64_t counter_now, counter_reads;
/* At which barrier from now on the writer commits; 0: at none. */
extern unsigned int commit_at;

/* Two pages one step apart, as a namespace has them. */
extern unsigned char *pages;
extern struct vdso_page *page, *behind;
extern struct vdso_writer writer;

/* The clocks that read the counter. */
extern const int32_t fine_clocks[5];

/* One file each: the readers, the writer, its start, the discipline, hypervisors' pages, the loader. */
void test_readers(uint64_t cases);
void test_writer(uint64_t cases);
void test_start(void);
void test_discipline(void);
void test_hypervisors(uint64_t cases);
void test_loader(const char *path, uint64_t cases);

/* ------------------------------------------------------------------ exact integers, by digits of 16 bits */

struct exact {
	uint32_t digit[12]; /* least significant first */
};

static inline struct exact exact_product(uint64_t a, uint32_t b)
{
	struct exact product = { { 0 } };

	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 2; j++) {
			uint64_t carry = (uint64_t)(uint16_t)(a >> 16 * i) * (uint16_t)(b >> 16 * j);

			for (int k = i + j; carry; k++) {
				carry += product.digit[k];
				product.digit[k] = (uint16_t)carry;
				carry >>= 16;
			}
		}
	return product;
}

static inline void exact_add(struct exact *sum, uint64_t value)
{
	uint64_t carry = 0;

	for (int i = 0; i < 12; i++) {
		carry += sum->digit[i] + (i < 4 ? (uint16_t)(value >> 16 * i) : 0);
		sum->digit[i] = (uint16_t)carry;
		carry >>= 16;
	}
}

/* Divides in place; returns the remainder. */
static inline uint64_t exact_divide(struct exact *value, uint64_t divisor)
{
	uint64_t rest = 0;

	for (int i = 11; i >= 0; i--) {
		rest = rest << 16 | value->digit[i];
		value->digit[i] = (uint32_t)(rest / divisor);
		rest %= divisor;
	}
	return rest;
}

static inline uint64_t exact_low(const struct exact *value)
{
	return (uint64_t)value->digit[3] << 48 | (uint64_t)value->digit[2] << 32 | value->digit[1] << 16 | value->digit[0];
}

/* The time that a block gives at a delta: (delta * mult + base) >> shift, as seconds and nanoseconds. */
static inline struct vdso_time exact_time(const struct vdso_data *data, unsigned int clock, uint64_t delta)
{
	struct exact value = exact_product(delta, data->mult);
	struct vdso_time time;

	exact_add(&value, data->basetime[clock].nsec);
	for (uint32_t shift = data->shift; shift; shift -= shift > 15 ? 15 : shift)
		exact_divide(&value, 1ull << (shift > 15 ? 15 : shift));
	time.nsec = (uint32_t)exact_divide(&value, VDSO_NSEC_PER_SEC);
	time.sec = (int64_t)(data->basetime[clock].sec + exact_low(&value));
	return time;
}

/* ------------------------------------------------------------------ small helpers */

static inline uint64_t random64(void)
{
	return (uint64_t)assay_random() << 32 | assay_random();
}

static inline uint64_t random_bits(unsigned int bits)
{
	return bits == 0 ? 0 : random64() >> (64 - bits);
}

/* A record for each group of checks, on a page of zeros. */
void group_start(void);
void group_end(const char *name, uint64_t count);

static inline struct vdso_source source(uint64_t frequency_hz, uint64_t mask)
{
	return (struct vdso_source){ VDSO_CLOCKMODE_ARCH, 0, mask, frequency_hz };
}

static inline struct vdso_timestamp at(uint64_t sec, uint64_t nsec)
{
	return (struct vdso_timestamp){ sec, nsec };
}

static inline void start(uint64_t frequency_hz, uint64_t mask, uint64_t cycles, struct vdso_timestamp realtime)
{
	struct vdso_source from = source(frequency_hz, mask);
	enum vdso_writer_result result;

	counter_now = cycles & mask;
	result = vdso_writer_start(&writer, page, &from, cycles, realtime, 4000000);
	bare_expect(result == VDSO_WRITER_OK, "%llu Hz: %s", (unsigned long long)frequency_hz, vdso_writer_describe(result));
}

static inline void commit(uint64_t cycles)
{
	counter_now = cycles & writer.source.mask;
	vdso_writer_begin(&writer, cycles);
	vdso_writer_commit(&writer);
}

static inline struct vdso_time now(int32_t clock)
{
	struct vdso_time time = { INT64_MIN, 0 };

	if (vdso_read_time(page, NULL, clock, &time) != VDSO_OK)
		time.sec = INT64_MIN;
	return time;
}

static inline _Bool same(struct vdso_time a, struct vdso_time b)
{
	return a.sec == b.sec && a.nsec == b.nsec;
}

static inline _Bool earlier(struct vdso_time a, struct vdso_time b)
{
	return a.sec < b.sec || (a.sec == b.sec && a.nsec < b.nsec);
}

static inline int64_t between_ns(struct vdso_time a, struct vdso_time b)
{
	return (b.sec - a.sec) * VDSO_NSEC_PER_SEC + (int64_t)b.nsec - (int64_t)a.nsec;
}

static inline void expect_time(struct vdso_time is, struct vdso_time should, const char *what, uint64_t detail)
{
	bare_expect(same(is, should), "%s (%llu): %lld.%09u, expected %lld.%09u", what, (unsigned long long)detail,
		    (long long)is.sec, is.nsec, (long long)should.sec, should.nsec);
}

#endif
