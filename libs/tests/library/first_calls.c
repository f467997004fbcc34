/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two threads make the first calls of x86-64's dispatchers at the same time, which choose the forms then. For ThreadSanitizer:
 * it tells of accesses that no synchronisation puts in order, in whatever order they came.
 */
#include <checksum.h>
#include <pthread.h>

enum { BYTES = 4096 };

static void *first_calls(void *sums)
{
	static const unsigned char buffer[BYTES] = { 1, 2, 3 };
	unsigned char copy[BYTES];

	((uint32_t *)sums)[0] = csum_partial(buffer, BYTES, 0);
	((uint32_t *)sums)[1] = csum_partial_copy(buffer, copy, BYTES);
	return NULL;
}

int main(void)
{
	uint32_t sums[2], others[2];
	pthread_t other;

	if (pthread_create(&other, NULL, first_calls, others))
		return 2;
	first_calls(sums);
	pthread_join(other, NULL);
	return csum_fold(sums[0]) != csum_fold(others[0]) || csum_fold(sums[1]) != csum_fold(others[1]);
}
