/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How much more than libc's memcpy does copy-and-checksum cost? A hosted program for x86-64, because the
 * memcpy that users have is libc's, which the freestanding runner cannot hold.
 *
 * Build and run, in libs/checksum:
 *	bench/run_copy_vs_memcpy [SAMPLES]
 *
 * Method. A sample is the time of some calls one after another, a few tens of microseconds. Each round takes
 * one sample of each function, in an order that is shuffled anew, so that other work on the machine slows all
 * of them alike. For each function the median of the ratios to memcpy's sample in the same round is printed, with
 * the 5 % and 95 % quantiles of those ratios, and the 2 % quantile of its time. Each result of a copy is
 * verified against its source first.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LENGTH_MAX 65536
#define SAMPLE_BYTES (1 << 20)
#define FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

typedef uint32_t copy_function(const void *src, void *dst, int len);

copy_function csum_partial_copy, csum_partial_copy_avx2, csum_partial_copy_avx512, csum_partial_copy_avx512_vnni,
	csum_partial_copy_peer_linux_adc, csum_partial_copy_floor_memcpy;
uint32_t csum_partial_dispatch(const void *buf, int len, uint32_t sum);

/* memcpy is called through a volatile pointer, so that the compiler cannot replace the call. */
static void *(*volatile libc_memcpy)(void *, const void *, size_t) = memcpy;

static uint32_t only_copy(const void *src, void *dst, int len)
{
	libc_memcpy(dst, src, (size_t)len);
	return 0;
}

static uint32_t copy_then_sum(const void *src, void *dst, int len)
{
	libc_memcpy(dst, src, (size_t)len);
	return csum_partial_dispatch(dst, len, 0xffffffff);
}

static const struct {
	const char *name;
	copy_function *call;
	const char *feature;
} functions[] = {
	{ "memcpy (libc)", only_copy, NULL },
	{ "memcpy, then csum_partial", copy_then_sum, NULL },
	{ "csum_partial_copy/dispatch", csum_partial_copy, NULL },
	{ "csum_partial_copy/avx2", csum_partial_copy_avx2, "avx2" },
	{ "csum_partial_copy/avx512", csum_partial_copy_avx512, "avx512bw" },
	{ "csum_partial_copy/avx512_vnni", csum_partial_copy_avx512_vnni, "avx512vnni" },
	{ "peer: Linux, one adc chain", csum_partial_copy_peer_linux_adc, NULL },
	{ "floor_memcpy (for the runner)", csum_partial_copy_floor_memcpy, "avx512bw" },
};

static int supported(size_t i)
{
	if (!functions[i].feature)
		return 1;
	if (!strcmp(functions[i].feature, "avx2"))
		return __builtin_cpu_supports("avx2");
	if (!strcmp(functions[i].feature, "avx512bw"))
		return __builtin_cpu_supports("avx512bw");
	return __builtin_cpu_supports("avx512vnni");
}

static double now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double quantile(const double *sorted, int count, double q)
{
	return sorted[(int)(q * (count - 1) + 0.5)];
}

static double sample(copy_function *call, const uint8_t *src, uint8_t *dst, int length)
{
	int calls = SAMPLE_BYTES / (length + 64) + 1;
	double start;

	call(src, dst, length);
	start = now_ns();
	for (int i = 0; i < calls; i++)
		call(src, dst, length);
	return (now_ns() - start) / calls;
}

static void verify(size_t i, const uint8_t *src, uint8_t *dst, int length)
{
	memset(dst, 0, (size_t)length);
	functions[i].call(src, dst, length);
	if (memcmp(src, dst, (size_t)length)) {
		fprintf(stderr, "copy_vs_memcpy: %s has not copied %d bytes rightly\n", functions[i].name, length);
		exit(1);
	}
}

static void measure(const uint8_t *src, uint8_t *dst, int length, int samples)
{
	double *times[FUNCTIONS];
	size_t order[FUNCTIONS];

	for (size_t i = 0; i < FUNCTIONS; i++) {
		times[i] = calloc((size_t)samples, sizeof(double));
		if (!times[i])
			abort();
		order[i] = i;
		if (supported(i))
			verify(i, src, dst, length);
	}
	for (int round = 0; round < samples; round++) {
		for (size_t i = FUNCTIONS - 1; i > 0; i--) {
			size_t j = (size_t)rand() % (i + 1), kept = order[i];

			order[i] = order[j];
			order[j] = kept;
		}
		for (size_t i = 0; i < FUNCTIONS; i++)
			if (supported(order[i]))
				times[order[i]][round] = sample(functions[order[i]].call, src, dst, length);
	}
	for (size_t i = FUNCTIONS; i-- > 0;) {
		double ratios_sorted[3];
		double *ratios = calloc((size_t)samples, sizeof(double));

		if (!ratios)
			abort();
		for (int round = 0; round < samples; round++)
			ratios[round] = times[i][round] / times[0][round];
		qsort(ratios, (size_t)samples, sizeof(double), compare);
		for (int q = 0; q < 3; q++)
			ratios_sorted[q] = quantile(ratios, samples, (const double[]){ 0.05, 0.5, 0.95 }[q]);
		free(ratios);
		qsort(times[i], (size_t)samples, sizeof(double), compare);
		if (supported(i))
			printf("%6d  %3d %3d  %-30s %9.1f ns   %5.2f [%5.2f %5.2f]\n", length, (int)((uintptr_t)src & 63),
			       (int)((uintptr_t)dst & 63), functions[i].name, quantile(times[i], samples, 0.02),
			       ratios_sorted[1], ratios_sorted[0], ratios_sorted[2]);
		else
			printf("%6d  %-38s not on this CPU\n", length, functions[i].name);
	}
	for (size_t i = 0; i < FUNCTIONS; i++)
		free(times[i]);
}

int main(int count, char **arguments)
{
	static const int lengths[] = { 40, 250, 1472, 4096, 65536 };
	static _Alignas(4096) uint8_t src[LENGTH_MAX + 4096], dst[LENGTH_MAX + 4096];
	int samples = count > 1 ? atoi(arguments[1]) : 400;

	if (samples < 20) {
		fprintf(stderr, "copy_vs_memcpy: SAMPLES is a number from 20 up\n");
		return 2;
	}
	for (size_t i = 0; i < sizeof(src); i++)
		src[i] = (uint8_t)rand();
	puts("length  src dst  function                       2 % of times   times memcpy: median [5 % 95 %]");
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		measure(src, dst, lengths[i], samples);
	measure(src + 2, dst + 14, LENGTH_MAX, samples);
	return 0;
}
