/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copy and checksum in one pass: the variant that suits the CPU and the length.
 *
 * assay-about: scalar, AVX2, AVX-512 or VNNI form by CPU and length
 * assay-needs: avx2 avx512 avx512_vnni
 *
 * The reasons are those of the dispatcher of csum_partial. Below 64 bytes the copy is scalar, here and
 * inline: the headers that are copied so are read again at once, piecewise, and ordinary stores are forwarded
 * to such loads, masked vector stores are not.
 */
#include "../../csum_partial/x86_64/cpu_level.h"
#include "checksum.h"
#include "ones_complement.h"

#define SHORT_BYTES 64

typedef uint32_t copy_function(const void *src, void *dst, int len);

copy_function csum_partial_copy_avx2, csum_partial_copy_avx512, csum_partial_copy_avx512_vnni;

static copy_function resolve;

/* Until the first call large_from is 0 and so every length reaches `large`. */
static copy_function *medium = resolve, *large = resolve;
static int large_from;

/* The carries of csum_tail's form: all words modulo 2^64, and their upper halves. */
struct sums {
	uint64_t all, high;
};

static inline __attribute__((always_inline)) void copy_word(struct sums *s, const uint8_t *src, uint8_t *dst)
{
	uint64_t word = csum_load64(src);

	__builtin_memcpy(dst, &word, sizeof(word));
	s->all += word;
	s->high += word >> 32;
}

/*
 * Fewer than 64 bytes. From 8 bytes on the last word is copied whole, where it overlaps the one before, and
 * summed without what was summed already: one branch instead of three.
 */
static inline uint64_t copy_short(const uint8_t *src, uint8_t *dst, size_t len)
{
	struct sums s = { 0, 0 };
	size_t whole = len & ~(size_t)7, at = 0;

	if (len < 8)
		return csum_copy_tail(src, dst, len);
	if (len & 32) {
		copy_word(&s, src, dst);
		copy_word(&s, src + 8, dst + 8);
		copy_word(&s, src + 16, dst + 16);
		copy_word(&s, src + 24, dst + 24);
		at = 32;
	}
	if (len & 16) {
		copy_word(&s, src + at, dst + at);
		copy_word(&s, src + at + 8, dst + at + 8);
		at += 16;
	}
	if (len & 8)
		copy_word(&s, src + at, dst + at);
	if (len != whole) {
		uint64_t last = csum_load64(src + len - 8);

		__builtin_memcpy(dst + len - 8, &last, sizeof(last));
		last = csum_last_word(src + len, len - whole);
		s.all += last;
		s.high += last >> 32;
	}
	return s.all - (s.high << 32) + s.high;
}

static uint32_t copy_words(const void *src, void *dst, int len)
{
	return csum_narrow(csum_copy_tail(src, dst, (unsigned int)len) + 0xffffffff);
}

static uint32_t resolve(const void *src, void *dst, int len)
{
	static const struct {
		copy_function *medium, *large;
		int large_from;
	} choices[] = {
		[LEVEL_BASE] = { copy_words, copy_words, 0 },
		[LEVEL_AVX2] = { csum_partial_copy_avx2, csum_partial_copy_avx2, 0 },
		[LEVEL_AVX_VNNI] = { csum_partial_copy_avx2, csum_partial_copy_avx2, 0 },
		[LEVEL_AVX512] = { csum_partial_copy_avx512, csum_partial_copy_avx512, 0 },
		[LEVEL_AVX512_VNNI] = { csum_partial_copy_avx512, csum_partial_copy_avx512_vnni, 512 },
	};
	enum level level = cpu_level();

	medium = choices[level].medium;
	large = choices[level].large;
	large_from = choices[level].large_from;
	return (len >= large_from ? large : medium)(src, dst, len);
}

uint32_t csum_partial_copy(const void *src, void *dst, int len)
{
	if (len < SHORT_BYTES)
		return csum_narrow(copy_short(src, dst, (unsigned int)len) + 0xffffffff);
	return (len >= large_from ? large : medium)(src, dst, len);
}
