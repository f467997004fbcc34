// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Restoring: the runs of a list are asked for by POSIX_FADV_WILLNEED, in pieces, in order, no faster than the rate. Every few
 * pieces it tests whether memory is short, and stops if so: what is brought in would only evict what is used. The kernel may
 * read less than an advice asks for, so pieces are small; where the advice fails, a piece is read instead.
 */
#include "pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PIECE_BYTES = 128 << 10, PIECES_BETWEEN_LOOKS = 16 };

void resident(int file, uint64_t page_bytes, uint64_t first, uint64_t count, unsigned char *marks)
{
	void *mapped = mmap(NULL, count * page_bytes, PROT_NONE, MAP_SHARED, file, (off_t)(first * page_bytes));

	if (mapped == MAP_FAILED || mincore(mapped, count * page_bytes, marks) != 0)
		stop(STATUS_USAGE, "cannot see which pages are cached: %m: the file system has to support mmap");
	munmap(mapped, count * page_bytes);
}

/* The number behind a word in a file of /proc; false if there is none. */
static bool number_in(const char *path, const char *word, double *number)
{
	FILE *in = fopen(path, "r");
	char line[256];
	bool found = false;

	while (in && !found && fgets(line, sizeof(line), in)) {
		const char *at = strstr(line, word);

		found = at && sscanf(at + strlen(word), "%lf", number) == 1;
	}
	if (in)
		fclose(in);
	return found;
}

/* Why to stop, or NULL. A system that does not report its pressure is judged by its available memory alone. */
static const char *pressure(const struct restore_options *options)
{
	double waiting, available_kib;

	if (number_in(options->pressure_file, "some avg10=", &waiting) && waiting >= options->pressure_percent)
		return "tasks wait for memory";
	if (number_in(options->memory_file, "MemAvailable:", &available_kib) &&
	    available_kib * 1024 < (double)options->available_bytes)
		return "little memory is available";
	return NULL;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void sleep_until(double when)
{
	double left = when - seconds();
	struct timespec time = { (time_t)left, (long)((left - (double)(time_t)left) * 1e9) };

	if (left > 0)
		nanosleep(&time, NULL);
}

static int longer_first(const void *a, const void *b)
{
	uint64_t x = ((const struct run *)a)->count, y = ((const struct run *)b)->count;

	return x > y ? -1 : x < y;
}

/* Asks for one piece; reads it if the file system does not take the advice. */
static void ask(int file, uint64_t from, uint64_t bytes)
{
	static char unused[PIECE_BYTES];

	if (posix_fadvise(file, (off_t)from, (off_t)bytes, POSIX_FADV_WILLNEED) != 0 &&
	    pread(file, unused, bytes, (off_t)from) < 0)
		stop(STATUS_USAGE, "cannot read the file at %lu: %m: see whether its disk is whole", (unsigned long)from);
}

struct progress {
	int file;
	const struct restore_options *options;
	struct restored *result;
	double started;
	uint64_t pieces, page_bytes;
};

/* Asks for one piece, within the limits; returns whether to go on. */
static bool piece(struct progress *progress, uint64_t from, uint64_t bytes)
{
	const struct restore_options *options = progress->options;
	struct restored *result = progress->result;

	if (options->budget && bytes > options->budget - result->bytes) {
		bytes = options->budget - result->bytes;
		bytes -= bytes % progress->page_bytes;
		result->stopped = "the budget is used up";
	}
	if (bytes == 0)
		return false;
	if (progress->pieces++ % PIECES_BETWEEN_LOOKS == 0) {
		const char *pressed = pressure(options);

		if (pressed) {
			result->stopped = pressed;
			return false;
		}
	}
	ask(progress->file, from, bytes);
	result->bytes += bytes;
	if (options->rate)
		sleep_until(progress->started + (double)result->bytes / (double)options->rate);
	return !result->stopped;
}

void restore(int file, const struct list *list, const struct restore_options *options, struct restored *result)
{
	struct progress progress = {
		.file = file, .options = options, .result = result, .started = seconds(), .page_bytes = list->page_bytes
	};

	*result = (struct restored){ 0 };
	/* No read-ahead by the kernel: it would bring neighbours that are not in the list. */
	posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM);
	if (options->by_size)
		qsort(list->runs, list->runs_count, sizeof(struct run), longer_first);
	for (size_t i = 0; i < list->runs_count; i++) {
		uint64_t from = list->runs[i].first * list->page_bytes;
		uint64_t end = from + list->runs[i].count * list->page_bytes;

		for (end = end < list->file_bytes ? end : list->file_bytes; from < end; from += PIECE_BYTES) {
			if (!piece(&progress, from, end - from < PIECE_BYTES ? end - from : PIECE_BYTES))
				return;
		}
		result->runs++;
	}
}
