/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions that compilers call for operations that the target has no instruction for, and that a libgcc would
 * bring: byte swaps and bit counts for gcc on RISC-V, 64-bit division on 32-bit PowerPC. Written so that a
 * compiler does not turn them into calls of themselves. They are slow, so a hot path should avoid them.
 */
#include <stdint.h>

uint32_t __bswapsi2(uint32_t value);
uint64_t __bswapdi2(uint64_t value);
int __popcountdi2(uint64_t value);
int __clzdi2(uint64_t value);
int __ctzdi2(uint64_t value);

/* By masks and shifts of pairs, which no compiler recognises as a byte swap. */
uint32_t __bswapsi2(uint32_t value)
{
	uint32_t pairs = (value & 0x00ff00ff) << 8 | (value >> 8 & 0x00ff00ff);

	__asm__("" : "+r"(pairs));
	return pairs << 16 | pairs >> 16;
}

uint64_t __bswapdi2(uint64_t value)
{
	return (uint64_t)__bswapsi2((uint32_t)value) << 32 | __bswapsi2((uint32_t)(value >> 32));
}

int __popcountdi2(uint64_t value)
{
	int count = 0;

	for (int bit = 0; bit < 64; bit++)
		count += (int)(value >> bit & 1);
	return count;
}

/* Both are undefined for 0, as the builtins are. */
int __clzdi2(uint64_t value)
{
	int count = 0;

	while (!(value >> (63 - count) & 1))
		count++;
	return count;
}

int __ctzdi2(uint64_t value)
{
	int count = 0;

	while (!(value >> count & 1))
		count++;
	return count;
}

#ifndef __LP64__
uint64_t __udivdi3(uint64_t dividend, uint64_t divisor);
uint64_t __umoddi3(uint64_t dividend, uint64_t divisor);
int64_t __divdi3(int64_t dividend, int64_t divisor);
int64_t __moddi3(int64_t dividend, int64_t divisor);

/* Bit by bit, as on paper. Division by zero gives all ones and the dividend. */
static uint64_t divide(uint64_t dividend, uint64_t divisor, uint64_t *remainder)
{
	uint64_t quotient = 0, rest = 0;

	for (int bit = 63; bit >= 0; bit--) {
		int carry = (int)(rest >> 63);

		rest = rest << 1 | (dividend >> bit & 1);
		if (carry || rest >= divisor) {
			rest -= divisor;
			quotient |= (uint64_t)1 << bit;
		}
	}
	*remainder = rest;
	return quotient;
}

uint64_t __udivdi3(uint64_t dividend, uint64_t divisor)
{
	uint64_t remainder;

	return divide(dividend, divisor, &remainder);
}

uint64_t __umoddi3(uint64_t dividend, uint64_t divisor)
{
	uint64_t remainder;

	divide(dividend, divisor, &remainder);
	return remainder;
}

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

int64_t __divdi3(int64_t dividend, int64_t divisor)
{
	uint64_t quotient = __udivdi3(magnitude(dividend), magnitude(divisor));

	return (int64_t)((dividend < 0) != (divisor < 0) ? -quotient : quotient);
}

int64_t __moddi3(int64_t dividend, int64_t divisor)
{
	uint64_t remainder = __umoddi3(magnitude(dividend), magnitude(divisor));

	return (int64_t)(dividend < 0 ? -remainder : remainder);
}
#endif
