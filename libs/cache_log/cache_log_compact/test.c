/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks and bench of cache_log_compact against the reference: few and many notes, few and many distinct lines, runs that
 * overlap, tables and scratch room of every size down to nothing, each buffer at a guard page.
 */
#include "assay.h"
#include "cache_log.h"

size_t cache_log_compact_reference(const uint64_t *notes, size_t notes_count, uint64_t *lines, size_t lines_max, uint64_t *seen,
				   size_t seen_slots);

enum { NOTES_MAX = 600, LINES_MAX = 512, SLOTS_MAX = 2048 };

static struct assay_region notes, lines, wanted, seen;

static void try(size_t notes_count, size_t lines_max, size_t slots)
{
	const uint64_t *from = (const uint64_t *)notes.end - notes_count;
	uint64_t *to = (uint64_t *)lines.end - lines_max, *other = (uint64_t *)wanted.end - lines_max;
	size_t found, reference;

	assay_random_fill(seen.start, (size_t)(seen.end - seen.start));
	reference = cache_log_compact_reference(from, notes_count, other, lines_max, NULL, slots);
	assay_canary_fill((unsigned char *)to - 64, (unsigned char *)to);
	found = assay_call(cache_log_compact, assay_pointer(from), notes_count, assay_pointer(to), lines_max,
			   assay_pointer((uint64_t *)seen.end - slots), slots);
	assay_canary_check((unsigned char *)to - 64, (unsigned char *)to, "before the lines");
	if (found != reference)
		assay_fail("found %lu lines, not %lu", (unsigned long)found, (unsigned long)reference);
	for (size_t i = 0; i < found; i++) {
		if (to[i] != other[i])
			assay_fail("line %lu is 0x%lx, not 0x%lx", (unsigned long)i, (unsigned long)to[i],
				   (unsigned long)other[i]);
	}
	assay_passed();
}

static void fill(unsigned int distinct, unsigned int run_max)
{
	uint64_t *note = (uint64_t *)notes.end - NOTES_MAX;
	uint64_t base = (uint64_t)assay_random() << 20;

	for (unsigned int i = 0; i < NOTES_MAX; i++)
		note[i] = cache_log_entry((uintptr_t)(base + assay_random_below(distinct) * CACHE_LOG_LINE),
					  1 + assay_random_below(run_max));
	/* Lines at both ends of the address space. */
	note[NOTES_MAX - 3] = cache_log_entry(0, 1);
	note[NOTES_MAX - 2] = cache_log_entry(-(uintptr_t)1, 1);
	note[NOTES_MAX - 1] = cache_log_entry(-(uintptr_t)1, 3);
}

static void check(bool quick)
{
	static const unsigned int distinct[] = { 1, 5, 100, 4000 }, runs[] = { 1, 3, (unsigned int)CACHE_LOG_LINE };
	unsigned int step = quick ? 5 : 1;

	notes = assay_region_new(NOTES_MAX * 8);
	lines = assay_region_new(LINES_MAX * 8 + 64);
	wanted = assay_region_new(LINES_MAX * 8);
	seen = assay_region_new(SLOTS_MAX * 8);
	for (unsigned int d = 0; d < 4; d++) {
		for (unsigned int r = 0; r < 3; r++) {
			fill(distinct[d], runs[r]);
			for (size_t count = 0; count <= NOTES_MAX; count += count < 70 ? step : 61 * step) {
				for (size_t slots = 2; slots <= SLOTS_MAX; slots *= 4) {
					assay_case("distinct=%u runs=%u notes=%u slots=%u", distinct[d], runs[r], count, slots);
					try(count, LINES_MAX, slots);
					try(count, count % 17, slots);
				}
			}
		}
	}
}

/* ------------------------------------------------------------------ bench */

static uint64_t notes_count, distinct_lines;

static const struct assay_key keys[] = {
	{ .name = "notes", .value = &notes_count, .min = 1, .max = 65535 },
	{ .name = "distinct", .value = &distinct_lines, .min = 1, .max = 65535 },
};

static uint64_t *bench_notes, *bench_lines, *bench_seen;
static size_t bench_slots;

static void set_up(void)
{
	bench_slots = 2;
	while (bench_slots < 2 * notes_count)
		bench_slots *= 2;
	bench_notes = (uint64_t *)assay_region_new(notes_count * 8).start;
	bench_lines = (uint64_t *)assay_region_new(notes_count * 8).start;
	bench_seen = (uint64_t *)assay_region_new(bench_slots * 8).start;
	for (uint64_t i = 0; i < notes_count; i++)
		bench_notes[i] = cache_log_entry((uintptr_t)(0x10000000 + i % distinct_lines * CACHE_LOG_LINE), 1);
}

uint64_t assay_bench(uint64_t iterations)
{
	uint64_t found = 0;

	for (; iterations > 0; iterations--)
		found += cache_log_compact(bench_notes, notes_count, bench_lines, notes_count, bench_seen, bench_slots);
	return found;
}

const struct assay_hotpath assay_hotpath = {
	.name = "cache_log_compact",
	.keys = keys,
	.keys_count = sizeof(keys) / sizeof(keys[0]),
	.check = check,
	.set_up = set_up,
};
