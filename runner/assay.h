/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the test.c of a hot path sees of the runner.
 *
 * A runner is one freestanding program around one variant: entry, guard pages, checked calls, crash handler
 * and clocks are here; everything specific to a hot path is in its test.c, which defines
 *
 *     const struct assay_hotpath assay_hotpath = { .name = ..., .keys = ..., .check = ..., .set_up = ... };
 *     uint64_t assay_bench(uint64_t iterations);
 *
 * The same test.c checks a variant and times it, so that nothing is timed that has not been checked.
 * None of this uses a libc.
 */
#ifndef ASSAY_H
#define ASSAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ASSAY_BIG_ENDIAN 1
#else
#define ASSAY_BIG_ENDIAN 0
#endif

/* ------------------------------------------------------------------ what a hot path's test registers */

/* One integer key of a case, as in `size=1472,offset=3`. A key with a `fallback` may be left out. */
struct assay_key {
	const char *name;
	uint64_t *value;
	uint64_t min, max; /* both allowed */
	bool optional;
	uint64_t fallback; /* the value of an optional key that is left out */
};

struct assay_hotpath {
	const char *name;
	const struct assay_key *keys;
	unsigned int keys_count;
	/* Runs all checks; `quick` asks for a sample that takes seconds at most. Returns if all hold. */
	void (*check)(bool quick);
	/* Makes the data of the case whose keys have just been set; `assay_bench` follows. */
	void (*set_up)(void);
	/*
	 * May be absent. After `assay_bench`: whether the calls were other ones than the case means, because too much time went by
	 * between them. What was recorded of them is thrown away then, and recorded again.
	 */
	bool (*held_up)(void);
};

extern const struct assay_hotpath assay_hotpath;

/*
 * Calls the hot path `iterations` times, at least once, directly and not through the checked call, and returns a value
 * that depends on the last result. It is an ordinary function of this name, never inlined: the tracer and
 * the profiler find the calls by it.
 */
uint64_t assay_bench(uint64_t iterations) __attribute__((noinline));

/*
 * A zero that the compiler cannot see through. `pointer + (result & assay_opaque_zero())` makes the next
 * call's address wait for the last call's result: the latency form of a benchmark (`chain=1`).
 */
static inline uintptr_t assay_opaque_zero(void)
{
	uintptr_t zero = 0;

	__asm__ volatile("" : "+r"(zero));
	return zero;
}

/* A value of the auxiliary vector that the kernel (or QEMU) started the runner with, by its AT_* type; 0 if it has none. */
uintptr_t assay_auxiliary(uintptr_t type);

/* ------------------------------------------------------------------ cases, failures, counts */

/*
 * Says which case is being tried. The text is made only when it is needed (failure or crash), so this is
 * cheap enough for every call. `format` must outlive the case: a literal. At most six words follow, each
 * an integer no wider than a pointer; cast them to uintptr_t. Format: %u %x %d %s as in assay_print.
 */
#define assay_case(...) assay_case_set(__VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define assay_case_set(format, a, b, c, d, e, f, ...) \
	assay_case_words(format, (uintptr_t)(a), (uintptr_t)(b), (uintptr_t)(c), (uintptr_t)(d), (uintptr_t)(e), (uintptr_t)(f))
void assay_case_words(const char *format, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f);

/* Counts a case that held; the sum is what `checked N` prints. */
void assay_passed(void);

/* Prints `failure: TEXT, case CASE` and ends the program with status 1. */
_Noreturn void assay_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints `error: TEXT` on standard error and ends the program with status 2: the runner itself could not go on. */
_Noreturn void assay_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes to standard output at once, so that a run that is killed has lost nothing. Knows %s %c %d %u %x %p,
 * with l, ll, z and 0-padded widths. */
void assay_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ------------------------------------------------------------------ memory */

/*
 * A region of whole pages with an inaccessible page on both sides. `end` is where the page after it starts, so an
 * over-read of a buffer of n bytes at `end - n` faults at the first byte, and so does a read before a buffer at
 * `start`. Never freed: a runner is short-lived.
 */
struct assay_region {
	unsigned char *start, *end;
};

struct assay_region assay_region_new(size_t bytes_min);

/*
 * From here on the region may only be read, until it is made writable again: a variant that writes into its input, even if
 * it restores the bytes, is caught at the instruction. For input that is not also output, between the fills.
 */
void assay_read_only(struct assay_region region);
void assay_writable(struct assay_region region);

/* Forbids or allows access to whole pages of a region, for tests of what happens at a fault. */
void assay_forbid(void *page, size_t bytes);
void assay_allow(void *page, size_t bytes);

/*
 * Whether the variant comes with a table of fixups for accesses that fault (kernel code's EX_TABLE), so that a
 * call on forbidden memory returns. A variant that has none crashes there, as it should.
 */
bool assay_survives_faults(void);

/* Bytes in a page of the running system. */
size_t assay_page_bytes(void);

/* Fills bytes around an object, to be found intact after a call; a mismatch is a failure that names `what`. */
void assay_canary_fill(unsigned char *from, const unsigned char *to);
void assay_canary_check(const unsigned char *from, const unsigned char *to, const char *what);

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);

/* ------------------------------------------------------------------ random numbers */

/* The generator has the same seed in every run, so that a failure can be repeated. */
uint32_t assay_random(void);
uint32_t assay_random_below(uint32_t limit);
void assay_random_fill(void *to, size_t bytes);

/* ------------------------------------------------------------------ checked calls */

/*
 * Calls `function` with up to eight words of arguments on a stack of its own, with all callee-saved registers
 * filled with known values, and fails if one of them, the stack pointer or the caller's frame has changed
 * afterwards. Which registers are callee-saved is up to the ABI; arch/<arch>/call.S lists them.
 */
#define assay_call(function, ...) assay_call_words((void (*)(void))(function), (const uintptr_t[8]){ __VA_ARGS__ })
uintptr_t assay_call_words(void (*function)(void), const uintptr_t arguments[8]);

/* The second result register of the last checked call (the low half of a 64-bit result on 32-bit PowerPC). */
uintptr_t assay_call_second(void);

/*
 * A 32-bit argument as the ABI passes it. x86-64 and AArch64 leave the upper half undefined, so it is filled with
 * a pattern that the callee must ignore; LoongArch and RISC-V sign-extend both signed and unsigned values; POWER
 * extends by the type.
 */
uintptr_t assay_u32(uint32_t value);
uintptr_t assay_s32(int32_t value);

/* The same for 16 bits, which all ABIs that extend extend by the type. */
uintptr_t assay_u16(uint16_t value);

/* A 32-bit or 16-bit unsigned result from a word; a failure if the ABI wants it extended and it is not. */
uint32_t assay_returned_u32(uintptr_t word);
uint16_t assay_returned_u16(uintptr_t word);

#define assay_pointer(p) ((uintptr_t)(p))

#endif
