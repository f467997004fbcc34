/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internet checksum with add-with-carry, for any x86-64: two chains of eight words.
 *
 * assay-about: two chains of adc, 128 bytes a turn
 *
 * adc takes and gives the carry flag, so a chain advances 8 bytes/clock at best. Since Broadwell adc is one
 * micro-operation that has two ports, and the flags are renamed: two chains, each within one asm statement,
 * overlap out of order without adcx/adox. Each ends by adding the last carry; nine adc for eight words on two
 * ports make 14.2 bytes/clock the bound.
 *
 * No vector register is touched, so the kernel may call this in any context.
 */
#include "adc.h"

static inline uint64_t adc_64_bytes(uint64_t sum, const uint8_t *p)
{
	__asm__("addq 0x00(%[p]), %[sum]\n\t"
		"adcq 0x08(%[p]), %[sum]\n\t"
		"adcq 0x10(%[p]), %[sum]\n\t"
		"adcq 0x18(%[p]), %[sum]\n\t"
		"adcq 0x20(%[p]), %[sum]\n\t"
		"adcq 0x28(%[p]), %[sum]\n\t"
		"adcq 0x30(%[p]), %[sum]\n\t"
		"adcq 0x38(%[p]), %[sum]\n\t"
		"adcq $0, %[sum]"
		: [sum] "+r"(sum)
		: [p] "r"(p), BYTES(p, 0, 64)
		: "cc");
	return sum;
}

uint32_t csum_partial(const void *buf, int length, uint32_t sum)
{
	size_t len = (unsigned int)length;
	const uint8_t *p = buf;
	uint64_t first = sum, second = 0;

	if (__builtin_expect(len == 40, 0)) /* an IPv6 header, or IPv4 and TCP */
		return csum_narrow(adc_40_bytes(sum, p));
	for (; len >= 128; p += 128, len -= 128) {
		first = adc_64_bytes(first, p);
		second = adc_64_bytes(second, p + 64);
	}
	if (len >= 64) {
		second = adc_64_bytes(second, p);
		p += 64;
		len -= 64;
	}
	return csum_narrow(csum_add64(second, adc_short(first, p, len)));
}
