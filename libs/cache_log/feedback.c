// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Feedback: does restoring pay? Two slices of a task, one with and one without, are a pair; which of them comes first is
 * drawn. A pair is won if the slice with restoring got more than 33/32 of the other's work done in the same time. A probe
 * ends when PAIRS_TO_WIN are won or PAIRS_TO_LOSE are not: a sign test, which one slow slice cannot turn, as it could a
 * mean. Between probes the verdict holds; without restoring the rests double, so that a task with nothing to gain is
 * bothered less and less.
 */
#include "cache_log.h"

enum { PAIRS_TO_WIN = 6, PAIRS_TO_LOSE = 3, REST_ON = 512, REST_OFF_FIRST = 256, REST_OFF_MAX = 65536 };

static void begin_pair(struct cache_log_feedback *feedback)
{
	feedback->random = feedback->random * 1664525u + 1013904223u;
	feedback->restoring = feedback->random >> 31;
	feedback->second = 0;
}

static void begin_probe(struct cache_log_feedback *feedback)
{
	feedback->probing = 1;
	feedback->won = feedback->lost = 0;
	begin_pair(feedback);
}

void cache_log_feedback_create(struct cache_log_feedback *feedback, uint32_t seed)
{
	*feedback = (struct cache_log_feedback){ .random = seed, .wait_off = REST_OFF_FIRST };
	begin_probe(feedback);
}

static void rest(struct cache_log_feedback *feedback, bool on)
{
	feedback->probing = 0;
	feedback->on = on;
	feedback->restoring = on;
	feedback->until_probe = on ? REST_ON : feedback->wait_off;
	if (on)
		feedback->wait_off = REST_OFF_FIRST;
	else if (feedback->wait_off < REST_OFF_MAX)
		feedback->wait_off *= 2;
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
		feedback->restoring = !feedback->restoring;
		return;
	}
	won = feedback->restoring ? better(work, ticks, feedback->work_first, feedback->ticks_first) :
				    better(feedback->work_first, feedback->ticks_first, work, ticks);
	feedback->won += won;
	feedback->lost += !won;
	if (feedback->won == PAIRS_TO_WIN || feedback->lost == PAIRS_TO_LOSE)
		rest(feedback, feedback->won == PAIRS_TO_WIN);
	else
		begin_pair(feedback);
}
