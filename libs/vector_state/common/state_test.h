/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The test of all save and restore hot paths; included by their test.c with FACILITY, and SAVE or RESTORE, defined.
 *
 * registers_call() runs a variant with known register values and stores the values afterwards. Every byte of every register
 * differs from its neighbours and from the same byte of other rounds, so a lost register, an exchanged pair and a wrong half
 * are all found, and named. The area is placed once before and once after a page that faults. Its bytes are compared one by
 * one: those of the layout have to be right, all others unchanged.
 */
#include "common/registers.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)
#define EACH_PIECE JOIN(each_, FACILITY)

#ifdef SAVE
#define FUNCTION JOIN(FACILITY, _save)
#define IS_SAVE true
#else
#define IS_SAVE false
#define FUNCTION JOIN(FACILITY, _restore)
#endif
#define REFERENCE JOIN(FUNCTION, _reference)
void REFERENCE();

/*
 * A variant whose area has the registers of each pair exchanged, as stxvp stores them on a little-endian machine, defines
 * this symbol. Only a variant of the opposite function that defines it, too, can use such an area.
 */
extern const char JOIN(FUNCTION, _has_pairs_exchanged) __attribute__((weak));

#define BYTES_OF(facility, type, bytes) \
	enum { JOIN(area_bytes_, facility) = (bytes), JOIN(area_alignment_, facility) = __alignof__(type) };
VECTOR_STATE_EACH(BYTES_OF)

enum { AREA_BYTES = JOIN(area_bytes_, FACILITY), AREA_ALIGNMENT = JOIN(area_alignment_, FACILITY) };
enum { NOISE_AREA = 0x5a, CASES_ROUNDS = 4 };

static struct register_file before, after, own, wanted;
static unsigned char image[AREA_BYTES]; /* what the area has to hold in the bytes that `meant` marks */
static unsigned char meant[AREA_BYTES];
static const struct piece *piece_of[AREA_BYTES];
static struct piece pieces[300];
static unsigned int pieces_count;
static unsigned char of_facility[sizeof(struct register_file)];

static void note_piece(const struct piece *piece, void *with)
{
	(void)with;
	pieces[pieces_count] = *piece;
	for (unsigned int i = 0; i < piece->bytes; i++) {
		meant[piece->area + i] = 1;
		piece_of[piece->area + i] = &pieces[pieces_count];
		of_facility[piece->file + i] = 1;
	}
	pieces_count++;
}

static void note_pieces(void)
{
	if (pieces_count == 0)
		EACH_PIECE(&JOIN(FUNCTION, _has_pairs_exchanged) != NULL, note_piece, NULL);
}

static void area_from(unsigned char *area, const struct register_file *file)
{
	for (unsigned int i = 0; i < pieces_count; i++)
		memcpy(area + pieces[i].area, (const unsigned char *)file + pieces[i].file, pieces[i].bytes);
	finish_area(area);
}

/* Bytes that tell register, place and round apart: no two registers of a file have eight equal bytes in a row. */
static inline void fill(struct register_file *file, unsigned int round)
{
	unsigned char *bytes = (unsigned char *)file;

	for (unsigned int i = 0; i < sizeof(*file); i++)
		bytes[i] =
			(unsigned char)((i * 0x3b + (i >> 4) * 0x11 + (i >> 8) * 0x47 + round * 0x6d) ^ (round & 1 ? 0xff : 0));
	set_control(file, round);
}

static _Noreturn void fail_register(const char *what, const struct piece *piece, unsigned int byte, unsigned int is,
				    unsigned int should)
{
	const char *prefix = register_prefix(piece->kind);

	if (register_has_number(piece->kind))
		assay_fail("%s %s%u: byte %u of its %u is 0x%02x, expected 0x%02x", what, prefix, piece->number,
			   byte % piece->bytes, piece->bytes, is, should);
	assay_fail("%s %s: byte %u is 0x%02x, expected 0x%02x", what, prefix, byte, is, should);
}

/* Names the register that a byte of the register file belongs to, in whatever facility. */
struct search {
	unsigned int at;
	struct piece found;
};

static void look(const struct piece *piece, void *with)
{
	struct search *search = with;

	if (search->at >= piece->file && search->at < (unsigned int)piece->file + piece->bytes)
		search->found = *piece;
}

static void compare_files(const struct register_file *is, const struct register_file *should, const char *what)
{
	const unsigned char *a = (const unsigned char *)is, *b = (const unsigned char *)should;

	for (unsigned int i = 0; i < sizeof(*is); i++) {
		struct search search = { .at = i, .found = { .kind = '?' } };

		if (a[i] == b[i] || file_unused(i) || left_undefined(TEXT(FACILITY), IS_SAVE, i))
			continue;
#define LOOK(facility, type, bytes) JOIN(each_, facility)(false, look, &search);
		VECTOR_STATE_EACH(LOOK)
		/* The facility's own names for them come last and stay. */
		EACH_PIECE(false, look, &search);
		fail_register(what, &search.found, i - search.found.file, a[i], b[i]);
	}
}

static void call(const void *area)
{
	assay_call(registers_call, assay_pointer(FUNCTION), assay_pointer(area), assay_pointer(&before), assay_pointer(&after),
		   assay_pointer(&own));
}

static void read_features(void)
{
	registers_features = vector_state_facilities(assay_auxiliary(16));
	if (!(registers_features & (1u << JOIN(vector_state_number_, FACILITY))))
		assay_die("this processor has no %s", TEXT(FACILITY));
}

#ifdef SAVE
static void compare_area(const unsigned char *area)
{
	for (unsigned int i = 0; i < AREA_BYTES; i++) {
		const struct piece *piece = piece_of[i];

		if (area[i] == image[i] || not_compared(piece, piece ? i - piece->area : i))
			continue;
		if (!meant[i])
			assay_fail("save wrote to byte %u of the area, which belongs to no register: 0x%02x, was 0x%02x", i,
				   area[i], image[i]);
		fail_register("save left wrong in the area", piece, i - piece->area, area[i], image[i]);
	}
}

static void try_area(unsigned char *area, unsigned int round)
{
	fill(&before, round);
	memset(area, NOISE_AREA, AREA_BYTES);
	memset(image, NOISE_AREA, AREA_BYTES);
	prepare_area(area);
	prepare_area(image);
	area_from(image, &before);
	call(area);
	complete(area, image);
	compare_area(area);
	compare_files(&after, &before, "save clobbered");
	assay_passed();
}
#else
/* The area holds `round`'s registers, the processor those of another; only the facility's may change. */
static void try_area(unsigned char *area, unsigned int round)
{
	fill(&wanted, round);
	memset(area, NOISE_AREA, AREA_BYTES);
	prepare_area(area);
	area_from(area, &wanted);
	memcpy(image, area, AREA_BYTES);
	fill(&before, round + 1);
	call(area);
	if (memcmp(area, image, AREA_BYTES) != 0)
		assay_fail("restore wrote to the area that it restores from");
	for (unsigned int i = 0; i < sizeof(wanted); i++) {
		if (!of_facility[i])
			((unsigned char *)&wanted)[i] = ((unsigned char *)&before)[i];
	}
	compare_files(&after, &wanted, "restore left wrong");
	assay_passed();
}
#endif

#ifdef __x86_64__
#include "initial_state.h"
#endif

/* Checks what vector_state.h says of unsuitable areas. */
static void check_problems(unsigned char *area)
{
	assay_case("vector_state_problem");
	if (vector_state_problem(area, AREA_BYTES, AREA_BYTES, AREA_ALIGNMENT) ||
	    !vector_state_problem(NULL, AREA_BYTES, AREA_BYTES, AREA_ALIGNMENT) ||
	    !vector_state_problem(area, AREA_BYTES - 1, AREA_BYTES, AREA_ALIGNMENT))
		assay_fail("vector_state_problem misjudges the area's size");
	for (unsigned int off = 1; off < AREA_ALIGNMENT; off++) {
		if (!vector_state_problem(area + off, AREA_BYTES, AREA_BYTES, AREA_ALIGNMENT))
			assay_fail("vector_state_problem misses an area that is %u bytes off", off);
	}
	assay_passed();
}

/* An area of the facility's size that ends at a page that faults, aligned downwards; the bytes between are checked. */
static unsigned char *at_the_end(struct assay_region region)
{
	return region.end - (AREA_BYTES + AREA_ALIGNMENT - 1) / AREA_ALIGNMENT * AREA_ALIGNMENT;
}

enum { BESIDE = 256 };

static void try_watched(struct assay_region region, unsigned char *area, unsigned int round)
{
	unsigned char *lower = area - BESIDE < region.start ? region.start : area - BESIDE;
	unsigned char *behind = area + AREA_BYTES;
	unsigned char *upper = region.end - behind < BESIDE ? region.end : behind + BESIDE;

	assay_canary_fill(lower, area);
	assay_canary_fill(behind, upper);
	try_area(area, round);
	assay_canary_check(lower, area, "before the area");
	assay_canary_check(behind, upper, "behind the area");
}

static void check(bool quick)
{
	struct assay_region region = assay_region_new(2 * AREA_BYTES + 1024);

	read_features();
	note_pieces();
	check_problems(region.start);
	for (unsigned int round = 0; round < (quick ? 8 : 64); round++) {
		assay_case("area behind a guard page round=%u", round);
		try_watched(region, region.start, round);
		assay_case("area before a guard page round=%u", round);
		try_watched(region, at_the_end(region), round);
		assay_case("area in the middle, %u bytes on, round=%u", AREA_ALIGNMENT * (1 + round % 5), round);
		try_watched(region, region.start + 256 + AREA_ALIGNMENT * (round % 5), round);
	}
	check_more(region.start, quick);
}

/* ------------------------------------------------------------------ bench */

static uint64_t areas;

static const struct assay_key keys[] = {
	/* Areas used in turn: 1 stays in the first-level cache, many do not. */
	{ .name = "areas", .value = &areas, .min = 1, .max = 4096 },
};

enum { AREA_STRIDE = (AREA_BYTES + 127) / 128 * 128 };

static unsigned char *bench_areas;

static void no_change(void)
{
}

/* The areas hold the registers' current values, so that restoring does not change a register that the compiler uses. */
static void set_up(void)
{
	read_features();
	note_pieces();
	bench_areas = assay_region_new(areas * AREA_STRIDE).start;
	fill(&before, 0);
	registers_call(no_change, NULL, &before, &after, &own);
	for (uint64_t i = 0; i < areas; i++) {
		memset(bench_areas + i * AREA_STRIDE, 0, AREA_BYTES);
		prepare_area(bench_areas + i * AREA_STRIDE);
		area_from(bench_areas + i * AREA_STRIDE, &own);
	}
}

uint64_t assay_bench(uint64_t iterations)
{
	uint64_t bytes = areas * AREA_STRIDE, at = 0;
	unsigned char *const first = bench_areas; /* in a register: a load here would compete with those that are timed */

	for (; iterations > 0; iterations--) {
		FUNCTION((void *)(first + at));
		at += AREA_STRIDE;
		if (at == bytes)
			at = 0;
	}
	return at;
}

const struct assay_hotpath assay_hotpath = {
	.name = TEXT(FUNCTION),
	.keys = keys,
	.keys_count = 1,
	.check = check,
	.set_up = set_up,
};
