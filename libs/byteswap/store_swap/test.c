/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The test of store_swap16, store_swap32 and store_swap64. The operand is put at every distance before and after a page that
 * faults; the bytes beside it must not change, and the bits of the value above BITS must not matter.
 */
#include "width_test.h"

#define STORE AT_WIDTH(store_swap)
#define REFERENCE REFERENCE_AT_WIDTH(store_swap)

void REFERENCE(void *address, value_type value);

enum { DISTANCES = 80, BESIDE = 64 };

static struct assay_region region;

static void store(unsigned char *at, value_type value)
{
	/* 32-bit PowerPC passes 64 bits in an aligned pair of registers and leaves one out before it. */
	if (TWO_REGISTERS)
		assay_call(STORE, assay_pointer(at), 0, high_word(value), (uintptr_t)value);
	else
		assay_call(STORE, assay_pointer(at), (uintptr_t)value);
}

static unsigned char *lower(unsigned char *at)
{
	return at - region.start < BESIDE ? region.start : at - BESIDE;
}

static unsigned char *upper(unsigned char *at)
{
	return region.end - (at + BYTES) < BESIDE ? region.end : at + BYTES + BESIDE;
}

static void try_at(unsigned char *at, value_type value)
{
	unsigned char want[BYTES];

	assay_canary_fill(lower(at), upper(at));
	REFERENCE(want, value);
	store(at, value);
	if (memcmp(at, want, BYTES) != 0)
		assay_fail("stored 0x%02x first, expected 0x%02x, or a later byte differs", at[0], want[0]);
	/* The operand has been compared; make it guard bytes again, so that all can be inspected in one go. */
	assay_canary_fill(at, at + BYTES);
	assay_canary_check(lower(at), upper(at), "beside the operand");
	assay_passed();
}

static void check(bool quick)
{
	region = assay_region_new(4096);
	for (unsigned int round = 0; round < (quick ? 4 : 400); round++) {
		for (unsigned int distance = 0; distance < DISTANCES; distance++) {
			value_type value = random_value();

			assay_case("%u bytes behind a forbidden page, value=0x%x%08x", distance, VALUE_WORDS(value));
			try_at(region.start + distance, value);
			assay_case("%u bytes before a forbidden page, value=0x%x%08x", distance, VALUE_WORDS(value));
			try_at(region.end - BYTES - distance, value);
		}
	}
}

static uint64_t offset;

static void set_up(void)
{
	region = assay_region_new(4096);
}

uint64_t assay_bench(uint64_t iterations)
{
	for (uint64_t i = 0; i < iterations; i++)
		STORE(region.start + offset, (value_type)i);
	return region.start[offset];
}

static const struct assay_key keys[] = {
	{ .name = "offset", .value = &offset, .min = 0, .max = 1024, .optional = true },
};

const struct assay_hotpath assay_hotpath = {
	.name = NAME_AT_WIDTH(store_swap),
	.keys = keys,
	.keys_count = 1,
	.check = check,
	.set_up = set_up,
};
