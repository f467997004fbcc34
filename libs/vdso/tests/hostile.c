// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * hostile: pages with contents that no writer wrote. Whatever they are, a call has to return in bounded time, with a
 * normalised time or an error, and without a signal: a wrong page may give wrong times, but nothing worse.
 *
 * For a page of zeros, the kernel's answer. Then pages without a counter and of an unknown mode; the bytes of a good page changed
 * to other values, one at a time, each that a reader uses and a sample of the others; random pages; random pages of namespaces; a
 * random page of the hypervisor under each mode.
 */
#include "vdsotest.h"
#include "vdso_read.h"

/* A thousand tries of a page whose sequence is odd take some ten microseconds natively; under QEMU, and preempted, more. */
enum { LIMIT_NS = 500000000 };

static uint64_t slowest_ns;

static void call_everything(struct machine *machine, const char *what, unsigned long at)
{
	static const int32_t clocks[] = { VDSO_CLOCK_REALTIME, VDSO_CLOCK_MONOTONIC_RAW, VDSO_CLOCK_MONOTONIC_COARSE,
					  VDSO_CLOCK_TAI };
	const struct vdso_calls *calls = &machine->calls;
	uint64_t start = bare_nanoseconds(), took;
	long tv[2] = { 0, 0 };
	int32_t zone[2];

	for (unsigned int i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
		struct bare_time time;
		long result = machine_clock_gettime(calls, clocks[i], &time);

		bare_expect(!machine_convention() && result == 0 && time.nsec >= 0 && time.nsec < VDSO_NSEC_PER_SEC,
			    "%s %lu: clock_gettime %s gives %ld, %lld ns", what, at, machine_clock_name(clocks[i]), result,
			    (long long)time.nsec);
	}
	bare_expect(machine_call(calls->gettimeofday, (uintptr_t)tv, (uintptr_t)zone, 0) == 0 && tv[1] >= 0 &&
			    tv[1] < VDSO_USEC_PER_SEC,
		    "%s %lu: gettimeofday gives %ld us", what, at, tv[1]);
	machine_call(calls->clock_getres, VDSO_CLOCK_MONOTONIC, (uintptr_t)tv, 0);
	if (calls->time)
		machine_call(calls->time, (uintptr_t)tv, 0, 0);
	took = bare_nanoseconds() - start;
	if (took > slowest_ns)
		slowest_ns = took;
	bare_expect(took < LIMIT_NS, "%s %lu: the calls took %llu ns", what, at, (unsigned long long)took);
}

/* With a page that gives no answer, each call is the system call. */
static void expect_kernel(struct machine *machine, const char *what)
{
	for (unsigned int i = 0; i < 7; i++) {
		struct bare_time before, here, after, kernel;
		int32_t clock = machine_clocks[i];

		bare_clock_gettime(clock, &before);
		bare_expect(machine_clock_gettime(&machine->calls, clock, &here) == 0, "%s: clock_gettime %s fails", what,
			    machine_clock_name(clock));
		bare_clock_gettime(clock, &after);
		bare_expect((here.sec > before.sec || (here.sec == before.sec && here.nsec >= before.nsec)) &&
				    (here.sec < after.sec || (here.sec == after.sec && here.nsec <= after.nsec)),
			    "%s: clock_gettime %s is not the kernel's", what, machine_clock_name(clock));
		bare_clock_getres(clock, &kernel);
		bare_expect(machine_clock_getres(&machine->calls, clock, &here) == 0 && here.nsec == kernel.nsec,
			    "%s: clock_getres %s is not the kernel's", what, machine_clock_name(clock));
	}
	if (machine->calls.time)
		bare_expect(machine_call(machine->calls.time, 0, 0, 0) > 1000000000, "%s: time() is not the kernel's", what);
}

static void fill_with_rubbish(void *to, size_t bytes)
{
	assay_random_fill(to, bytes);
}

/* A random page rarely has an even count and a known mode, without which only the fallback would be tested. */
static void make_plausible(struct vdso_page *page, unsigned long number)
{
	for (int block = 0; block < VDSO_BLOCKS; block++) {
		page->data[block].seq &= ~1u;
		page->data[block].clock_mode = number % 5 == 4 ? VDSO_CLOCKMODE_TIMENS : (int32_t)(number % 4);
		if (number % 5 == 4)
			page->data[block].seq |= 1;
	}
}

void test_hostile(struct machine *machine, uint64_t pages)
{
	static const unsigned char values[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct vdso_page *page = machine->page;
	static struct vdso_page good;

	expect_kernel(machine, "an all-zero page");
	machine_start(machine);
	if (!machine->has_counter) {
		bare_skip("hostile: this processor has no counter that a page could send the image to");
		return;
	}
	good = *page;
	page->data[0].clock_mode = page->data[1].clock_mode = VDSO_CLOCKMODE_NONE;
	call_everything(machine, "no counter", 0);
	page->data[0].clock_mode = page->data[1].clock_mode = 77;
	call_everything(machine, "an unknown mode", 77);
	for (unsigned long at = 0; at < sizeof(good); at++) {
		for (unsigned int i = 0; i < sizeof(values); i++) {
			*page = good;
			((volatile unsigned char *)page)[at] = values[i];
			call_everything(machine, "byte", at);
		}
		*page = good;
		((volatile unsigned char *)page)[at] ^= (unsigned char)(1 + assay_random_below(255));
		call_everything(machine, "byte", at);
		/* Nothing is read past the limits: a sample of the rest is enough. */
		if (at > 700)
			at += 63;
	}
	for (uint64_t number = 0; number < pages; number++) {
		fill_with_rubbish(page, sizeof(*page));
		fill_with_rubbish(machine->behind, sizeof(*page));
		fill_with_rubbish(machine->hypervisor, 4096);
		if (number & 1)
			make_plausible(page, (unsigned long)number);
		call_everything(machine, "rubbish", (unsigned long)number);
	}
	assay_print("hostile\t%llu\t%llu\n", (unsigned long long)pages, (unsigned long long)slowest_ns);
}
