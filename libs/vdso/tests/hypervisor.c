// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Hypervisors' pages against exact integers, and as the counter of a clock page. */
#include "reader_support.h"

static void test_pvclock(uint64_t cases)
{
	struct vdso_pvclock pv = { .version = 2, .flags = VDSO_PVCLOCK_TSC_STABLE };
	uint64_t ns;

	group_start();
	for (uint64_t i = 0; i < cases; i++) {
		uint64_t delta = random_bits(assay_random_below(40)), shifted;
		struct exact product;

		pv.tsc_timestamp = random64() >> 1;
		pv.system_time = random_bits(60);
		pv.tsc_to_system_mul = assay_random();
		pv.tsc_shift = (int8_t)((int)assay_random_below(20) - 10);
		counter_now = pv.tsc_timestamp + delta;
		shifted = pv.tsc_shift < 0 ? delta >> -pv.tsc_shift : delta << pv.tsc_shift;
		product = exact_product(shifted, pv.tsc_to_system_mul);
		exact_divide(&product, 65536);
		exact_divide(&product, 65536);
		bare_expect(vdso_pvclock_ns(&pv, test_counter, &ns) && ns == pv.system_time + exact_low(&product),
			    "pvclock: delta %llu, shift %d", (unsigned long long)delta, pv.tsc_shift);
	}
	counter_now = pv.tsc_timestamp - 1;
	bare_expect(vdso_pvclock_ns(&pv, test_counter, &ns) && ns == pv.system_time, "a TSC behind the timestamp");
	pv.version = 3;
	bare_expect(!vdso_pvclock_ns(&pv, test_counter, &ns), "a page that is being written");
	pv.version = 2;
	pv.flags = VDSO_PVCLOCK_GUEST_STOPPED;
	bare_expect(!vdso_pvclock_ns(&pv, test_counter, &ns), "a page that is not stable");
	pv.version = 0;
	pv.flags = VDSO_PVCLOCK_TSC_STABLE;
	bare_expect(!vdso_pvclock_ns(&pv, test_counter, &ns), "a page that was never written");
	group_end("pvclock", cases + 4);
}

static void test_hyperv(uint64_t cases)
{
	struct vdso_hyperv_tsc hv = { .sequence = 1 };
	uint64_t ticks;

	group_start();
	for (uint64_t i = 0; i < cases; i++) {
		struct exact low, high;

		hv.scale = random64();
		hv.offset = (int64_t)random64() >> 8;
		hv.sequence = 1 + assay_random_below(0xfffffffe);
		counter_now = random64();
		/* now * scale >> 64, by the halves of scale. */
		low = exact_product(counter_now, (uint32_t)hv.scale);
		exact_divide(&low, 65536);
		exact_divide(&low, 65536);
		high = exact_product(counter_now, (uint32_t)(hv.scale >> 32));
		exact_add(&high, exact_low(&low));
		/* What of `low` is above 64 bits. */
		high.digit[4] += low.digit[4];
		exact_divide(&high, 65536);
		exact_divide(&high, 65536);
		bare_expect(vdso_hyperv_100ns(&hv, test_counter, &ticks) && ticks == exact_low(&high) + (uint64_t)hv.offset,
			    "Hyper-V: %llu at scale %llx", (unsigned long long)counter_now, (unsigned long long)hv.scale);
	}
	hv.sequence = 0;
	bare_expect(!vdso_hyperv_100ns(&hv, test_counter, &ticks), "a page that is not valid");
	group_end("Hyper-V's TSC page", cases + 1);
}

/* A clock page whose counter is such a page. x86-64 alone has those modes. */
static void test_hypervisor_modes(void)
{
#if defined(__x86_64__)
	struct vdso_pvclock pv = { .version = 2,
				   .flags = VDSO_PVCLOCK_TSC_STABLE,
				   .system_time = 1000,
				   .tsc_to_system_mul = 0x80000000,
				   .tsc_shift = 1 };
	struct vdso_hyperv_tsc hv = { .sequence = 7, .scale = 1ull << 62, .offset = 50 };
	struct vdso_source from = { VDSO_CLOCKMODE_PVCLOCK, 0, UINT64_MAX, 1000000000 };
	struct vdso_time time;

	group_start();
	vdso_writer_start(&writer, page, &from, 1000, at(5, 0), 4000000);
	counter_now = 500;
	bare_expect(vdso_read_time(page, &pv, VDSO_CLOCK_REALTIME, &time) == VDSO_OK && time.sec == 5 && time.nsec == 500,
		    "pvclock");
	pv.flags = 0;
	bare_expect(vdso_read_time(page, &pv, VDSO_CLOCK_REALTIME, &time) == VDSO_FALLBACK, "pvclock, not stable");
	bare_expect(vdso_read_time(page, NULL, VDSO_CLOCK_REALTIME, &time) == VDSO_FALLBACK, "pvclock, not mapped");
	from = (struct vdso_source){ VDSO_CLOCKMODE_HVCLOCK, 0, UINT64_MAX, 10000000 };
	vdso_writer_start(&writer, page, &from, 50, at(5, 0), 4000000);
	counter_now = 40;
	bare_expect(vdso_read_time(page, &hv, VDSO_CLOCK_REALTIME, &time) == VDSO_OK && time.sec == 5 && time.nsec == 1000,
		    "Hyper-V");
	hv.sequence = 0;
	bare_expect(vdso_read_time(page, &hv, VDSO_CLOCK_REALTIME, &time) == VDSO_FALLBACK, "Hyper-V, not valid");
	group_end("hypervisors' pages as counters", 5);
#endif
}

void test_hypervisors(uint64_t cases)
{
	test_pvclock(cases);
	test_hyperv(cases);
	test_hypervisor_modes();
}
