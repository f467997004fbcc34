/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory test of sysbench 0.4, written from its definition (sysbench is not built for ppc64el): each thread writes a block of
 * 1 KiB of its own, pointer by pointer, again and again. The eight threads of the guests run one after the other in one
 * program: the model has no threads, and what counts is that all eight blocks are in the caches.
 */
enum { THREADS = 8, BLOCK_BYTES = 1024, BLOCKS = 3000 };

static volatile unsigned long blocks[THREADS][BLOCK_BYTES / sizeof(unsigned long)];

__attribute__((noinline)) int main(void)
{
	for (int block = 0; block < BLOCKS; block++) {
		for (int thread = 0; thread < THREADS; thread++) {
			for (unsigned int i = 0; i < BLOCK_BYTES / sizeof(unsigned long); i++)
				blocks[thread][i] = (unsigned long)block;
		}
	}
	return 0;
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
