/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks and bench of the updates of a checksum, csum_replace2 and csum_replace4, which differ in the width of the
 * field. Results are compared with the reference as they are, over all 65536 checksums with fields at the edges and
 * random ones; then updates of whole headers are compared with summing them anew, which is what the caller wants and
 * what equation 3 of RFC 1624 promises (RFC 1141's did not).
 *
 * Included by a test.c that defines REPLACE (the function), REFERENCE, NAME, FIELD (its type) and PASS_FIELD (how the
 * checked call passes it).
 */
#include "checksum.h"
#include "test_support.h"

uint16_t REFERENCE(uint16_t check, FIELD from, FIELD to);

static uint16_t call(uint16_t check, FIELD from, FIELD to, bool checked_call)
{
	if (!checked_call)
		return REPLACE(check, from, to);
	return assay_returned_u16(assay_call(REPLACE, assay_u16(check), PASS_FIELD(from), PASS_FIELD(to)));
}

static void try_one(uint16_t check, FIELD from, FIELD to, bool checked_call)
{
	uint16_t wanted = REFERENCE(check, from, to), result;

	assay_case("check=0x%x from=0x%x to=0x%x", check, from, to);
	result = call(check, from, to, checked_call);
	if (result != wanted)
		assay_fail("returned 0x%04x; the reference returns 0x%04x", result, wanted);
	assay_passed();
}

static FIELD some_field(unsigned int index)
{
	static const uint32_t edges[] = { 0, 0xffffffff, 1, 0xfffffffe, 0x7fff8000, 0x80007fff, 0xffff0000, 0x0000ffff };

	return (FIELD)(index < 8 ? edges[index] : assay_random());
}

/* All checksums, between some fields; and all values of 16 bits of a field, with some checksums. */
static void check_exhaustively(unsigned int fields, unsigned int step)
{
	for (unsigned int i = 0; i < fields; i++) {
		for (unsigned int j = 0; j < fields; j++) {
			FIELD from = some_field(i), to = some_field(j);

			for (uint32_t value = 0; value <= 0xffff; value += step) {
				try_one((uint16_t)value, from, to, value % 4099 == 0);
				try_one((uint16_t)from, (FIELD)value, to, false);
				try_one((uint16_t)from, to, (FIELD)value, false);
			}
		}
	}
}

/* A header of ten words that is not all zeros: updated and summed anew come to the same. */
static void check_headers(unsigned int rounds)
{
	for (unsigned int round = 0; round < rounds; round++) {
		uint16_t header[10];
		unsigned int at = 2 * assay_random_below(4);
		uint64_t before = 0, after = 0;
		FIELD from, to = some_field(assay_random_below(16));
		uint16_t result, wanted;

		assay_random_fill(header, sizeof(header));
		if (round % 4 == 0)
			memset(header, round % 8 ? 0xff : 0, sizeof(header));
		header[9] |= 1; /* never in the field */
		memcpy(&from, &header[at], sizeof(from));
		for (unsigned int i = 0; i < 10; i++)
			before += header[i];
		memcpy(&header[at], &to, sizeof(to));
		for (unsigned int i = 0; i < 10; i++)
			after += header[i];
		wanted = (uint16_t)~fold(after);
		assay_case("header update from=0x%x to=0x%x", from, to);
		result = call((uint16_t)~fold(before), from, to, true);
		if (result != wanted)
			assay_fail("returned 0x%04x; summed anew it is 0x%04x", result, wanted);
		assay_passed();
	}
}

static void check(bool quick)
{
	check_exhaustively(quick ? 4 : 12, quick ? 13 : 1);
	check_headers(quick ? 1000 : 50000);
}

static uint64_t chain;

static const struct assay_key keys[] = {
	/* 1: each call updates the result of the one before (latency); 0: they may overlap (throughput). */
	{ .name = "chain", .value = &chain, .max = 1, .optional = true },
};

static void set_up(void)
{
}

uint64_t assay_bench(uint64_t iterations)
{
	uint16_t check = 0x1234, result = 0, keep = chain ? 0xffff : 0;
	FIELD field = (FIELD)0x9e3779b9;

	for (; iterations > 0; iterations--) {
		result = REPLACE(check, field, (FIELD)(field + 1));
		check ^= result & keep;
		field = (FIELD)(field + 2);
	}
	return result;
}

const struct assay_hotpath assay_hotpath = {
	.name = NAME,
	.keys = keys,
	.keys_count = sizeof(keys) / sizeof(keys[0]),
	.check = check,
	.set_up = set_up,
};
