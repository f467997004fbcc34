/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The calls of a vDSO in C: arguments and results as the system calls have them, errors as -errno, a page given by the
 * caller. Their exported names come from image/calls.c on most architectures; on powerpc from image/powerpc.S, because the
 * convention there (CR0.SO) cannot be expressed in C.
 */
#ifndef VDSO_CALLS_H
#define VDSO_CALLS_H

#include "namespace.h"

/* The kernel's type for all of these is long, which has 32 bits on 32-bit powerpc; there the *64 calls go beyond 2038. */
struct vdso_timespec {
	long sec, nsec;
};
struct vdso_timespec64 {
	int64_t sec, nsec;
};
struct vdso_timeval {
	long sec, usec;
};
struct vdso_timezone {
	int32_t minuteswest, dsttime;
};

/* For what the fast path cannot answer: the slow path for everything else that a page may hold, then the system call. */
VDSO_COLD int vdso_cold_clock_gettime(int32_t clock, struct vdso_timespec *ts, const struct vdso_page *page,
				      const void *hypervisor)
{
	struct vdso_time now;

	if (vdso_image_time_slow(page, hypervisor, clock, &now) != VDSO_OK)
		return (int)vdso_syscall3(VDSO_SYS_CLOCK_GETTIME, (uintptr_t)clock, (uintptr_t)ts, 0);
	ts->sec = (long)now.sec;
	ts->nsec = (long)now.nsec;
	return 0;
}

VDSO_INLINE int vdso_call_clock_gettime(int32_t clock, struct vdso_timespec *ts, const struct vdso_page *page,
					const void *hypervisor)
{
	struct vdso_time now;

	if (VDSO_UNLIKELY(vdso_try_time(page, clock, &now) != VDSO_OK))
		return vdso_cold_clock_gettime(clock, ts, page, hypervisor);
	ts->sec = (long)now.sec;
	ts->nsec = (long)now.nsec;
	return 0;
}

#ifdef VDSO_SYS_CLOCK_GETTIME64
VDSO_COLD int vdso_cold_clock_gettime64(int32_t clock, struct vdso_timespec64 *ts, const struct vdso_page *page,
					const void *hypervisor)
{
	struct vdso_time now;

	if (vdso_image_time_slow(page, hypervisor, clock, &now) != VDSO_OK)
		return (int)vdso_syscall3(VDSO_SYS_CLOCK_GETTIME64, (uintptr_t)clock, (uintptr_t)ts, 0);
	ts->sec = now.sec;
	ts->nsec = now.nsec;
	return 0;
}

VDSO_INLINE int vdso_call_clock_gettime64(int32_t clock, struct vdso_timespec64 *ts, const struct vdso_page *page,
					  const void *hypervisor)
{
	struct vdso_time now;

	if (VDSO_UNLIKELY(vdso_try_time(page, clock, &now) != VDSO_OK))
		return vdso_cold_clock_gettime64(clock, ts, page, hypervisor);
	ts->sec = now.sec;
	ts->nsec = now.nsec;
	return 0;
}
#endif

VDSO_COLD int vdso_cold_clock_getres(int32_t clock, struct vdso_timespec *res, const struct vdso_page *page)
{
	uint32_t ns = vdso_try_resolution(vdso_shared(page), clock);

	if (ns == 0)
		return (int)vdso_syscall3(VDSO_SYS_CLOCK_GETRES, (uintptr_t)clock, (uintptr_t)res, 0);
	if (res) {
		res->sec = 0;
		res->nsec = (long)ns;
	}
	return 0;
}

VDSO_INLINE int vdso_call_clock_getres(int32_t clock, struct vdso_timespec *res, const struct vdso_page *page)
{
	uint32_t ns = vdso_try_resolution(page->data, clock);

	if (VDSO_UNLIKELY(ns == 0))
		return vdso_cold_clock_getres(clock, res, page);
	if (res) {
		res->sec = 0;
		res->nsec = (long)ns;
	}
	return 0;
}

VDSO_COLD int vdso_cold_gettimeofday(struct vdso_timeval *tv, struct vdso_timezone *tz, const struct vdso_page *page,
				     const void *hypervisor)
{
	struct vdso_time now = { 0, 0 };

	/* A page that was never written has no time zone, either. */
	if (vdso_shared(page)->seq == 0 || (tv && vdso_image_time_slow(page, hypervisor, VDSO_CLOCK_REALTIME, &now) != VDSO_OK))
		return (int)vdso_syscall3(VDSO_SYS_GETTIMEOFDAY, (uintptr_t)tv, (uintptr_t)tz, 0);
	if (tv) {
		tv->sec = (long)now.sec;
		tv->usec = (long)(now.nsec / 1000);
	}
	if (tz) {
		tz->minuteswest = vdso_shared(page)->tz_minuteswest;
		tz->dsttime = vdso_shared(page)->tz_dsttime;
	}
	return 0;
}

VDSO_INLINE int vdso_call_gettimeofday(struct vdso_timeval *tv, struct vdso_timezone *tz, const struct vdso_page *page,
				       const void *hypervisor)
{
	struct vdso_time now;

	/* Callers hardly ever ask for the time zone. */
	if (VDSO_UNLIKELY(tv == NULL || tz != NULL ||
			  vdso_try_hres(page, VDSO_BLOCK_HRES_COARSE, VDSO_CLOCK_REALTIME, &now) != VDSO_OK))
		return vdso_cold_gettimeofday(tv, tz, page, hypervisor);
	tv->sec = (long)now.sec;
	tv->usec = (long)(now.nsec / 1000);
	return 0;
}

#ifdef VDSO_SYS_TIME
/* 0 also stands for a page that was never written, so the first second of 1970 comes from the kernel, too. */
VDSO_COLD long vdso_cold_time(long *to, const struct vdso_page *page)
{
	long seconds = (long)vdso_try_seconds(vdso_shared(page));

	if (seconds == 0)
		return vdso_syscall3(VDSO_SYS_TIME, (uintptr_t)to, 0, 0);
	if (to)
		*to = seconds;
	return seconds;
}

VDSO_INLINE long vdso_call_time(long *to, const struct vdso_page *page)
{
	long seconds = (long)vdso_try_seconds(page->data);

	if (VDSO_UNLIKELY(seconds == 0))
		return vdso_cold_time(to, page);
	if (to)
		*to = seconds;
	return seconds;
}
#endif

#endif
