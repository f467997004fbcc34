/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The program of the speed benchmark: heap sort of random numbers and a histogram, so that neither branches nor
 * addresses repeat and no loop of the trace can be skipped. Build, record, predict:
 *
 *   clang-19 --target=powerpc64le-linux-gnu -mcpu=power8 -O2 -ffreestanding -nostdlib -static -fuse-ld=lld \
 *     crates/predict/examples/speed_program.c -o speed
 *   qemu-ppc64le -cpu power8 -plugin tracer.so,out=speed.trace ./speed
 *   cargo run --release -p predict --example trace -- cpus speed.trace power8 --all
 */
#define NUMBERS 8192
#define ROUNDS 8

static unsigned int numbers[NUMBERS];
static unsigned int histogram[4096];
static unsigned long state = 88172645463325252ul;

static unsigned long random_number(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
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
	__asm__ volatile("li 0, 1\n\tli 3, 0\n\tsc");
}
