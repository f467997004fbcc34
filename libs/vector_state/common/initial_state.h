/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * x86-64: the parts of the test that depend on the facility; the test of saving into an area that holds other components; and
 * that of restoring components that XSTATE_BV leaves out, which has to bring them into what the manual calls their initial
 * state. Included by state_test.h.
 */

static void each_of_facility(piece_visitor *visit, void *with)
{
	EACH_PIECE(false, visit, with);
}

static uint64_t facility_bits(void)
{
	uint64_t bits = 0;

	each_of_facility(add_bits, &bits);
	return bits;
}

#ifdef SAVE
static void check_more(unsigned char *area, bool quick)
{
	uint64_t others =
		(VECTOR_STATE_XSTATE_X87 | VECTOR_STATE_XSTATE_SSE | VECTOR_STATE_XSTATE_AVX | VECTOR_STATE_XSTATE_AVX512) &
		~facility_bits();

	for (unsigned int round = 0; round < (quick ? 2 : 8); round++) {
		assay_case("area that holds the components 0x%x besides round=%u", (unsigned int)others, round);
		fill(&before, round);
		memset(area, NOISE_AREA, AREA_BYTES);
		prepare_area(area);
		memcpy(area + AREA_HEADER, &others, 8);
		call(area);
		if ((header_word(area, 0) & others) != others)
			assay_fail("save forgets what else the area holds: XSTATE_BV is 0x%lx",
				   (unsigned long)header_word(area, 0));
		assay_passed();
	}
}
#else
struct absence {
	uint64_t absent;
};

static void make_initial(const struct piece *piece, void *with)
{
	const struct absence *absence = with;

	if (!(bits_of(piece->kind) & absence->absent))
		return;
	for (unsigned int i = 0; i < piece->bytes; i++)
		((unsigned char *)&wanted)[piece->file + i] = initial_byte(piece, i);
}

static void check_more(unsigned char *area, bool quick)
{
	uint64_t all = facility_bits();

	for (struct absence absence = { 1 }; absence.absent <= all; absence.absent <<= 1) {
		uint64_t present = all & ~absence.absent;

		if (!(all & absence.absent))
			continue;
		for (unsigned int round = 0; round < (quick ? 2 : 4); round++) {
			assay_case("XSTATE_BV leaves out component 0x%x round=%u", (uintptr_t)absence.absent, round);
			fill(&wanted, round);
			prepare_area(area);
			area_from(area, &wanted);
			memcpy(area + AREA_HEADER, &present, 8);
			fill(&before, round + 1);
			call(area);
			each_of_facility(make_initial, &absence);
			for (unsigned int i = 0; i < sizeof(wanted); i++) {
				if (!of_facility[i])
					((unsigned char *)&wanted)[i] = ((unsigned char *)&before)[i];
			}
			compare_files(&after, &wanted, "restore left wrong");
			assay_passed();
		}
	}
}
#endif
