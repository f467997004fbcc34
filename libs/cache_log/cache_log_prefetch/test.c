/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks and bench of cache_log_prefetch. A prefetch has no effect under QEMU, so what is checked is all that could go
 * wrong around it: the number of lines and the check, reads outside the table, changed memory, and faults: entries name
 * forbidden pages, unmapped and invalid addresses, and random ones of the whole address space.
 */
#include "assay.h"
#include "cache_log.h"

uint64_t cache_log_prefetch_reference(const uint64_t *entries, size_t count, uint64_t lines_max, uint64_t *check);

enum { ENTRIES_MAX = 512, TARGET_BYTES = 1 << 16 };

static struct assay_region table, target;
static uint64_t *checks;

static void try(size_t count, uint64_t lines_max, const char *what)
{
	uint64_t *entries = (uint64_t *)table.end - count;
	uint64_t wanted_check = 12345, wanted, asked;

	assay_case("%s count=%u lines_max=%u", what, count, lines_max);
	wanted = cache_log_prefetch_reference(entries, count, lines_max, &wanted_check);
	checks[0] = 0x5555555555555555;
	checks[1] = 12345;
	checks[2] = 0xaaaaaaaaaaaaaaaa;
	asked = assay_call(cache_log_prefetch, assay_pointer(entries), count, lines_max, assay_pointer(&checks[1]));
	if (asked != wanted)
		assay_fail("asked for %lu lines, not for %lu", (unsigned long)asked, (unsigned long)wanted);
	if (checks[1] != wanted_check)
		assay_fail("the check is 0x%lx, not 0x%lx", (unsigned long)checks[1], (unsigned long)wanted_check);
	if (checks[0] != 0x5555555555555555 || checks[2] != 0xaaaaaaaaaaaaaaaa)
		assay_fail("wrote beside the check");
	assay_passed();
}

static uint64_t random_word(void)
{
	return (uint64_t)assay_random() << 32 | assay_random();
}

static uint64_t sum_of(const unsigned char *from, const unsigned char *to)
{
	uint64_t sum = 0;

	while (from < to)
		sum = sum * 31 + *from++;
	return sum;
}

/* An entry with an address of this kind and a random number of lines. */
static uint64_t entry_of(unsigned int kind)
{
	unsigned int lines = 1 + assay_random_below((uint32_t)CACHE_LOG_LINE);
	uintptr_t address;

	switch (kind) {
	case 0: /* memory of ours, runs that reach over its end into the guard page */
		address = (uintptr_t)target.start + assay_random_below(TARGET_BYTES);
		break;
	case 1: /* the guard pages themselves */
		address = assay_random_below(2) ? (uintptr_t)target.end : (uintptr_t)target.start - CACHE_LOG_LINE;
		break;
	case 2: /* the first page, and the last, from which runs go round to the first */
		address = assay_random_below(2) ? assay_random_below(4096) : -(uintptr_t)assay_random_below(4096);
		break;
	case 3: /* the kernel's half, on x86-64 mostly non-canonical addresses */
		address = (uintptr_t)random_word() | (uintptr_t)1 << 63;
		break;
	default:
		address = (uintptr_t)random_word();
	}
	return cache_log_entry(address, lines);
}

static const char *const kinds[] = { "memory of ours", "guard pages", "first and last page", "upper half", "random" };

static void check(bool quick)
{
	uint64_t *entries, sum, table_sum;
	unsigned int step = quick ? 7 : 1;

	table = assay_region_new(ENTRIES_MAX * 8);
	target = assay_region_new(TARGET_BYTES);
	checks = (uint64_t *)((uintptr_t)assay_region_new(64).start);
	entries = (uint64_t *)table.end - ENTRIES_MAX;
	assay_random_fill(target.start, TARGET_BYTES);
	sum = sum_of(target.start, target.end);
	for (unsigned int kind = 0; kind < 5; kind++) {
		for (unsigned int i = 0; i < ENTRIES_MAX; i++)
			entries[i] = entry_of(kind);
		table_sum = sum_of(table.start, table.end);
		for (size_t count = 0; count <= ENTRIES_MAX; count += count < 20 ? 1 : 29 * step) {
			try(count, UINT64_MAX, kinds[kind]);
			for (uint64_t limit = 0; limit < 300; limit += 1 + 13 * step)
				try(count, limit, kinds[kind]);
		}
		if (sum_of(target.start, target.end) != sum)
			assay_fail("changed memory that it should prefetch");
		if (sum_of(table.start, table.end) != table_sum)
			assay_fail("changed the table");
	}
}

/* ------------------------------------------------------------------ bench */

static uint64_t bench_entries_count, bench_lines;

static const struct assay_key keys[] = {
	{ .name = "entries", .value = &bench_entries_count, .min = 1, .max = 65535 },
	{ .name = "lines", .value = &bench_lines, .min = 1, .max = CACHE_LOG_LINE },
};

static uint64_t *bench_entries;

static void set_up(void)
{
	struct assay_region region = assay_region_new(bench_entries_count * 8);
	struct assay_region lines = assay_region_new(bench_entries_count * bench_lines * CACHE_LOG_LINE);

	memset(lines.start, 1, (size_t)(lines.end - lines.start));
	bench_entries = (uint64_t *)region.start;
	for (uint64_t i = 0; i < bench_entries_count; i++)
		bench_entries[i] =
			cache_log_entry((uintptr_t)lines.start + i * bench_lines * CACHE_LOG_LINE, (unsigned int)bench_lines);
	for (uint64_t i = bench_entries_count - 1; i > 0; i--) {
		uint64_t other = assay_random_below((uint32_t)i + 1), entry = bench_entries[i];

		bench_entries[i] = bench_entries[other];
		bench_entries[other] = entry;
	}
}

uint64_t assay_bench(uint64_t iterations)
{
	uint64_t check = 0;

	for (; iterations > 0; iterations--)
		cache_log_prefetch(bench_entries, bench_entries_count, UINT64_MAX, &check);
	return check;
}

const struct assay_hotpath assay_hotpath = {
	.name = "cache_log_prefetch",
	.keys = keys,
	.keys_count = sizeof(keys) / sizeof(keys[0]),
	.check = check,
	.set_up = set_up,
};
