/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The test of swap16, swap32 and swap64.
 *
 * 16 bits are tried exhaustively. Wider values: every byte value at every place alone and among ones, and random ones.
 * Each is tried with several kinds of dirt above the bits that count, because upper bits are what such code gets wrong.
 */
#include "assay.h"
#include "width.h"

#define SWAP AT_WIDTH(swap)
#define REFERENCE BYTESWAP_PASTE_VALUE(AT_WIDTH(swap), _reference)

value_type REFERENCE(value_type value);

#define TWO_REGISTERS (sizeof(value_type) > sizeof(uintptr_t))
#define SHIFT_HIGH (TWO_REGISTERS ? 32 : 0)

static value_type low_bits(value_type value)
{
	return BITS == 8 * sizeof(value_type) ? value : value & (((value_type)1 << (BITS % (8 * sizeof(value_type)))) - 1);
}

static void try_value(value_type value)
{
	value_type want = REFERENCE(value), got;

	assay_case("value=0x%x%08x", (uintptr_t)((uint64_t)value >> 32), (uintptr_t)(uint32_t)value);
	if (TWO_REGISTERS) {
		got = (value_type)((uint64_t)assay_call(SWAP, (uintptr_t)(value >> SHIFT_HIGH), (uintptr_t)value) << 32);
		got |= assay_call_second();
	} else {
		got = assay_call(SWAP, (uintptr_t)value);
	}
	if (got != want)
		assay_fail("returned 0x%llx, expected 0x%llx", (unsigned long long)got, (unsigned long long)want);
	assay_passed();
}

static void try_with_dirt(value_type value)
{
	value_type clean = low_bits(value), above = low_bits(~(value_type)0);

	try_value(clean);
	if (BITS == 8 * sizeof(value_type))
		return;
	try_value(clean | ~above);
	try_value(clean | (value_type)((((uint64_t)assay_random() << 32) | assay_random()) & ~(uint64_t)above));
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
		try_with_dirt((value_type)(((uint64_t)assay_random() << 32) | assay_random()));
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
		/* Each call waits for the last one: latency. */
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

#define TEXT_OF(symbol) #symbol
#define NAME_OF(symbol) TEXT_OF(symbol)

const struct assay_hotpath assay_hotpath = {
	.name = NAME_OF(SWAP),
	.keys = keys,
	.keys_count = 1,
	.check = check,
	.set_up = set_up,
};
