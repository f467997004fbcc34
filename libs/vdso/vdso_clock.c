// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See vdso_clock.h. */
#include "vdso_clock.h"

const char *vdso_clock_describe(enum vdso_clock_result result)
{
	switch (result) {
	case VDSO_CLOCK_OK:
		return "attached";
	case VDSO_CLOCK_NO_PAGE:
		return "there is no clock page at this address: map it, at a multiple of 8";
	case VDSO_CLOCK_SHORT:
		return "the clock page is shorter than 4096 bytes: map all of it";
	case VDSO_CLOCK_NOT_A_PAGE:
		return "this is no clock page of this byte order: start its writer first";
	case VDSO_CLOCK_OTHER_VERSION:
		return "the clock page is of another version: build reader and writer from the same sources";
	case VDSO_CLOCK_NO_ANSWER:
		return "the clock page cannot tell this clock: ask the system";
	case VDSO_CLOCK_NO_BOUND:
		return "the clock page's writer does not know how wrong the wall clock is: synchronise it";
	}
	return "unknown";
}

enum vdso_clock_result vdso_clock_attach(struct vdso_clock *clock, const void *page, size_t bytes, const void *hypervisor)
{
	const struct vdso_page *at = page;

	*clock = (struct vdso_clock){ .page = NULL };
	if (!page || (uintptr_t)page % 8)
		return VDSO_CLOCK_NO_PAGE;
	if (bytes < VDSO_PAGE_SIZE)
		return VDSO_CLOCK_SHORT;
	if (at->header.magic != VDSO_MAGIC)
		return VDSO_CLOCK_NOT_A_PAGE;
	if (at->header.version != VDSO_VERSION)
		return VDSO_CLOCK_OTHER_VERSION;
	if (at->header.size < VDSO_PAGE_SIZE)
		return VDSO_CLOCK_SHORT;
	/* As it stands, if a writer is at work for so long that it cannot be read whole: 0 would be another one, a disruption. */
	*clock = (struct vdso_clock){ .page = at, .hypervisor = hypervisor, .generation = at->header.generation };
	vdso_clock_disrupted(clock);
	return VDSO_CLOCK_OK;
}

/* The header and cycle_last of one state; false if the writer is at work for too long. */
struct state {
	struct vdso_header header;
	struct vdso_time base;
};

static _Bool read_state(const struct vdso_page *page, struct state *state)
{
	const struct vdso_data *vd = &page->data[VDSO_BLOCK_HRES_COARSE];

	for (unsigned int tries = 0; tries < VDSO_TRIES_MAX; tries++, vdso_relax()) {
		uint32_t seq = vdso_seq(vd, 0);

		if (seq & 1)
			continue;
		vdso_read_barrier();
		state->header.generation = page->header.generation;
		state->header.status = page->header.status;
		state->header.error_ns = page->header.error_ns;
		state->header.max_drift_ppb = page->header.max_drift_ppb;
		/* The coarse clock is the time of the last update. */
		state->base.sec = (int64_t)vd->basetime[VDSO_CLOCK_REALTIME_COARSE].sec;
		state->base.nsec = (uint32_t)vd->basetime[VDSO_CLOCK_REALTIME_COARSE].nsec;
		vdso_read_barrier();
		if (vdso_seq(vd, 0) == seq)
			return 1;
	}
	return 0;
}

/* time + (or -) ns, for any ns of 64 bits. Seconds are taken modulo 2^64: a hostile page's may be any number. */
static struct vdso_time moved(struct vdso_time time, uint64_t ns, _Bool later)
{
	struct vdso_wide wide = { { (uint32_t)ns, (uint32_t)(ns >> 32), 0, 0 } };
	uint32_t nsec = (uint32_t)ns % VDSO_NSEC_PER_SEC;
	uint64_t sec = (uint32_t)ns / VDSO_NSEC_PER_SEC;

	/* Bounds of four seconds and more are rare, and bit by bit a division takes 200 ns. */
	if (VDSO_UNLIKELY(ns >> 32 != 0)) {
		nsec = vdso_wide_split(&wide);
		sec = (uint64_t)wide.word[1] << 32 | wide.word[0];
	}
	if (later) {
		time.nsec += nsec;
		if (time.nsec >= VDSO_NSEC_PER_SEC) {
			time.nsec -= VDSO_NSEC_PER_SEC;
			sec++;
		}
		time.sec = (int64_t)((uint64_t)time.sec + sec);
		return time;
	}
	if (time.nsec < nsec) {
		time.nsec += VDSO_NSEC_PER_SEC;
		sec++;
	}
	time.nsec -= nsec;
	time.sec = (int64_t)((uint64_t)time.sec - sec);
	return time;
}

/* The bound at the last update plus its growth since, rounded up; saturates at the largest number. */
static uint64_t bound_after(const struct vdso_header *header, int64_t elapsed_seconds)
{
	uint64_t seconds = elapsed_seconds < 0 ? 0 : (uint64_t)elapsed_seconds + 1, grown;

	if (seconds > UINT32_MAX)
		return UINT64_MAX;
	grown = seconds * header->max_drift_ppb;
	return header->error_ns > UINT64_MAX - grown ? UINT64_MAX : header->error_ns + grown;
}

enum vdso_clock_result vdso_clock_now_with_bounds(const struct vdso_clock *clock, struct vdso_bounds *bounds)
{
	for (int tries = 0; tries < 3; tries++) {
		struct state before, after;
		uint64_t error;

		if (!read_state(clock->page, &before) ||
		    vdso_clock_now(clock, VDSO_CLOCK_REALTIME, &bounds->now) != VDSO_CLOCK_OK ||
		    !read_state(clock->page, &after))
			return VDSO_CLOCK_NO_ANSWER;
		/* A step or a restore came between, so the bound read before does not belong to the time read after. */
		if (before.header.generation != after.header.generation || before.header.error_ns != after.header.error_ns ||
		    before.header.status != after.header.status)
			continue;
		if (after.header.status != VDSO_STATUS_SYNCHRONISED && after.header.status != VDSO_STATUS_FREE_RUNNING)
			return VDSO_CLOCK_NO_BOUND;
		error = bound_after(&after.header, (int64_t)((uint64_t)bounds->now.sec - (uint64_t)before.base.sec));
		if (error > INT64_MAX)
			return VDSO_CLOCK_NO_BOUND;
		bounds->earliest = moved(bounds->now, error, 0);
		bounds->latest = moved(bounds->now, error, 1);
		bounds->generation = after.header.generation;
		return VDSO_CLOCK_OK;
	}
	return VDSO_CLOCK_NO_ANSWER;
}

_Bool vdso_clock_disrupted(struct vdso_clock *clock)
{
	struct state state;
	_Bool changed;

	if (!read_state(clock->page, &state))
		return 0;
	changed = state.header.generation != clock->generation;
	clock->generation = state.header.generation;
	return changed;
}
