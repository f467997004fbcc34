/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Peer: the technique of fastcsum's ADX form, rewritten from its description for the comparison.
 *
 * assay-about: an adcx and an adox chain side by side
 * assay-peer: fastcsum ADX form (adcx and adox chains)
 * assay-requires: adx
 *
 * adcx chains through CF and adox through OF, so two sums advance in one instruction stream: 128 bytes an
 * iteration, eight words each. Both flags survive only as long as nothing else writes them; each block closes
 * its chains by adding zero.
 */
#include "ones_complement.h"

struct sums {
	uint64_t even, odd;
};

static inline void add_128_bytes(struct sums *s, const uint8_t *p)
{
	uint64_t zero = 0;

	__asm__("xorl %k[zero], %k[zero]\n\t" /* clears CF and OF */
		"adcxq 0x00(%[p]), %[even]\n\t"
		"adoxq 0x08(%[p]), %[odd]\n\t"
		"adcxq 0x10(%[p]), %[even]\n\t"
		"adoxq 0x18(%[p]), %[odd]\n\t"
		"adcxq 0x20(%[p]), %[even]\n\t"
		"adoxq 0x28(%[p]), %[odd]\n\t"
		"adcxq 0x30(%[p]), %[even]\n\t"
		"adoxq 0x38(%[p]), %[odd]\n\t"
		"adcxq 0x40(%[p]), %[even]\n\t"
		"adoxq 0x48(%[p]), %[odd]\n\t"
		"adcxq 0x50(%[p]), %[even]\n\t"
		"adoxq 0x58(%[p]), %[odd]\n\t"
		"adcxq 0x60(%[p]), %[even]\n\t"
		"adoxq 0x68(%[p]), %[odd]\n\t"
		"adcxq 0x70(%[p]), %[even]\n\t"
		"adoxq 0x78(%[p]), %[odd]\n\t"
		"adcxq %[zero], %[even]\n\t"
		"adoxq %[zero], %[odd]"
		: [even] "+r"(s->even), [odd] "+r"(s->odd), [zero] "+r"(zero)
		: [p] "r"(p), "m"(*(const uint8_t(*)[128])p)
		: "cc");
}

uint32_t csum_partial(const void *buf, int length, uint32_t sum)
{
	size_t len = (unsigned int)length;
	const uint8_t *p = buf;
	struct sums s = { sum, 0 };

	for (; len >= 128; p += 128, len -= 128)
		add_128_bytes(&s, p);
	for (; len >= 16; p += 16, len -= 16) {
		s.even = csum_add64(s.even, csum_load64(p));
		s.odd = csum_add64(s.odd, csum_load64(p + 8));
	}
	return csum_narrow(csum_add64(csum_add64(s.even, s.odd), csum_tail(p, len)));
}
