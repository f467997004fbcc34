/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Not a program of the thread, but the case that the engine is for: a list of 384 KiB, less than the second level, in an order
 * without a pattern, walked again and again; every step waits for the last.
 */
enum { LINES = 3072, LINE_BYTES = 128, ROUNDS = 20 };

static struct line {
	struct line *next;
	char rest[LINE_BYTES - sizeof(struct line *)];
} lines[LINES] __attribute__((aligned(LINE_BYTES)));

static struct line *volatile end;

static __attribute__((noinline)) void prepare(void)
{
	/* 1025 and 3072 have no common divisor, so the list has all lines, and neighbours in it are far apart. */
	for (unsigned int i = 0, at = 0; i < LINES; i++) {
		unsigned int after = (at + 1025) % LINES;

		lines[at].next = &lines[after];
		at = after;
	}
}

__attribute__((noinline)) int main(void)
{
	struct line *at = lines;

	for (unsigned int i = 0; i < LINES * ROUNDS; i++)
		at = at->next;
	end = at;
	return 0;
}

void _start(void)
{
	prepare();
	main();
	for (;;) {
		register long number __asm__("r0") = 234; /* exit_group */
		register long status __asm__("r3") = 0;

		__asm__ volatile("sc" : : "r"(number), "r"(status) : "memory");
	}
}
