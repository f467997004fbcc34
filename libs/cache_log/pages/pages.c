// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * cache-log-pages: which pages of a file (a database, a guest's image) are in the page cache: record them before the cache is
 * lost (a reboot, a move, a memory hog), restore them after. The cache log with pages for lines.
 *
 *     cache-log-pages record FILE LIST        writes LIST
 *     cache-log-pages restore FILE LIST       asks the kernel for these pages
 *     cache-log-pages show FILE LIST          how many of them are cached now
 *
 * Exit status: 0 done, 1 refused (the file has changed, the list is damaged) or stopped before the end, 2 usage or system.
 */
#include "pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WINDOW_PAGES = 1 << 18 };

static const char usage[] = "cache-log-pages record FILE LIST\n"
			    "cache-log-pages restore FILE LIST [--rate MIB_PER_S] [--budget MIB] [--longest-first]\n"
			    "                                  [--pressure PERCENT] [--keep-available MIB]\n"
			    "cache-log-pages show FILE LIST\n"
			    "\n"
			    "record   writes to LIST which pages of FILE are in the page cache\n"
			    "restore  brings them back, in the order of the file, and says how much it did;\n"
			    "         refuses a FILE that is not the one recorded or has changed since;\n"
			    "         stops when tasks wait for memory 10 % of the time (--pressure) or less than 256 MiB\n"
			    "         are available (--keep-available)\n"
			    "show     says how many of the pages are cached now\n"
			    "Exit status: 0 done, 1 refused or stopped before the end, 2 wrong usage or environment.\n";

void stop(int status, const char *format, ...)
{
	int reason = errno;
	va_list values;

	fputs("cache-log-pages: error: ", stderr);
	va_start(values, format);
	errno = reason;
	vfprintf(stderr, format, values);
	va_end(values);
	fputc('\n', stderr);
	exit(status);
}

void *must_have(void *memory)
{
	if (!memory)
		stop(STATUS_USAGE, "no memory: free some and run it again");
	return memory;
}

void refuse_other_than_file(const char *path, const char *remedy)
{
	struct stat there;

	if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
		stop(STATUS_USAGE, "%s: is no regular file: %s", path, remedy);
}

static int open_file(const char *path, struct stat *file)
{
	int descriptor;

	refuse_other_than_file(path, "pages of other things are not listed");
	descriptor = open(path, O_RDONLY | O_CLOEXEC);
	if (descriptor < 0 || fstat(descriptor, file) != 0)
		stop(STATUS_USAGE, "%s: %m: name a file that can be read", path);
	return descriptor;
}

/*
 * Since Linux 5.2 mincore calls every page cached for who neither owns the file nor may write it, lest one process watch what
 * another reads: a list of that would be wrong without a word. Who passes for the owner is not told by numbers (in a user
 * namespace 0 is nobody in particular, and a capability may stand for the owner), but O_NOATIME is for the same.
 */
static void refuse_what_is_not_shown(const char *path, int descriptor)
{
	if (fcntl(descriptor, F_SETFL, O_NOATIME) != 0 && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
		stop(STATUS_USAGE,
		     "%s: the kernel only shows its owner, and who may write it, which of its pages are cached: run this as one of these",
		     path);
}

/* Calls `take` for each stretch of the file with its pages' marks. */
static void each_window(int descriptor, uint64_t page_bytes, uint64_t pages,
			void (*take)(void *closure, uint64_t first, uint64_t count, const unsigned char *marks), void *closure)
{
	unsigned char *marks = must_have(malloc(WINDOW_PAGES));

	for (uint64_t first = 0; first < pages; first += WINDOW_PAGES) {
		uint64_t count = pages - first < WINDOW_PAGES ? pages - first : WINDOW_PAGES;

		resident(descriptor, page_bytes, first, count, marks);
		take(closure, first, count, marks);
	}
	free(marks);
}

static void add_pages(void *closure, uint64_t first, uint64_t count, const unsigned char *marks)
{
	struct list *list = closure;

	for (uint64_t i = 0; i < count; i++) {
		struct run *last = list->runs_count ? &list->runs[list->runs_count - 1] : NULL;

		if (!(marks[i] & 1))
			continue;
		list->pages++;
		if (last && last->first + last->count == first + i) {
			last->count++;
			continue;
		}
		if ((list->runs_count & (list->runs_count - 1)) == 0)
			list->runs =
				must_have(realloc(list->runs, (list->runs_count ? 2 * list->runs_count : 1) * sizeof(*last)));
		list->runs[list->runs_count++] = (struct run){ first + i, 1 };
	}
}

static uint64_t pages_of(const struct stat *file, uint64_t page_bytes)
{
	return ((uint64_t)file->st_size + page_bytes - 1) / page_bytes;
}

static int record(const char *path, const char *list_path)
{
	struct list list = { .page_bytes = (uint64_t)sysconf(_SC_PAGESIZE) };
	struct stat before, after;
	int descriptor = open_file(path, &before);

	refuse_what_is_not_shown(path, descriptor);
	list_fill_identity(&list, &before);
	each_window(descriptor, list.page_bytes, pages_of(&before, list.page_bytes), add_pages, &list);
	if (fstat(descriptor, &after) != 0 || list_mismatch(&list, &after))
		stop(STATUS_REFUSED, "%s: changed while it was looked at: record it when nobody writes to it", path);
	list_write(&list, list_path);
	printf("%s: %lu of %lu pages are cached, in %zu runs\n", path, (unsigned long)list.pages,
	       (unsigned long)pages_of(&before, list.page_bytes), list.runs_count);
	list_free(&list);
	return STATUS_FINE;
}

/* Opens the file and reads the list; refuses a list that is not of this file as it is now. */
static int open_with_list(const char *path, const char *list_path, struct list *list, struct stat *file)
{
	int descriptor = open_file(path, file);
	const char *differs;

	list_read(list, list_path);
	differs = list_mismatch(list, file);
	if (differs)
		stop(STATUS_REFUSED, "%s: %s: %s was recorded of another state of it; record it again", path, differs,
		     list_path);
	return descriptor;
}

struct counting {
	const struct list *list;
	size_t run;
	uint64_t cached;
};

static void count_pages(void *closure, uint64_t first, uint64_t count, const unsigned char *marks)
{
	struct counting *counting = closure;

	for (uint64_t page = first; page < first + count; page++) {
		const struct run *run;

		while (counting->run < counting->list->runs_count &&
		       counting->list->runs[counting->run].first + counting->list->runs[counting->run].count <= page)
			counting->run++;
		if (counting->run == counting->list->runs_count)
			return;
		run = &counting->list->runs[counting->run];
		counting->cached += page >= run->first && (marks[page - first] & 1);
	}
}

static int show(const char *path, const char *list_path)
{
	struct list list;
	struct stat file;
	int descriptor = open_with_list(path, list_path, &list, &file);
	struct counting counting = { .list = &list };

	refuse_what_is_not_shown(path, descriptor);
	/* Marks are for this system's pages, so the pages of a list with another page size cannot be counted. */
	if (list.page_bytes != (uint64_t)sysconf(_SC_PAGESIZE))
		stop(STATUS_REFUSED, "%s: has pages of %lu bytes, this system has others: restore works, show does not",
		     list_path, (unsigned long)list.page_bytes);
	each_window(descriptor, list.page_bytes, (list.file_bytes + list.page_bytes - 1) / list.page_bytes, count_pages,
		    &counting);
	printf("%s: %lu of the %lu pages listed are cached\n", path, (unsigned long)counting.cached, (unsigned long)list.pages);
	list_free(&list);
	return STATUS_FINE;
}

static double number_of(const char *option, const char *word, double min, double max)
{
	char *end = NULL;
	double value = word ? strtod(word, &end) : -1;

	if (!word || end == word || *end || !(value >= min && value <= max))
		stop(STATUS_USAGE, "%s is '%s': give a number from %g to %g", option, word ? word : "", min, max);
	return value;
}

/* FILE and LIST into `names`; options may stand before, between and behind them. */
static void read_options(struct restore_options *options, const char *names[2], char **words)
{
	int count = 0;

	for (; *words; words++) {
		const char *option = *words;

		if (option[0] != '-' && count < 2) {
			names[count++] = option;
			continue;
		}
		if (strcmp(option, "--longest-first") == 0) {
			options->by_size = true;
			continue;
		}
		if (strcmp(option, "--rate") == 0)
			options->rate = (uint64_t)(number_of(option, words[1], 0.001, 1e6) * 1048576);
		else if (strcmp(option, "--budget") == 0)
			options->budget = (uint64_t)(number_of(option, words[1], 0.001, 1e9) * 1048576);
		else if (strcmp(option, "--pressure") == 0)
			options->pressure_percent = number_of(option, words[1], 0, 101);
		else if (strcmp(option, "--keep-available") == 0)
			options->available_bytes = (uint64_t)(number_of(option, words[1], 0, 1e9) * 1048576);
		else
			stop(STATUS_USAGE, "there is no option '%s': see cache-log-pages --help", option);
		words++;
	}
	if (count < 2)
		stop(STATUS_USAGE, "wrong usage:\n%s", usage);
}

static int restore_list(char **words)
{
	struct restore_options options = { .pressure_percent = 10,
					   .available_bytes = (uint64_t)256 << 20,
					   .pressure_file = "/proc/pressure/memory",
					   .memory_file = "/proc/meminfo" };
	const char *names[2];
	struct restored result;
	struct list list;
	struct stat file;
	int descriptor;

	read_options(&options, names, words);
	descriptor = open_with_list(names[0], names[1], &list, &file);
	restore(descriptor, &list, &options, &result);
	printf("%s: asked for %.1f of %.1f MiB, %lu of %zu runs%s%s\n", names[0], (double)result.bytes / 1048576,
	       (double)(list.pages * list.page_bytes) / 1048576, (unsigned long)result.runs, list.runs_count,
	       result.stopped ? "; stopped, because " : "", result.stopped ? result.stopped : "");
	list_free(&list);
	return result.stopped ? STATUS_REFUSED : STATUS_FINE;
}

int main(int argc, char **argv)
{
	int status = STATUS_FINE;

	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
		fputs(usage, stdout);
	else if (argc == 4 && strcmp(argv[1], "record") == 0)
		status = record(argv[2], argv[3]);
	else if (argc == 4 && strcmp(argv[1], "show") == 0)
		status = show(argv[2], argv[3]);
	else if (argc > 1 && strcmp(argv[1], "restore") == 0)
		status = restore_list(argv + 2);
	else
		stop(STATUS_USAGE, "wrong usage:\n%s", usage);
	if (fflush(stdout) != 0)
		stop(STATUS_USAGE, "standard output: %m: see where it goes");
	return status;
}
