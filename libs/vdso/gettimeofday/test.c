/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks and bench of gettimeofday: pages of all rates, with and without a result and a zone, the error bit, and that nothing
 * but the two is written. The bench is vdsotest's loop, which asks for no zone.
 */
#include "test_support.h"

int vdso_gettimeofday_reference(struct vdso_timeval *result, struct vdso_timezone *zone);

static struct assay_region region;

static struct vdso_exact_time expected(void)
{
	struct vdso_timeval time;

	if (reads_stamp())
		return vdso_exact_stamp_at(&vdso_data_page.powerpc_stamp, VDSO_CLOCK_REALTIME, test_counter(),
					   VDSO_USEC_PER_SEC);
	vdso_gettimeofday_reference(&time, NULL);
	return (struct vdso_exact_time){ (unsigned long)time.sec, (unsigned long)time.usec };
}

static void try_one(bool with_result, bool with_zone)
{
	struct vdso_timezone *zone = (struct vdso_timezone *)region.end - 1;
	struct vdso_timeval *result = (struct vdso_timeval *)zone - 1;
	struct vdso_exact_time first, last;
	int status;

	assay_canary_fill(region.end - 256, region.end);
	first = expected();
	status = call_watched((void (*)(void))vdso_gettimeofday, assay_pointer(with_result ? result : NULL),
			      assay_pointer(with_zone ? zone : NULL));
	last = expected();
	if (status != 0)
		assay_fail("returned the error %d", status);
	if (with_result)
		require_between(first, (struct vdso_exact_time){ (unsigned long)result->sec, (unsigned long)result->usec },
				last);
	if (with_zone &&
	    (zone->minuteswest != vdso_data_page.data[0].tz_minuteswest || zone->dsttime != vdso_data_page.data[0].tz_dsttime))
		assay_fail("the zone is %x and %x", (unsigned int)zone->minuteswest, (unsigned int)zone->dsttime);
	assay_canary_check(region.end - 256, (unsigned char *)result, "before the result");
	if (!with_result)
		assay_canary_check((unsigned char *)result, (unsigned char *)zone, "a result that was not asked for");
	if (!with_zone)
		assay_canary_check((unsigned char *)zone, region.end, "a zone that was not asked for");
	assay_passed();
}

static void check(bool quick)
{
	region = assay_region_new(256);
	page_open((void (*)(void))vdso_gettimeofday);
	for (unsigned int round = 0; round < (quick ? 100u : 4000u); round++) {
		page_random(round);
		assay_case("mult=%x shift=%u round=%u", vdso_data_page.data[0].mult, vdso_data_page.data[0].shift, round);
		for (unsigned int parts = 0; parts < 4; parts++)
			try_one(parts & 1, parts & 2);
	}
}

static uint64_t zone_wanted;

static const struct assay_key keys[] = {
	{ .name = "zone", .value = &zone_wanted, .max = 1 },
};

static struct vdso_timeval bench_result;
static struct vdso_timezone bench_zone;

static void set_up(void)
{
	page_open((void (*)(void))vdso_gettimeofday);
	page_for_bench();
	vdso_entry = (vdso_word)vdso_gettimeofday;
	/* So that the emulator translates the code before the stamp is written, not while it ages. */
	page_update_now();
	vdso_wrapper((vdso_word)&bench_result, (vdso_word)(zone_wanted ? &bench_zone : NULL));
}

uint64_t assay_bench(uint64_t iterations)
{
	page_update_now();
	vdso_bench(iterations, (vdso_word)&bench_result, (vdso_word)(zone_wanted ? &bench_zone : NULL));
	page_note_age();
	return (uint64_t)bench_result.usec;
}

const struct assay_hotpath assay_hotpath = {
	.name = "gettimeofday",
	.keys = keys,
	.keys_count = sizeof(keys) / sizeof(keys[0]),
	.check = check,
	.set_up = set_up,
	.held_up = page_has_aged,
};
