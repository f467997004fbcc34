// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * verify, as vdsotest defines it: system call and image in turn; times normalised, none earlier than the one before; the same
 * resolutions; the same processor number after moving to another.
 *
 * The kernel's image reads the kernel's own page, so "none earlier" is checked to the nanosecond. Ours reads a page that is
 * disciplined from outside, by readings of the kernel's clocks that are some hundred nanoseconds wide: it may be off by at most
 * what its page says (error_ns and drift); by itself it must never go back. A coarse clock of ours shows the time of our last
 * update, however long ago that was. The kernel's shows the time of its last tick, so ours is held against the fine clock.
 */
#include "vdsotest.h"

#include "vdso_read.h"

enum { UPDATE_NS = 10000000 };

static int64_t nanoseconds(struct bare_time time)
{
	return time.sec * VDSO_NSEC_PER_SEC + time.nsec;
}

static _Bool is_ours(const struct machine *machine, const struct vdso_calls *calls)
{
	return calls == &machine->calls;
}

struct verify {
	struct machine *machine;
	const struct vdso_calls *calls;
	uint64_t end, last_update;
	uint64_t count;
	int64_t worst;
};

/* By how much our clock may differ from the kernel's; 0 for the kernel's own image. */
static int64_t allowance(const struct verify *verify, int32_t clock)
{
	const struct vdso_discipline *discipline = &verify->machine->discipline;
	uint64_t milliseconds = (bare_nanoseconds() - verify->last_update) / 1000000 + 1;
	int64_t allowed;

	if (!is_ours(verify->machine, verify->calls))
		return 0;
	if (clock == VDSO_CLOCK_MONOTONIC_RAW) {
		allowed = discipline->raw.error_ns < 0 ? -discipline->raw.error_ns : discipline->raw.error_ns;
		return allowed + (int64_t)(discipline->raw.bracket_ns + discipline->raw.drift_ppb * milliseconds / 1000);
	}
	allowed = (int64_t)verify->machine->page->header.error_ns;
	return allowed + (int64_t)(verify->machine->page->header.max_drift_ppb * milliseconds / 1000);
}

/* Whether there is time for another round; keeps the page current. */
static _Bool go_on(struct verify *verify)
{
	uint64_t now = bare_nanoseconds();

	if (is_ours(verify->machine, verify->calls) && now >= verify->last_update + UPDATE_NS) {
		verify->last_update = now;
		vdso_discipline_update(&verify->machine->discipline, UPDATE_NS);
	}
	verify->count++;
	return now < verify->end;
}

static void start(struct verify *verify, struct machine *machine, const struct vdso_calls *calls, uint64_t milliseconds)
{
	*verify = (struct verify){ .machine = machine, .calls = calls, .end = bare_nanoseconds() + milliseconds * 1000000 };
}

static void finish(const struct verify *verify, const char *call, const char *clock, _Bool ok)
{
	assay_print("verify\t%s\t%s\t%s\t%s\t%llu\t%lld\n", verify->calls->name, call, clock, ok ? "ok" : "FAILED",
		    (unsigned long long)verify->count, (long long)verify->worst);
}

/* The clock that a coarse one is a past value of. */
static int32_t fine_clock(int32_t clock)
{
	return clock == VDSO_CLOCK_REALTIME_COARSE  ? VDSO_CLOCK_REALTIME :
	       clock == VDSO_CLOCK_MONOTONIC_COARSE ? VDSO_CLOCK_MONOTONIC :
						      clock;
}

/* One round: kernel, image, kernel. The allowed difference is read in between, so that it belongs to this round. */
static _Bool gettime_round(struct verify *verify, int32_t clock, _Bool wide, int64_t *last)
{
	struct bare_time before, here, after;
	const int32_t bound = is_ours(verify->machine, verify->calls) ? fine_clock(clock) : clock;
	int64_t allowed, earliest, latest, off;
	long result;

	bare_clock_gettime(bound, &before);
	if (wide) {
		here = (struct bare_time){ 0, 0 };
		result = (int)machine_call(verify->calls->clock_gettime64, (uintptr_t)clock, (uintptr_t)&here, 0);
	} else {
		result = machine_clock_gettime(verify->calls, clock, &here);
	}
	bare_clock_gettime(bound, &after);
	allowed = allowance(verify, clock);
	earliest = nanoseconds(before);
	latest = nanoseconds(after);
	if (bound != clock)
		earliest -= (int64_t)(bare_nanoseconds() - verify->last_update);
	off = nanoseconds(here) < earliest ? nanoseconds(here) - earliest :
	      nanoseconds(here) > latest   ? nanoseconds(here) - latest :
					     0;
	if ((off < 0 ? -off : off) > (verify->worst < 0 ? -verify->worst : verify->worst))
		verify->worst = off;
	if (result != 0 || machine_convention()) {
		assay_print("FAILED %s clock_gettime %s returns %ld%s%s\n", verify->calls->name, machine_clock_name(clock),
			    result, machine_convention() ? ": " : "", machine_convention() ? machine_convention() : "");
		return 0;
	}
	if (here.nsec < 0 || here.nsec >= VDSO_NSEC_PER_SEC || off < -allowed || off > allowed) {
		assay_print("FAILED %s clock_gettime %s: %lld.%09lld is not within %lld.%09lld and %lld.%09lld, +-%lld ns\n",
			    verify->calls->name, machine_clock_name(clock), (long long)here.sec, (long long)here.nsec,
			    (long long)(earliest / VDSO_NSEC_PER_SEC), (long long)(earliest % VDSO_NSEC_PER_SEC),
			    (long long)(latest / VDSO_NSEC_PER_SEC), (long long)(latest % VDSO_NSEC_PER_SEC),
			    (long long)allowed);
		return 0;
	}
	/* The wall clock may be set back; the others may not be. */
	if (clock != VDSO_CLOCK_REALTIME && clock != VDSO_CLOCK_REALTIME_COARSE && clock != VDSO_CLOCK_TAI &&
	    nanoseconds(here) < *last) {
		assay_print("FAILED %s clock_gettime %s went back by %lld ns\n", verify->calls->name, machine_clock_name(clock),
			    (long long)(*last - nanoseconds(here)));
		return 0;
	}
	*last = nanoseconds(here);
	return 1;
}

static void verify_gettime(struct machine *machine, const struct vdso_calls *calls, int32_t clock, _Bool wide,
			   uint64_t milliseconds)
{
	struct verify verify;
	int64_t last = INT64_MIN;
	_Bool ok = 1;

	for (start(&verify, machine, calls, milliseconds); ok && go_on(&verify);)
		ok = gettime_round(&verify, clock, wide, &last);
	finish(&verify, wide ? "clock_gettime64" : "clock_gettime", machine_clock_name(clock), ok);
	bare_expect(ok, "%s clock_gettime %s", calls->name, machine_clock_name(clock));
}

static void verify_getres(struct machine *machine, const struct vdso_calls *calls, int32_t clock, uint64_t milliseconds)
{
	struct verify verify;
	_Bool ok = 1;

	for (start(&verify, machine, calls, milliseconds); ok && go_on(&verify);) {
		struct bare_time kernel, here;
		long result = machine_clock_getres(calls, clock, &here);

		bare_clock_getres(clock, &kernel);
		ok = result == 0 && !machine_convention() && here.sec == kernel.sec && here.nsec == kernel.nsec;
		ok = ok && machine_call(calls->clock_getres, (uintptr_t)clock, 0, 0) == 0;
	}
	finish(&verify, "clock_getres", machine_clock_name(clock), ok);
	bare_expect(ok, "%s clock_getres %s", calls->name, machine_clock_name(clock));
}

static void verify_gettimeofday(struct machine *machine, const struct vdso_calls *calls, uint64_t milliseconds)
{
	struct verify verify;
	_Bool ok = 1;

	for (start(&verify, machine, calls, milliseconds); ok && go_on(&verify);) {
		struct bare_time before, after;
		long here[2] = { 0, 0 };
		int32_t zone[2] = { 99, 99 }, kernel_zone[2] = { 98, 98 };
		int64_t allowed, time, off;
		long result;

		bare_clock_gettime(VDSO_CLOCK_REALTIME, &before);
		result = (int)machine_call(calls->gettimeofday, (uintptr_t)here, (uintptr_t)zone, 0);
		bare_clock_gettime(VDSO_CLOCK_REALTIME, &after);
		bare_call(VDSO_SYS_GETTIMEOFDAY, 0, (uintptr_t)kernel_zone);
		allowed = allowance(&verify, VDSO_CLOCK_REALTIME);
		time = (int64_t)here[0] * VDSO_NSEC_PER_SEC + (int64_t)here[1] * 1000;
		off = time + 999 < nanoseconds(before) ? time + 999 - nanoseconds(before) :
		      time > nanoseconds(after)	       ? time - nanoseconds(after) :
							 0;
		if ((off < 0 ? -off : off) > (verify.worst < 0 ? -verify.worst : verify.worst))
			verify.worst = off;
		ok = result == 0 && !machine_convention() && here[1] >= 0 && here[1] < VDSO_USEC_PER_SEC && off >= -allowed &&
		     off <= allowed && zone[0] == kernel_zone[0] && zone[1] == kernel_zone[1];
		here[0] = 0;
		ok = ok && machine_call(calls->gettimeofday, (uintptr_t)here, 0, 0) == 0 && here[0] != 0;
		ok = ok && machine_call(calls->gettimeofday, 0, 0, 0) == 0;
	}
	finish(&verify, "gettimeofday", "realtime", ok);
	bare_expect(ok, "%s gettimeofday", calls->name);
}

static void verify_time(struct machine *machine, const struct vdso_calls *calls, uint64_t milliseconds)
{
	struct verify verify;
	_Bool ok = 1;

	for (start(&verify, machine, calls, milliseconds); ok && go_on(&verify);) {
		struct bare_time before, after;
		long stored = 0, result;

		bare_clock_gettime(VDSO_CLOCK_REALTIME_COARSE, &before);
		result = machine_call(calls->time, (uintptr_t)&stored, 0, 0);
		bare_clock_gettime(VDSO_CLOCK_REALTIME, &after);
		/* Seconds of the last update: a new second may appear as late as the next update. */
		ok = result == stored && !machine_convention() && result <= after.sec + (is_ours(machine, calls) ? 1 : 0) &&
		     result >= before.sec - (is_ours(machine, calls) ? 1 : 0) && machine_call(calls->time, 0, 0, 0) >= result;
	}
	finish(&verify, "time", "realtime", ok);
	bare_expect(ok, "%s time", calls->name);
}

/* Moves to each processor that there is, and calls there. */
static void verify_getcpu(struct machine *machine, const struct vdso_calls *calls, uint64_t milliseconds)
{
	unsigned long all[16] = { 0 }, one[16];
	struct verify verify;
	_Bool ok = 1;

	if (bare_call(SYS_SCHED_GETAFFINITY, 0, sizeof(all), (uintptr_t)all) <= 0) {
		bare_skip("getcpu: the processors of this machine are not told");
		return;
	}
	for (start(&verify, machine, calls, milliseconds); ok && go_on(&verify);) {
		for (unsigned int cpu = 0; ok && cpu < 8 * sizeof(all); cpu++) {
			uint32_t here[2] = { 9999, 9999 }, kernel[2] = { 9998, 9998 };

			if (!(all[cpu / (8 * sizeof(long))] >> cpu % (8 * sizeof(long)) & 1))
				continue;
			memset(one, 0, sizeof(one));
			one[cpu / (8 * sizeof(long))] = 1ul << cpu % (8 * sizeof(long));
			if (bare_call(SYS_SCHED_SETAFFINITY, 0, sizeof(one), (uintptr_t)one) != 0)
				continue;
			ok = machine_call(calls->getcpu, (uintptr_t)&here[0], (uintptr_t)&here[1], 0) == 0 &&
			     !machine_convention();
			bare_call(VDSO_SYS_GETCPU, (uintptr_t)&kernel[0], (uintptr_t)&kernel[1], 0);
			ok = ok && here[0] == kernel[0] && here[1] == kernel[1] && here[0] == cpu;
		}
		bare_call(SYS_SCHED_SETAFFINITY, 0, sizeof(all), (uintptr_t)all);
	}
	finish(&verify, "getcpu", "", ok);
	bare_expect(ok, "%s getcpu", calls->name);
}

/* Clocks that no page has: the image has to hand them to the system call and its answer back. 16 to 23 are newer kernels'
 * auxiliary clocks, which their vDSO may know. */
static void verify_fallback(struct machine *machine, const struct vdso_calls *calls)
{
	static const int32_t others[] = {
		2, 3, 8, 9, 10, 12, 13, 15, 31, 32, 33, 64, 0x7fffffff, -1, -2, -6, (int32_t)0x80000000
	};
	struct verify verify;
	_Bool ok = 1;

	start(&verify, machine, calls, 0);
	for (unsigned int i = 0; i < sizeof(others) / sizeof(*others); i++) {
		struct bare_time before = { 0, 0 }, here, after = { 0, 0 };
		long first = bare_clock_gettime(others[i], &before), result, second;

		result = machine_clock_gettime(calls, others[i], &here);
		if (machine_convention())
			assay_print("FAILED %s clock %d: %s\n", calls->name, others[i], machine_convention());
		ok = ok && !machine_convention();
		second = bare_clock_gettime(others[i], &after);
		ok = ok && (result == first || result == second);
		if (result == 0)
			ok = ok && nanoseconds(here) >= nanoseconds(before) && nanoseconds(here) <= nanoseconds(after);
		ok = ok && machine_clock_getres(calls, others[i], &here) == bare_clock_getres(others[i], &before);
		if (!ok) {
			assay_print("FAILED %s: clock %d gives %ld, the kernel %ld\n", calls->name, others[i], result, first);
			break;
		}
		verify.count++;
	}
	finish(&verify, "fallback", "", ok);
	bare_expect(ok, "%s hands other clocks to the kernel", calls->name);
}

/* time() where the page is a namespace's, which it does not read itself: no namespace moves the wall clock. */
static _Bool time_is_right(const struct vdso_calls *calls)
{
	struct bare_time after;
	long stored = 0, result = machine_call(calls->time, (uintptr_t)&stored, 0, 0);

	bare_clock_gettime(VDSO_CLOCK_REALTIME, &after);
	return !machine_convention() && result == stored && result >= after.sec - 1 && result <= after.sec + 1;
}

#if defined(__powerpc__)
static _Bool tbfreq_is_right(const struct machine *machine, const struct vdso_page *page)
{
	uint64_t hz = machine_call_wide(machine->calls.get_tbfreq);

	return !machine_convention() && hz == page->ticks_per_second && hz > 0;
}

/* The map of a page that stands so many bytes behind the one where the image looks. */
static _Bool syscall_map_is_right(const struct machine *machine, const struct vdso_page *page, uintptr_t step)
{
	const struct vdso_calls *calls = &machine->calls;
	long map = (long)((uintptr_t)machine->seen->syscall_map + step);
	uint32_t count = 0;

	return machine_call(calls->get_syscall_map, (uintptr_t)&count, 0, 0) == map && !machine_convention() && count == 1024 &&
	       memcmp((const void *)map, page->syscall_map, sizeof(page->syscall_map)) == 0 &&
	       machine_call(calls->get_syscall_map, 0, 0, 0) == map;
}
#endif

/*
 * A process in a time namespace: its own page where the image looks, the system's one step further. The kernel's clocks know
 * nothing of this namespace, so the test adds its offsets to them; a difference of a millisecond is enough to find a wrong one.
 */
static void verify_namespace(struct machine *machine, uint64_t milliseconds)
{
	static const struct {
		int32_t clock;
		int64_t offset_ns;
	} clocks[] = { { VDSO_CLOCK_REALTIME, 0 },
		       { VDSO_CLOCK_MONOTONIC, -2300000000 },
		       { VDSO_CLOCK_MONOTONIC_RAW, -2300000000 },
		       { VDSO_CLOCK_BOOTTIME, 100000000000 } };
	static struct vdso_page system;
	struct verify verify;
	_Bool ok = 1;

	vdso_discipline_update(&machine->discipline, UPDATE_NS);
	system = *machine->page;
	/* A copy, which nobody updates: with a lifetime the kernel would be asked, which knows no such namespace. */
	system.limits.lifetime_cycles = 0;
	*machine->behind = system;
	vdso_namespace_start(machine->page, (struct vdso_timestamp){ (uint64_t)-3, 700000000 },
			     (struct vdso_timestamp){ 100, 0 });
	start(&verify, machine, NULL, milliseconds < 20 ? milliseconds : 20);
	while (ok && go_on(&verify))
		for (unsigned int i = 0; ok && i < sizeof(clocks) / sizeof(*clocks); i++) {
			struct bare_time kernel, here, unit, kernels_unit;
			int64_t off;

			bare_clock_gettime(clocks[i].clock, &kernel);
			ok = machine_clock_gettime(&machine->calls, clocks[i].clock, &here) == 0 && !machine_convention();
			off = nanoseconds(here) - nanoseconds(kernel) - clocks[i].offset_ns;
			ok = ok && off > -1000000 && off < 100000000 && here.nsec >= 0 && here.nsec < VDSO_NSEC_PER_SEC;
			bare_clock_getres(clocks[i].clock, &kernels_unit);
			ok = ok && machine_clock_getres(&machine->calls, clocks[i].clock, &unit) == 0 &&
			     unit.nsec == kernels_unit.nsec;
			ok = ok && (!machine->calls.time || time_is_right(&machine->calls));
		}
#if defined(__powerpc__)
	ok = ok && tbfreq_is_right(machine, &system) && syscall_map_is_right(machine, &system, VDSO_PAGE_STEP);
#endif
	*machine->page = system;
	verify.calls = &machine->calls;
	finish(&verify, "time namespace", "", ok);
	bare_expect(ok, "clocks in a time namespace");
}

#if defined(__powerpc__)
/* Code is written over code that has run, up to the end of what is mapped. */
static _Bool sync_dicache_is_right(const struct vdso_calls *calls)
{
	enum { LI_R3 = 0x38600000, CRCLR_SO = 0x4c631982, BLR = 0x4e800020 };
	size_t bytes = assay_page_bytes();
	unsigned char *end = (unsigned char *)bare_map(NULL, 2 * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1) + bytes;
	volatile uint32_t *code = (volatile uint32_t *)end - 3;
	_Bool ok = machine_call(calls->sync_dicache, (uintptr_t)end, (uintptr_t)end, 0) == 0 && !machine_convention();

	bare_map(end - bytes, bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1);
	for (uint32_t number = 1; ok && number <= 3; number++) {
		code[0] = LI_R3 | number;
		code[1] = CRCLR_SO;
		code[2] = BLR;
		ok = machine_call(calls->sync_dicache, (uintptr_t)code, (uintptr_t)end, 0) == 0 && !machine_convention() &&
		     machine_call((void *)code, 0, 0, 0) == (long)number;
	}
	return ok;
}

/* A commit leaves the map as it is. */
static void set_syscall_map(struct machine *machine)
{
	uint32_t map[32];

	assay_random_fill(map, sizeof(map));
	vdso_writer_set_syscall_map(&machine->discipline.writer, map);
	vdso_discipline_update(&machine->discipline, UPDATE_NS);
	bare_expect(memcmp(machine->page->syscall_map, map, sizeof(map)) == 0, "the map of system calls stays");
}

/* The calls that no other architecture has. */
static void verify_powerpc(struct machine *machine)
{
	struct verify verify;
	_Bool tbfreq = tbfreq_is_right(machine, machine->page);
	_Bool map = syscall_map_is_right(machine, machine->page, 0);
	_Bool sync = sync_dicache_is_right(&machine->calls);

	start(&verify, machine, &machine->calls, 0);
	verify.count = 1;
	finish(&verify, "get_tbfreq", "", tbfreq);
	bare_expect(tbfreq, "get_tbfreq");
	finish(&verify, "get_syscall_map", "", map);
	bare_expect(map, "get_syscall_map");
	finish(&verify, "sync_dicache", "", sync);
	bare_expect(sync, "sync_dicache");
}
#endif

#if defined(__powerpc__) && !defined(__powerpc64__)
static _Bool is_coarse(int32_t clock)
{
	return 1u << clock & VDSO_COARSE_CLOCKS;
}

/*
 * 32-bit PowerPC's fast path uses header.plain_shift and not the block's shift. With a block's shift of 63 the reader of
 * vdso_read.h gives no nanoseconds, so a call that gives some took the fast path.
 */
static void verify_short_way(struct machine *machine)
{
	const struct vdso_calls *calls = &machine->calls;
	struct vdso_page *page = machine->page;
	struct verify verify;
	_Bool ok = 1;

	vdso_discipline_update(&machine->discipline, UPDATE_NS);
	start(&verify, machine, calls, 0);
	page->data[0].shift = page->data[1].shift = 63;
	for (int plain = 1; plain >= 0; plain--) {
		page->header.plain_shift = plain ? VDSO_FIXED_SHIFT : 0;
		for (unsigned int i = 0; ok && i < 7; i++) {
			struct bare_time time, wide;

			if (is_coarse(machine_clocks[i]))
				continue;
			machine_clock_gettime(calls, machine_clocks[i], &time);
			machine_call(calls->clock_gettime64, (uintptr_t)machine_clocks[i], (uintptr_t)&wide, 0);
			ok = (time.nsec > 1) == plain && (wide.nsec > 1) == plain;
			verify.count += 2;
		}
	}
	vdso_discipline_update(&machine->discipline, UPDATE_NS);
	finish(&verify, "short way", "", ok);
	bare_expect(ok, "a plain page is read the short way, and no other");
}
#endif

void test_verify(struct machine *machine, const struct vdso_calls *calls, uint64_t milliseconds)
{
	if (is_ours(machine, calls) && !machine->has_counter)
		bare_skip("verify: this processor has no counter that can be trusted; all calls fall back");
	for (unsigned int i = 0; i < 7; i++) {
		verify_gettime(machine, calls, machine_clocks[i], 0, milliseconds);
		if (calls->clock_gettime64)
			verify_gettime(machine, calls, machine_clocks[i], 1, milliseconds);
		verify_getres(machine, calls, machine_clocks[i], milliseconds / 5);
	}
	verify_gettimeofday(machine, calls, milliseconds);
	if (calls->time)
		verify_time(machine, calls, milliseconds);
	if (calls->getcpu)
		verify_getcpu(machine, calls, milliseconds);
	verify_fallback(machine, calls);
#if defined(__powerpc__)
	if (is_ours(machine, calls)) {
		set_syscall_map(machine);
		verify_powerpc(machine);
	}
#endif
	if (is_ours(machine, calls) && machine->has_counter)
		verify_namespace(machine, milliseconds);
#if defined(__powerpc__) && !defined(__powerpc64__)
	if (is_ours(machine, calls) && machine->has_counter)
		verify_short_way(machine);
#endif
}
