// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See vdso_writer.h. */
#include "vdso_writer.h"
#include "vdso_read.h"

/* Ten percent either way leaves mult room within 32 bits (see shift_fits). */
enum { RATE_PPB_MAX = 100000000 };

/* Up to here some shift fits. */
#define FREQUENCY_HZ_MAX (1ull << 48)

const char *vdso_writer_describe(enum vdso_writer_result result)
{
	switch (result) {
	case VDSO_WRITER_OK:
		return "done";
	case VDSO_WRITER_BAD_FREQUENCY:
		return "no shift suits this frequency: it has to be from 1 Hz to 2^48 Hz";
	case VDSO_WRITER_BAD_MASK:
		return "the counter's mask has to be 2^n - 1, n from 20 to 64";
	case VDSO_WRITER_BAD_SHIFT:
		return "this shift does not suit the frequency: leave it 0";
	case VDSO_WRITER_BAD_RATE:
		return "a rate has to be within 100000000 ppb of nominal";
	case VDSO_WRITER_BAD_TIME:
		return "a time has to have less than a billion nanoseconds, and monotonic clocks cannot be set back";
	case VDSO_WRITER_BAD_LEAP:
		return "a leap second is inserted, deleted or none";
	}
	return "unknown";
}

/* ------------------------------------------------------------------ arithmetic */

/* By long division: 32-bit machines have no 64-bit divide, and there is no libgcc here. */
static uint64_t divide(uint64_t value, uint64_t divisor)
{
	uint64_t quotient = 0, rest = 0;

	for (int bit = 63; bit >= 0; bit--) {
		_Bool over = rest >> 63;

		rest = rest << 1 | (value >> bit & 1);
		if (over || rest >= divisor) {
			rest -= divisor;
			quotient |= 1ull << bit;
		}
	}
	return quotient;
}

static uint64_t second_of(uint32_t shift)
{
	return (uint64_t)VDSO_NSEC_PER_SEC << shift;
}

static void base_normalise(struct vdso_base *base, uint32_t shift)
{
	while (base->shifted >= second_of(shift)) {
		base->shifted -= second_of(shift);
		base->sec++;
	}
}

/* Adds delta * mult exactly: whole seconds by the readers' own division, the fraction with all its bits. */
static void base_advance(struct vdso_base *base, uint64_t delta, uint32_t mult, uint32_t shift)
{
	/* In pieces whose product stays below 2^63. A delta of a year takes some hundred of them at worst. */
	uint64_t piece_max = (1ull << 31) - 1;
	uint64_t whole = 0;

	if (delta > piece_max) {
		/* n pieces of 2^31: the product of 2^31 * mult, n times, by doubling. */
		struct vdso_base step = { 0, (uint64_t)mult << 31 };
		uint64_t seconds = divide(step.shifted, second_of(shift));

		step.sec = seconds;
		step.shifted -= seconds * second_of(shift);
		for (whole = delta >> 31; whole; whole >>= 1) {
			if (whole & 1) {
				base->sec += step.sec;
				base->shifted += step.shifted;
				base_normalise(base, shift);
			}
			step.sec *= 2;
			step.shifted *= 2;
			base_normalise(&step, shift);
		}
		delta &= piece_max;
	}
	{
		uint64_t product = delta * mult;
		uint64_t seconds = divide(product, second_of(shift));

		base->sec += seconds;
		base->shifted += product - seconds * second_of(shift);
		base_normalise(base, shift);
	}
}

static struct vdso_base base_add(struct vdso_base base, struct vdso_timestamp offset, uint32_t shift)
{
	base.sec += offset.sec;
	base.shifted += offset.nsec << shift;
	base_normalise(&base, shift);
	return base;
}

static struct vdso_timestamp plain(struct vdso_base base, uint32_t shift)
{
	return (struct vdso_timestamp){ base.sec, base.shifted >> shift };
}

/* a - b, with nanoseconds 0 to 999999999. */
static struct vdso_timestamp difference(struct vdso_timestamp a, struct vdso_timestamp b)
{
	if (a.nsec < b.nsec)
		return (struct vdso_timestamp){ a.sec - b.sec - 1, a.nsec + VDSO_NSEC_PER_SEC - b.nsec };
	return (struct vdso_timestamp){ a.sec - b.sec, a.nsec - b.nsec };
}

static _Bool before(struct vdso_timestamp a, struct vdso_timestamp b)
{
	return (int64_t)a.sec < (int64_t)b.sec || (a.sec == b.sec && a.nsec < b.nsec);
}

/* A fraction in another shift. The part cut off is less than a nanosecond's last bit, so no clock shows it. */
static void base_rescale(struct vdso_base *base, uint32_t from, uint32_t to)
{
	if (to >= from)
		base->shifted <<= to - from;
	else
		base->shifted >>= from - to;
}

/* ------------------------------------------------------------------ a counter's rate */

static uint64_t mult_for(uint64_t frequency_hz, uint32_t shift)
{
	return divide(second_of(shift) + frequency_hz / 2, frequency_hz);
}

/*
 * mult * 2^32 plus any base has to stay in 64 bits, even ten percent faster: readers of 32-bit machines rely on it. And
 * mult has to have a resolution of one part in 2000 at least, or slewing would be too coarse.
 */
static _Bool shift_fits(uint64_t frequency_hz, uint32_t shift)
{
	uint64_t mult;

	if (shift > 30)
		return 0;
	mult = mult_for(frequency_hz, shift);
	return mult >= 2048 && mult + divide(mult, 8) <= 0xf0000000;
}

static enum vdso_writer_result check_source(const struct vdso_source *source, uint32_t *shift)
{
	uint64_t mask = source->mask;

	if (mask & (mask + 1) || mask < (1ull << 20) - 1)
		return VDSO_WRITER_BAD_MASK;
	if (source->frequency_hz == 0 || source->frequency_hz > FREQUENCY_HZ_MAX)
		return VDSO_WRITER_BAD_FREQUENCY;
	if (source->shift) {
		*shift = source->shift;
		return shift_fits(source->frequency_hz, *shift) ? VDSO_WRITER_OK : VDSO_WRITER_BAD_SHIFT;
	}
	if (shift_fits(source->frequency_hz, VDSO_FIXED_SHIFT)) {
		*shift = VDSO_FIXED_SHIFT;
		return VDSO_WRITER_OK;
	}
	for (*shift = 30; *shift > 0; --*shift)
		if (shift_fits(source->frequency_hz, *shift))
			return VDSO_WRITER_OK;
	return VDSO_WRITER_BAD_FREQUENCY;
}

/* In ticks of the counter; 0: there is none. */
static uint64_t lifetime_of(const struct vdso_writer *writer)
{
	uint64_t ns = writer->lifetime_ns, hz = writer->source.frequency_hz, half = writer->source.mask >> 1, cycles;
	struct vdso_wide product = { { 0, 0, 0, 0 } };

	if (ns == 0)
		return 0;
	vdso_wide_add(&product, (uint64_t)(uint32_t)ns * (uint32_t)hz, 0);
	vdso_wide_add(&product, (ns >> 32) * (uint32_t)hz, 1);
	vdso_wide_add(&product, (uint32_t)ns * (hz >> 32), 1);
	vdso_wide_add(&product, (ns >> 32) * (hz >> 32), 2);
	vdso_wide_split(&product);
	cycles = (uint64_t)product.word[1] << 32 | product.word[0];
	if (product.word[2] | product.word[3] || cycles > half)
		return half;
#if defined(__powerpc__)
	/* What 32-bit readers can tell from the high word alone. */
	if (writer->source.mask == UINT64_MAX && cycles < UINT32_MAX)
		return UINT32_MAX;
#endif
	return cycles ? cycles : 1;
}

static void take_source(struct vdso_writer *writer, const struct vdso_source *source, uint32_t shift, uint64_t cycles)
{
	writer->source = *source;
	writer->shift = shift;
	writer->mult_nominal = (uint32_t)mult_for(source->frequency_hz, shift);
	writer->mult_raw = writer->mult_nominal;
	writer->mult = writer->mult_nominal;
	writer->cycle_last = cycles & source->mask;
	writer->lifetime_cycles = lifetime_of(writer);
	writer->header.plain_shift = source->mode == VDSO_CLOCKMODE_ARCH && source->mask == UINT64_MAX ? shift : 0;
}

static uint64_t delta_to(const struct vdso_writer *writer, uint64_t cycles)
{
	uint64_t delta = (cycles - writer->cycle_last) & writer->source.mask;

	return delta > writer->source.mask >> 1 ? 0 : delta;
}

/* ------------------------------------------------------------------ publishing */

#define STORE(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELAXED)

/* 64 bits may be two stores on a 32-bit machine; the sequence count covers that. */
static void store64(uint64_t *to, uint64_t value)
{
	*(volatile uint64_t *)to = value;
}

static void store_base(struct vdso_timestamp *to, struct vdso_base base)
{
	store64(&to->sec, base.sec);
	store64(&to->nsec, base.shifted);
}

static uint64_t max_cycles(const struct vdso_writer *writer, uint32_t mult)
{
	uint64_t cycles = divide(~0ull - second_of(writer->shift), mult);

	if (writer->lifetime_cycles && cycles > writer->lifetime_cycles)
		cycles = writer->lifetime_cycles;
	return cycles < writer->source.mask >> 1 ? cycles : writer->source.mask >> 1;
}

static void store_block(const struct vdso_writer *writer, struct vdso_data *data, uint32_t mult)
{
	STORE(data->clock_mode, writer->source.mode);
	store64(&data->cycle_last, writer->cycle_last);
	store64(&data->mask, writer->source.mask);
	STORE(data->mult, mult);
	STORE(data->shift, writer->shift);
	STORE(data->tz_minuteswest, writer->tz_minuteswest);
	STORE(data->tz_dsttime, writer->tz_dsttime);
	STORE(data->hrtimer_res, writer->hrtimer_res);
	STORE(data->coarse_res, writer->coarse_res);
}

static struct vdso_base clock_base(const struct vdso_writer *writer, int32_t clock, struct vdso_base monotonic,
				   struct vdso_base raw)
{
	struct vdso_timestamp tai = writer->to_realtime;

	switch (clock) {
	case VDSO_CLOCK_MONOTONIC_RAW:
		return raw;
	case VDSO_CLOCK_REALTIME:
	case VDSO_CLOCK_REALTIME_COARSE:
		return base_add(monotonic, writer->to_realtime, writer->shift);
	case VDSO_CLOCK_BOOTTIME:
		return base_add(monotonic, writer->to_boottime, writer->shift);
	case VDSO_CLOCK_TAI:
		tai.sec += (uint64_t)(int64_t)writer->header.tai_offset;
		return base_add(monotonic, tai, writer->shift);
	default:
		return monotonic;
	}
}

static void store_clock(const struct vdso_writer *writer, int32_t clock)
{
	struct vdso_data *data = writer->page->data;
	struct vdso_base base = clock_base(writer, clock, writer->monotonic, writer->raw);

	if (1u << clock & VDSO_COARSE_CLOCKS)
		base.shifted >>= writer->shift;
	store_base(&data[clock == VDSO_CLOCK_MONOTONIC_RAW ? VDSO_BLOCK_RAW : VDSO_BLOCK_HRES_COARSE].basetime[clock], base);
}

#if defined(__powerpc__)
enum { POWERPC_STAMP = 1 };

static void open_stamp(struct vdso_page *page)
{
	STORE(page->powerpc_stamp.tb_update_count, page->powerpc_stamp.tb_update_count | 1);
}

/* Binary fractions of a second: rate = mult / 2^shift / 10^9 seconds a tick, and tb_to_xs is that times 2^(64 + 32 - 12). */
static void store_stamp(const struct vdso_writer *writer)
{
	struct vdso_powerpc_stamp *stamp = &writer->page->powerpc_stamp;
	struct vdso_base realtime = clock_base(writer, VDSO_CLOCK_REALTIME, writer->monotonic, writer->raw);
	struct vdso_timestamp wall = plain(realtime, writer->shift);
	struct vdso_timestamp to_monotonic = difference((struct vdso_timestamp){ 0, 0 }, writer->to_realtime);
	/* mult * 2^(84 - shift), then divided by 10^9; the word numbered 2 counts units of 2^64. */
	struct vdso_wide scale = { { 0, 0, 0, 0 } };

	vdso_wide_add(&scale, (uint64_t)writer->mult << (writer->shift < 20 ? 20 - writer->shift : 0), 2);
	if (writer->shift > 20)
		vdso_wide_shift(&scale, writer->shift - 20);
	vdso_wide_split(&scale);
	open_stamp(writer->page);
	vdso_write_barrier();
	/* Rounded up, so that converting it back to nanoseconds gives the same number. */
	STORE(stamp->stamp_sec_fraction, (uint32_t)divide((wall.nsec << 32) + VDSO_NSEC_PER_SEC - 1, VDSO_NSEC_PER_SEC));
	store64(&stamp->tb_orig_stamp, writer->cycle_last);
	store64(&stamp->tb_to_xs, (uint64_t)scale.word[1] << 32 | scale.word[0]);
	store64((uint64_t *)&stamp->stamp_xtime_sec, wall.sec);
	store64((uint64_t *)&stamp->wtom_clock_sec, to_monotonic.sec);
	STORE(stamp->stamp_xtime_nsec, (uint32_t)wall.nsec);
	STORE(stamp->wtom_clock_nsec, (uint32_t)to_monotonic.nsec);
	STORE(stamp->hrtimer_res, writer->hrtimer_res);
	vdso_write_barrier();
	STORE(stamp->tb_update_count, stamp->tb_update_count + 1);
}
#else
enum { POWERPC_STAMP = 0 };

static void open_stamp(struct vdso_page *page)
{
	(void)page;
}

static void store_stamp(const struct vdso_writer *writer)
{
	(void)writer;
}
#endif

static void store_header(const struct vdso_writer *writer)
{
	struct vdso_header *header = &writer->page->header;

	store64(&header->magic, VDSO_MAGIC);
	STORE(header->version, VDSO_VERSION);
	STORE(header->size, VDSO_PAGE_SIZE);
	store64(&header->generation, writer->header.generation);
	STORE(header->flags, writer->header.flags);
	STORE(header->status, writer->header.status);
	store64(&header->error_ns, writer->header.error_ns);
	STORE(header->max_drift_ppb, writer->header.max_drift_ppb);
	STORE(header->tai_offset, writer->header.tai_offset);
	STORE(header->leap, writer->header.leap);
	STORE(header->plain_shift, writer->header.plain_shift);
	store64(&header->leap_at, writer->header.leap_at);
}

static void store_seq(struct vdso_page *page, uint32_t seq)
{
	STORE(page->data[0].seq, seq);
	STORE(page->data[1].seq, seq);
}

void vdso_writer_open(struct vdso_writer *writer)
{
	store_seq(writer->page, writer->seq + 1);
	/* The counter is read next, and on no machine does reading it wait for stores. */
	vdso_store_then_counter();
}

void vdso_writer_commit(struct vdso_writer *writer)
{
	static const int32_t clocks[] = { VDSO_CLOCK_REALTIME,
					  VDSO_CLOCK_MONOTONIC,
					  VDSO_CLOCK_MONOTONIC_RAW,
					  VDSO_CLOCK_REALTIME_COARSE,
					  VDSO_CLOCK_MONOTONIC_COARSE,
					  VDSO_CLOCK_BOOTTIME,
					  VDSO_CLOCK_TAI };
	struct vdso_page *page = writer->page;

	store_seq(page, writer->seq + 1);
	vdso_write_barrier();
	store_block(writer, &page->data[VDSO_BLOCK_HRES_COARSE], writer->mult);
	store_block(writer, &page->data[VDSO_BLOCK_RAW], writer->mult_raw);
	for (unsigned int i = 0; i < sizeof(clocks) / sizeof(*clocks); i++)
		store_clock(writer, clocks[i]);
	store64(&page->limits.max_cycles[VDSO_BLOCK_HRES_COARSE], max_cycles(writer, writer->mult));
	store64(&page->limits.max_cycles[VDSO_BLOCK_RAW], max_cycles(writer, writer->mult_raw));
	store64(&page->limits.lifetime_cycles, writer->lifetime_cycles);
	store64(&page->ticks_per_second, writer->source.frequency_hz);
	store_header(writer);
	store_stamp(writer);
	/* 0 is a page that was never written. */
	writer->seq += 2;
	if (writer->seq == 0)
		writer->seq = 2;
	vdso_write_barrier();
	store_seq(page, writer->seq);
}

/* ------------------------------------------------------------------ the writer's calls */

static _Bool is_count(const struct vdso_page *page, const uint32_t *word)
{
	if (POWERPC_STAMP && word == &page->powerpc_stamp.tb_update_count)
		return 1;
	return word == &page->data[0].seq || word == &page->data[1].seq;
}

/*
 * Fills the page with zeros, but for its counts, and returns the last even one. Somebody may be reading the page. So the
 * counts are odd before the first zero is stored: a count of 0 is even, and readers would take the zeros under it for a time.
 * They go on from where they are, wherever a writer that was killed left them: a count that comes once more would hide from a
 * reader that the page is another.
 */
static uint32_t empty(struct vdso_page *page)
{
	uint32_t seq = __atomic_load_n(&page->data[0].seq, __ATOMIC_RELAXED) & ~1u;

	store_seq(page, seq + 1);
	open_stamp(page);
	vdso_write_barrier();
	for (uint32_t *word = (uint32_t *)page; word < (uint32_t *)(page + 1); word++)
		if (!is_count(page, word))
			STORE(*word, 0);
	vdso_write_barrier();
	return seq;
}

static _Bool is_time(struct vdso_timestamp time)
{
	return time.nsec < VDSO_NSEC_PER_SEC;
}

enum vdso_writer_result vdso_writer_prepare(struct vdso_writer *writer, struct vdso_page *page,
					    const struct vdso_source *source, uint64_t cycles, struct vdso_timestamp realtime,
					    uint32_t coarse_res_ns)
{
	uint32_t shift;
	enum vdso_writer_result result = check_source(source, &shift);

	if (result != VDSO_WRITER_OK)
		return result;
	if (!is_time(realtime))
		return VDSO_WRITER_BAD_TIME;
	*writer = (struct vdso_writer){ .page = page, .to_realtime = realtime, .hrtimer_res = 1, .coarse_res = coarse_res_ns };
	take_source(writer, source, shift, cycles);
	writer->seq = empty(page);
	return VDSO_WRITER_OK;
}

enum vdso_writer_result vdso_writer_start(struct vdso_writer *writer, struct vdso_page *page, const struct vdso_source *source,
					  uint64_t cycles, struct vdso_timestamp realtime, uint32_t coarse_res_ns)
{
	enum vdso_writer_result result = vdso_writer_prepare(writer, page, source, cycles, realtime, coarse_res_ns);

	if (result == VDSO_WRITER_OK)
		vdso_writer_commit(writer);
	return result;
}

/* Inserting repeats a second of CLOCK_REALTIME, deleting leaves one out; TAI does neither. */
static void step_over_leap(struct vdso_writer *writer)
{
	struct vdso_base realtime = clock_base(writer, VDSO_CLOCK_REALTIME, writer->monotonic, writer->raw);
	struct vdso_header *header = &writer->header;

	if (header->leap == VDSO_LEAP_INSERT && (int64_t)realtime.sec >= (int64_t)header->leap_at) {
		writer->to_realtime.sec--;
		header->tai_offset++;
		header->leap = VDSO_LEAP_INSERTING;
	} else if (header->leap == VDSO_LEAP_DELETE && (int64_t)realtime.sec >= (int64_t)header->leap_at - 1) {
		writer->to_realtime.sec++;
		header->tai_offset--;
		header->leap = VDSO_LEAP_NONE;
	} else if (header->leap == VDSO_LEAP_INSERTING && (int64_t)realtime.sec >= (int64_t)header->leap_at) {
		header->leap = VDSO_LEAP_NONE;
	}
}

void vdso_writer_begin(struct vdso_writer *writer, uint64_t cycles)
{
	uint64_t delta = delta_to(writer, cycles);

	base_advance(&writer->monotonic, delta, writer->mult, writer->shift);
	base_advance(&writer->raw, delta, writer->mult_raw, writer->shift);
	writer->cycle_last = (writer->cycle_last + delta) & writer->source.mask;
	step_over_leap(writer);
}

/* The nominal mult, faster by `ppb`; rounded to the nearest. */
static enum vdso_writer_result rated(const struct vdso_writer *writer, int64_t rate_ppb, uint32_t *mult)
{
	uint64_t size, change;

	if (rate_ppb > RATE_PPB_MAX || rate_ppb < -RATE_PPB_MAX)
		return VDSO_WRITER_BAD_RATE;
	size = (uint64_t)(rate_ppb < 0 ? -rate_ppb : rate_ppb);
	change = divide(writer->mult_nominal * size + VDSO_NSEC_PER_SEC / 2, VDSO_NSEC_PER_SEC);
	*mult = writer->mult_nominal + (uint32_t)(rate_ppb < 0 ? -change : change);
	return VDSO_WRITER_OK;
}

enum vdso_writer_result vdso_writer_slew(struct vdso_writer *writer, int64_t rate_ppb)
{
	return rated(writer, rate_ppb, &writer->mult);
}

enum vdso_writer_result vdso_writer_trim(struct vdso_writer *writer, int64_t rate_ppb)
{
	return rated(writer, rate_ppb, &writer->mult_raw);
}

enum vdso_writer_result vdso_writer_set_realtime(struct vdso_writer *writer, struct vdso_timestamp realtime)
{
	if (!is_time(realtime))
		return VDSO_WRITER_BAD_TIME;
	writer->to_realtime = difference(realtime, plain(writer->monotonic, writer->shift));
	return VDSO_WRITER_OK;
}

void vdso_writer_step(struct vdso_writer *writer, int64_t step_ns)
{
	uint64_t size = step_ns < 0 ? 0 - (uint64_t)step_ns : (uint64_t)step_ns;
	struct vdso_timestamp step = { divide(size, VDSO_NSEC_PER_SEC), 0 };
	struct vdso_timestamp *to = &writer->to_realtime;

	step.nsec = size - step.sec * VDSO_NSEC_PER_SEC;
	if (step_ns < 0) {
		*to = difference(*to, step);
		return;
	}
	to->sec += step.sec;
	to->nsec += step.nsec;
	if (to->nsec >= VDSO_NSEC_PER_SEC) {
		to->nsec -= VDSO_NSEC_PER_SEC;
		to->sec++;
	}
}

enum vdso_writer_result vdso_writer_set_monotonic(struct vdso_writer *writer, struct vdso_timestamp monotonic,
						  struct vdso_timestamp boottime, struct vdso_timestamp raw)
{
	struct vdso_timestamp now = plain(writer->monotonic, writer->shift), boot_now, realtime;

	boot_now = plain(clock_base(writer, VDSO_CLOCK_BOOTTIME, writer->monotonic, writer->raw), writer->shift);
	realtime = plain(clock_base(writer, VDSO_CLOCK_REALTIME, writer->monotonic, writer->raw), writer->shift);
	if (!is_time(monotonic) || !is_time(boottime) || !is_time(raw) || before(monotonic, now) ||
	    before(boottime, boot_now) || before(raw, plain(writer->raw, writer->shift)))
		return VDSO_WRITER_BAD_TIME;
	writer->monotonic = (struct vdso_base){ monotonic.sec, monotonic.nsec << writer->shift };
	writer->raw = (struct vdso_base){ raw.sec, raw.nsec << writer->shift };
	writer->to_boottime = difference(boottime, monotonic);
	writer->to_realtime = difference(realtime, monotonic);
	return VDSO_WRITER_OK;
}

enum vdso_writer_result vdso_writer_switch(struct vdso_writer *writer, const struct vdso_source *source, uint64_t cycles)
{
	uint32_t shift, old = writer->shift;
	enum vdso_writer_result result = check_source(source, &shift);

	if (result != VDSO_WRITER_OK)
		return result;
	take_source(writer, source, shift, cycles);
	base_rescale(&writer->monotonic, old, shift);
	base_rescale(&writer->raw, old, shift);
	return VDSO_WRITER_OK;
}

void vdso_writer_resume(struct vdso_writer *writer, uint64_t cycles, uint64_t slept_ns)
{
	struct vdso_timestamp *boot = &writer->to_boottime;
	uint64_t seconds = divide(slept_ns, VDSO_NSEC_PER_SEC);

	writer->cycle_last = cycles & writer->source.mask;
	boot->sec += seconds;
	boot->nsec += slept_ns - seconds * VDSO_NSEC_PER_SEC;
	if (boot->nsec >= VDSO_NSEC_PER_SEC) {
		boot->nsec -= VDSO_NSEC_PER_SEC;
		boot->sec++;
	}
	if (slept_ns >> 63) {
		/* 292 years and more: beyond the range of a step, and longer than any sleep. */
		vdso_writer_step(writer, INT64_MAX);
		slept_ns -= INT64_MAX;
	}
	vdso_writer_step(writer, (int64_t)slept_ns);
}

enum vdso_writer_result vdso_writer_restore(struct vdso_writer *writer, const struct vdso_source *source, uint64_t cycles)
{
	enum vdso_writer_result result = vdso_writer_switch(writer, source, cycles);

	if (result != VDSO_WRITER_OK)
		return result;
	writer->header.generation++;
	vdso_writer_set_error(writer, VDSO_STATUS_DISRUPTED, UINT64_MAX, 0);
	return VDSO_WRITER_OK;
}

void vdso_writer_set_tai_offset(struct vdso_writer *writer, int32_t seconds)
{
	writer->header.tai_offset = seconds;
}

enum vdso_writer_result vdso_writer_set_leap(struct vdso_writer *writer, uint32_t leap, uint64_t at)
{
	if (leap > VDSO_LEAP_DELETE)
		return VDSO_WRITER_BAD_LEAP;
	writer->header.leap = leap;
	writer->header.leap_at = at;
	return VDSO_WRITER_OK;
}

void vdso_writer_set_timezone(struct vdso_writer *writer, int32_t minuteswest, int32_t dsttime)
{
	writer->tz_minuteswest = minuteswest;
	writer->tz_dsttime = dsttime;
}

void vdso_writer_set_error(struct vdso_writer *writer, uint32_t status, uint64_t error_ns, uint32_t max_drift_ppb)
{
	writer->header.status = status;
	writer->header.error_ns = error_ns;
	writer->header.max_drift_ppb = max_drift_ppb;
}

void vdso_writer_set_lifetime(struct vdso_writer *writer, uint64_t ns)
{
	writer->lifetime_ns = ns;
	writer->lifetime_cycles = lifetime_of(writer);
}

void vdso_writer_set_getcpu(struct vdso_writer *writer, uint32_t flags)
{
	const uint32_t both = VDSO_FLAG_GETCPU | VDSO_FLAG_RDPID;

	writer->header.flags = (writer->header.flags & ~both) | (flags & both);
}

void vdso_writer_set_syscall_map(struct vdso_writer *writer, const uint32_t map[32])
{
	for (int i = 0; i < 32; i++)
		STORE(writer->page->syscall_map[i], map[i]);
}

struct vdso_timestamp vdso_writer_time(const struct vdso_writer *writer, uint64_t cycles, int32_t clock)
{
	struct vdso_base monotonic = writer->monotonic, raw = writer->raw;
	uint64_t delta = delta_to(writer, cycles);

	if (!(1u << clock & VDSO_COARSE_CLOCKS)) {
		base_advance(&monotonic, delta, writer->mult, writer->shift);
		base_advance(&raw, delta, writer->mult_raw, writer->shift);
	}
	return plain(clock_base(writer, clock, monotonic, raw), writer->shift);
}

enum vdso_writer_result vdso_namespace_start(struct vdso_page *page, struct vdso_timestamp monotonic,
					     struct vdso_timestamp boottime)
{
	if (!is_time(monotonic) || !is_time(boottime))
		return VDSO_WRITER_BAD_TIME;
	/* The counts stay odd, which a namespace's are. With this mode readers take the offsets, so it comes last. */
	empty(page);
	for (int block = 0; block < VDSO_BLOCKS; block++) {
		struct vdso_data *data = &page->data[block];

		data->basetime[VDSO_CLOCK_MONOTONIC] = monotonic;
		data->basetime[VDSO_CLOCK_MONOTONIC_COARSE] = monotonic;
		data->basetime[VDSO_CLOCK_MONOTONIC_RAW] = monotonic;
		data->basetime[VDSO_CLOCK_BOOTTIME] = boottime;
	}
	vdso_write_barrier();
	for (int block = 0; block < VDSO_BLOCKS; block++)
		STORE(page->data[block].clock_mode, VDSO_CLOCKMODE_TIMENS);
	return VDSO_WRITER_OK;
}
