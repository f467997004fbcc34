/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The program of the speed benchmark: heap sort of random numbers and a histogram, so that neither branches nor
 * addresses repeat and no loop of the trace can be skipped. `run` builds, records and predicts it.
 */
#define NUMBERS 8192
#define ROUNDS 8

static unsigned int numbers[NUMBERS];
static unsigned int histogram[4096];
static unsigned long long state = 88172645463325252ull;

static unsigned long long random_number(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* exit(0), without a libc. */
static void leave(void)
{
#if defined(__powerpc__)
	__asm__ volatile("li 0, 1\n\tli 3, 0\n\tsc");
#elif defined(__loongarch__)
	__asm__ volatile("li.w $a7, 93\n\tli.w $a0, 0\n\tsyscall 0");
#elif defined(__x86_64__)
	__asm__ volatile("syscall" : : "a"(60), "D"(0));
#else
#error "add the exit system call of this architecture"
#endif
}

static void sift_down(int count, int parent)
{
	for (;;) {
		int child = 2 * parent + 1;
		unsigned int number;

		if (child >= count)
			return;
		if (child + 1 < count && numbers[child + 1] > numbers[child])
			child++;
		if (numbers[parent] >= numbers[child])
			return;
		number = numbers[parent];
		numbers[parent] = numbers[child];
		numbers[child] = number;
		parent = child;
	}
}

static void heap_sort(void)
{
	for (int parent = NUMBERS / 2; parent-- > 0;)
		sift_down(NUMBERS, parent);
	for (int last = NUMBERS; last-- > 1;) {
		unsigned int number = numbers[0];

		numbers[0] = numbers[last];
		numbers[last] = number;
		sift_down(last, 0);
	}
}

void _start(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < NUMBERS; i++)
			numbers[i] = (unsigned int)random_number();
		heap_sort();
		for (int i = 0; i < NUMBERS; i++)
			histogram[numbers[i] * 2654435761u >> 20] += numbers[i] & 7;
	}
	leave();
}
