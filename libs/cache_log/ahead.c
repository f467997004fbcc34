// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Look-ahead: the choice of a plan. A trial times every plan for CACHE_LOG_TRIAL_STRETCHES stretches, in random order, each
 * after LEAD activations that put its prefetches in flight, and compares medians, which an interruption does not move. After
 * two stretches a plan is dropped if even its fastest one took more than half as long again as the fastest of all plans. The
 * previous plan is kept unless another one is faster by 1/32, and doing nothing is chosen unless a plan beats it by as much.
 * Rests between trials are long, and double while the verdict stays the same: a trial takes some 16000 activations at most.
 */
#include "cache_log.h"

enum { LEAD = 32, STRETCH = 256, STRETCHES_AT_LEAST = 2 };
enum { TRIAL_REST_FIRST = 1 << 17, TRIAL_REST_MAX = 1 << 24, TRIAL_REST_EMPTY = 1 << 12 };
enum { LEADING, TIMING, RESTING };

/* One plan per line: looks, paced, far, lull. */
/* clang-format off */
const struct cache_log_plan cache_log_plans[CACHE_LOG_PLANS] = {
	[CACHE_LOG_PLAN_NONE] = { { 0 }, 0, 0, false },
	[CACHE_LOG_PLAN_1] = { { 1 }, 0, 2, false },
	[CACHE_LOG_PLAN_2] = { { 2, 1 }, 0, 4, false },
	[CACHE_LOG_PLAN_4] = { { 4, 2, 1 }, 0, 8, false },
	[CACHE_LOG_PLAN_8] = { { 8, 4, 2, 1 }, 0, 16, false },
	[CACHE_LOG_PLAN_PACED_3] = { { 0 }, 3, 6, false },
	[CACHE_LOG_PLAN_PACED_4] = { { 0 }, 4, 8, false },
	[CACHE_LOG_PLAN_LULL_1] = { { 0 }, 1, 2, true },
};
/* clang-format on */

static void use(struct cache_log_ahead *ahead, unsigned int plan)
{
	ahead->plan = cache_log_plans[plan];
	/* What the previous plan has not asked for yet is still needed by the task that runs next. */
	while (ahead->notes->next != ahead->notes->end)
		cache_log_prefetch_entry(*ahead->notes->next++);
}

static void lead(struct cache_log_ahead *ahead, unsigned int plan)
{
	ahead->trial.trying = (uint8_t)plan;
	ahead->trial.phase = LEADING;
	ahead->left = LEAD;
	use(ahead, plan);
}

static void begin(struct cache_log_ahead *ahead)
{
	for (unsigned int plan = 0; plan < CACHE_LOG_PLANS; plan++)
		ahead->trial.stretches[plan] = 0;
	ahead->trial.lines = ahead->lines;
	lead(ahead, ahead->trial.chosen);
}

void cache_log_ahead_create(struct cache_log_ahead *ahead, uint32_t table_bytes, struct cache_log_notes *notes)
{
	*ahead = (struct cache_log_ahead){ .on = true, .table_bytes = table_bytes, .notes = notes };
	ahead->trial.rest = TRIAL_REST_FIRST;
	begin(ahead);
}

void cache_log_ahead_fix(struct cache_log_ahead *ahead, enum cache_log_plans plan)
{
	ahead->left = 0;
	use(ahead, plan);
}

void cache_log_ahead_pause(struct cache_log_ahead *ahead)
{
	if (ahead->left && ahead->trial.phase == TIMING)
		lead(ahead, ahead->trial.trying);
}

static uint64_t least(const struct cache_log_trial *trial, unsigned int plan)
{
	uint64_t found = UINT64_MAX;

	for (unsigned int i = 0; i < trial->stretches[plan]; i++)
		found = trial->ticks[plan][i] < found ? trial->ticks[plan][i] : found;
	return found;
}

/* The median of a plan's stretches; UINT64_MAX if there are none. */
static uint64_t middle(const struct cache_log_trial *trial, unsigned int plan)
{
	unsigned int count = trial->stretches[plan];

	for (unsigned int i = 0; i < count; i++) {
		unsigned int below = 0;

		for (unsigned int other = 0; other < count; other++)
			below += trial->ticks[plan][other] < trial->ticks[plan][i] ||
				 (trial->ticks[plan][other] == trial->ticks[plan][i] && other < i);
		if (below == count / 2)
			return trial->ticks[plan][i];
	}
	return UINT64_MAX;
}

/* The next plan to be timed: the first with the fewest stretches from a random one on. CACHE_LOG_PLANS: none is left. */
static unsigned int next_plan(struct cache_log_trial *trial)
{
	uint64_t best = UINT64_MAX;
	unsigned int found = CACHE_LOG_PLANS, start;

	for (unsigned int plan = 0; plan < CACHE_LOG_PLANS; plan++)
		best = least(trial, plan) < best ? least(trial, plan) : best;
	trial->random = trial->random * 1664525u + 1013904223u;
	start = (trial->random >> 16) % CACHE_LOG_PLANS;
	for (unsigned int i = 0; i < CACHE_LOG_PLANS; i++) {
		unsigned int plan = (start + i) % CACHE_LOG_PLANS;

		if (trial->stretches[plan] == CACHE_LOG_TRIAL_STRETCHES ||
		    (trial->stretches[plan] >= STRETCHES_AT_LEAST && least(trial, plan) / 3 > best / 2))
			continue;
		if (found == CACHE_LOG_PLANS || trial->stretches[plan] < trial->stretches[found])
			found = plan;
	}
	return found;
}

static bool faster(uint64_t ticks, uint64_t than)
{
	return ticks < than - than / 32;
}

/* Ends the trial and chooses a plan. */
static void decide(struct cache_log_ahead *ahead)
{
	struct cache_log_trial *trial = &ahead->trial;
	unsigned int best = CACHE_LOG_PLAN_NONE;

	for (unsigned int plan = 0; plan < CACHE_LOG_PLANS; plan++)
		best = middle(trial, plan) < middle(trial, best) ? plan : best;
	if (!faster(middle(trial, best), middle(trial, trial->chosen)))
		best = trial->chosen;
	if (!faster(middle(trial, best), middle(trial, CACHE_LOG_PLAN_NONE)))
		best = CACHE_LOG_PLAN_NONE;
	trial->trials++;
	if (best != trial->chosen) {
		trial->changes++;
		trial->rest = TRIAL_REST_FIRST;
	} else if (trial->rest < TRIAL_REST_MAX) {
		trial->rest *= 2;
	}
	trial->chosen = (uint8_t)best;
	trial->phase = RESTING;
	/* If no line was asked for, no table had an entry and there was nothing to compare: the next trial comes soon. */
	ahead->left = ahead->lines == trial->lines ? TRIAL_REST_EMPTY : trial->rest;
	use(ahead, best);
}

void cache_log_ahead_turn(struct cache_log_ahead *ahead)
{
	struct cache_log_trial *trial = &ahead->trial;
	unsigned int plan;

	switch (trial->phase) {
	case LEADING:
		trial->phase = TIMING;
		ahead->left = STRETCH;
		trial->started = cache_log_ticks();
		return;
	case TIMING:
		trial->ticks[trial->trying][trial->stretches[trial->trying]++] = cache_log_ticks() - trial->started;
		plan = next_plan(trial);
		if (plan == CACHE_LOG_PLANS)
			decide(ahead);
		else
			lead(ahead, plan);
		return;
	default:
		begin(ahead);
	}
}
