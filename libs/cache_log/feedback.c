// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Feedback: does restoring pay, and by which plan? Two slices of a task, one by the best plan so far (at first: not to restore)
 * and one by its challenger, are a pair; their order is random. A pair is won if the challenger's slice got more than 33/32 of
 * the other's work done in the same time. A duel ends when PAIRS_TO_WIN are won or PAIRS_TO_LOSE are not: a sign test, whose
 * outcome a single slow slice cannot turn as it could a mean's. A pair with one slice more than four times as long as the
 * other, as if interrupted, does not count, up to eight in a duel. A probe is a duel for each plan; between probes the verdict
 * holds, for longer and longer while it stays the same, so that a task with nothing to gain is disturbed less and less.
 */
#include "cache_log.h"

enum { PAIRS_TO_WIN = 6, PAIRS_TO_LOSE = 3, REST_FIRST = 256, REST_ON_MAX = 4096, REST_OFF_MAX = 65536 };
enum { UNFAIR = 4, DROPPED_MAX = 8 };

static void begin_pair(struct cache_log_feedback *feedback)
{
	feedback->random = feedback->random * 1664525u + 1013904223u;
	feedback->restoring = feedback->random >> 31 ? feedback->challenger : feedback->best;
	feedback->second = 0;
}

static void begin_duel(struct cache_log_feedback *feedback)
{
	feedback->won = feedback->lost = feedback->dropped = 0;
	begin_pair(feedback);
}

static void begin_probe(struct cache_log_feedback *feedback)
{
	feedback->probing = 1;
	feedback->best = 0;
	feedback->challenger = 1;
	begin_duel(feedback);
}

void cache_log_feedback_create(struct cache_log_feedback *feedback, uint32_t seed)
{
	*feedback = (struct cache_log_feedback){ .random = seed, .wait = REST_FIRST, .plans = 1 };
	begin_probe(feedback);
}

static void rest(struct cache_log_feedback *feedback)
{
	if (feedback->best != feedback->verdict)
		feedback->wait = REST_FIRST;
	feedback->probing = 0;
	feedback->verdict = feedback->best;
	feedback->restoring = feedback->best;
	feedback->until_probe = feedback->wait;
	if (feedback->wait < (feedback->best ? REST_ON_MAX : REST_OFF_MAX))
		feedback->wait *= 2;
}

/* Whether work a in ticks a is a better rate than 33/32 of work b in ticks b. Shifted so that no product overflows. */
static bool better(uint64_t work_a, uint64_t ticks_a, uint64_t work_b, uint64_t ticks_b)
{
	while ((work_a | work_b | ticks_a | ticks_b) >> 26) {
		work_a >>= 1;
		work_b >>= 1;
		ticks_a >>= 1;
		ticks_b >>= 1;
	}
	return work_a * ticks_b * 32 > work_b * ticks_a * 33;
}

void cache_log_feedback_slice(struct cache_log_feedback *feedback, uint64_t work, uint64_t ticks)
{
	bool won;

	if (!feedback->probing) {
		if (--feedback->until_probe == 0)
			begin_probe(feedback);
		return;
	}
	if (!feedback->second) {
		feedback->work_first = work;
		feedback->ticks_first = ticks;
		feedback->second = 1;
		feedback->restoring = feedback->best + feedback->challenger - feedback->restoring;
		return;
	}
	/* Time that was lost to an interruption says nothing; if pair after pair is like that, the time is the task's own. */
	if ((ticks / UNFAIR > feedback->ticks_first || feedback->ticks_first / UNFAIR > ticks) &&
	    feedback->dropped < DROPPED_MAX) {
		feedback->dropped++;
		begin_pair(feedback);
		return;
	}
	won = feedback->restoring == feedback->challenger ? better(work, ticks, feedback->work_first, feedback->ticks_first) :
							    better(feedback->work_first, feedback->ticks_first, work, ticks);
	feedback->won += won;
	feedback->lost += !won;
	if (feedback->won < PAIRS_TO_WIN && feedback->lost < PAIRS_TO_LOSE) {
		begin_pair(feedback);
		return;
	}
	if (feedback->won == PAIRS_TO_WIN)
		feedback->best = feedback->challenger;
	if (++feedback->challenger <= feedback->plans)
		begin_duel(feedback);
	else
		rest(feedback);
}
