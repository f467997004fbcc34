/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * STREAM's four kernels, written from their definition (McCalpin): copy c = a, scale b = s * c, add c = a + b, triad
 * a = b + s * c, over arrays of at least four times the last-level cache each: here three of 32 MiB for a slice of 8 MiB, run
 * once.
 */
enum { COUNT = 4 << 20 };

static double a[COUNT], b[COUNT], c[COUNT];

static __attribute__((noinline)) void copy(void)
{
	for (int i = 0; i < COUNT; i++)
		c[i] = a[i];
}

static __attribute__((noinline)) void scale(double by)
{
	for (int i = 0; i < COUNT; i++)
		b[i] = by * c[i];
}

static __attribute__((noinline)) void add(void)
{
	for (int i = 0; i < COUNT; i++)
		c[i] = a[i] + b[i];
}

static __attribute__((noinline)) void triad(double by)
{
	for (int i = 0; i < COUNT; i++)
		a[i] = b[i] + by * c[i];
}

__attribute__((noinline)) int main(void)
{
	copy();
	scale(3.0);
	add();
	triad(3.0);
	return 0;
}

/* The compiler replaces the loop of copy() by a call of this. */
void *memcpy(void *to, const void *from, unsigned long bytes);
void *memcpy(void *to, const void *from, unsigned long bytes)
{
	for (unsigned long i = 0; i < bytes / sizeof(double); i++) {
		((double *)to)[i] = ((const double *)from)[i];
		__asm__ volatile("" : : : "memory");
	}
	return to;
}

void _start(void)
{
	main();
	for (;;) {
		register long number __asm__("r0") = 234; /* exit_group */
		register long status __asm__("r3") = 0;

		__asm__ volatile("sc" : : "r"(number), "r"(status) : "memory");
	}
}
