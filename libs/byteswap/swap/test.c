/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The test of swap16, swap32 and swap64.
 *
 * 16 bits are tried exhaustively. Of wider values: every byte value at every place, among zeros and among ones, and random
 * values. Each is tried with several patterns in the unused upper bits, because that is where such code goes wrong.
 */
#include "width_test.h"

#define SWAP AT_WIDTH(swap)
#define REFERENCE REFERENCE_AT_WIDTH(swap)

value_type REFERENCE(value_type value);

static value_type low_bits(value_type value)
{
	return BITS == 8 * sizeof(value_type) ? value : value & (((value_type)1 << (BITS % (8 * sizeof(value_type)))) - 1);
}

static void try_value(value_type value)
{
	value_type want = REFERENCE(value);

	assay_case("value=0x%x%08x", VALUE_WORDS(value));
	if (TWO_REGISTERS)
		require_returned(assay_call(SWAP, high_word(value), (uintptr_t)value), want);
	else
		require_returned(assay_call(SWAP, (uintptr_t)value), want);
}

static void try_with_dirt(value_type value)
{
	value_type clean = low_bits(value), above = (value_type)~low_bits(~(value_type)0);

	try_value(clean);
	if (!above)
		return;
	try_value(clean | above);
	try_value(clean | (random_value() & above));
}

static void check(bool quick)
{
	const value_type ones = low_bits(~(value_type)0);

	for (unsigned int place = 0; place < BITS; place += 8) {
		for (unsigned int byte = 0; byte < 256; byte++) {
			try_with_dirt((value_type)byte << place);
			try_with_dirt(ones ^ ((value_type)byte << place));
		}
	}
	if (BITS == 16) {
		for (unsigned int value = 0; value < 65536; value++)
			try_with_dirt(value);
		return;
	}
	try_with_dirt((value_type)0x0123456789abcdef);
	try_with_dirt((value_type)0xfedcba9876543210);
	for (unsigned int i = 0; i < (quick ? 1000 : 200000); i++)
		try_with_dirt(random_value());
}

static uint64_t chain;

static void set_up(void)
{
}

uint64_t assay_bench(uint64_t iterations)
{
	value_type value = (value_type)0x0123456789abcdef;
	uint64_t i;

	if (chain) {
		/* Each call depends on the result of the last one: measures latency. */
		for (i = 0; i < iterations; i++)
			value = SWAP(value + 1);
		return value;
	}
	for (i = 0; i < iterations; i++)
		value ^= SWAP((value_type)i);
	return value;
}

static const struct assay_key keys[] = {
	{ .name = "chain", .value = &chain, .min = 0, .max = 1, .optional = true },
};

const struct assay_hotpath assay_hotpath = {
	.name = NAME_AT_WIDTH(swap),
	.keys = keys,
	.keys_count = 1,
	.check = check,
	.set_up = set_up,
};
