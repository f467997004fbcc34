// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Loops of several kinds for foreign_code.rs to decode; what they compute does not matter.
typedef unsigned long u64;
typedef unsigned int u32;
typedef unsigned char u8;

u64 sum_bytes(const u8 *p, u64 n)
{
	u64 sum = 0;
	for (u64 i = 0; i < n; i++)
		sum += p[i];
	return sum;
}

void scale(double *restrict out, const double *restrict in, double factor, u64 n)
{
	for (u64 i = 0; i < n; i++)
		out[i] = in[i] > 0 ? in[i] * factor : -in[i] / factor;
}

void swap32(u32 *p, u64 n)
{
	for (u64 i = 0; i < n; i++)
		p[i] = __builtin_bswap32(p[i]);
}

u64 add_carry(const u64 *p, u64 n)
{
	u64 sum = 0;
	for (u64 i = 0; i < n; i++) {
		sum += p[i];
		sum += sum < p[i];
	}
	return sum;
}

u64 hash(const u64 *p, u64 n)
{
	u64 hash = 1469598103934665603ul;
	for (u64 i = 0; i < n; i++)
		hash = (hash ^ (p[i] / 10) ^ (p[i] % 1000)) * 1099511628211ul;
	return hash;
}

u64 atomics(u64 *p, u64 value)
{
	u64 old = __atomic_fetch_add(p, value, __ATOMIC_SEQ_CST);
	__atomic_compare_exchange_n(p + 1, &old, value, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	return old + __atomic_exchange_n(p + 2, value, __ATOMIC_RELEASE);
}

int call_through(int (*function)(int), int which)
{
	switch (which) {
	case 0:
		return function(1);
	case 1:
		return function(2) + 3;
	case 2:
		return function(5) * 7;
	case 3:
		return function(11) - 13;
	case 4:
		return -function(17);
	default:
		return which;
	}
}
