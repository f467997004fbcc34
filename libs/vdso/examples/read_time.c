// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * read_time FILE: maps a clock page that another process writes, and reads time from it: every clock, the wall clock with its
 * bounds, and what to do where the page has no answer.
 *
 *     updater /dev/shm/clock &
 *     read_time /dev/shm/clock
 */
#include "vdso_clock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The time from the page, or from the system call if the page cannot tell. */
static const char *read_clock(const struct vdso_clock *clock, int id, struct vdso_time *now)
{
	struct timespec system;

	if (vdso_clock_now(clock, id, now) == VDSO_CLOCK_OK)
		return "page";
	clock_gettime((clockid_t)id, &system);
	*now = (struct vdso_time){ system.tv_sec, (uint32_t)system.tv_nsec };
	return "system call";
}

static void show_clocks(const struct vdso_clock *clock)
{
	static const struct {
		const char *name;
		int id;
	} clocks[] = { { "realtime", 0 },	 { "monotonic", 1 },	    { "process CPU time", 2 }, { "monotonic raw", 4 },
		       { "realtime coarse", 5 }, { "monotonic coarse", 6 }, { "boottime", 7 },	       { "TAI", 11 } };

	for (unsigned int i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
		struct vdso_time now;
		const char *from = read_clock(clock, clocks[i].id, &now);

		printf("%-18s %11" PRId64 ".%09" PRIu32 "  from the %s\n", clocks[i].name, now.sec, now.nsec, from);
	}
}

static void show_bounds(const struct vdso_clock *clock)
{
	struct vdso_bounds bounds;
	enum vdso_clock_result result = vdso_clock_now_with_bounds(clock, &bounds);

	if (result != VDSO_CLOCK_OK) {
		printf("no bounds: %s\n", vdso_clock_describe(result));
		return;
	}
	printf("earliest           %11" PRId64 ".%09" PRIu32 "\nlatest             %11" PRId64 ".%09" PRIu32
	       "\ngeneration %" PRIu64 "\n",
	       bounds.earliest.sec, bounds.earliest.nsec, bounds.latest.sec, bounds.latest.nsec, bounds.generation);
}

int main(int argc, char **argv)
{
	enum vdso_clock_result result;
	struct vdso_clock clock;
	struct stat status;
	const void *page;
	int file;

	if (argc != 2 || argv[1][0] == '-') {
		fprintf(stderr, "usage: read_time FILE\n");
		return 2;
	}
	file = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (file < 0 || fstat(file, &status) != 0) {
		fprintf(stderr, "error: %s cannot be opened (%s)\n       remedy: start 'updater %s' first\n", argv[1],
			strerror(errno), argv[1]);
		return 2;
	}
	/* An access to a mapping past the file's end faults, so no more than the file's length may be read. */
	page = status.st_size < VDSO_PAGE_SIZE ? NULL : mmap(NULL, VDSO_PAGE_SIZE, PROT_READ, MAP_SHARED, file, 0);
	result = page == NULL	    ? VDSO_CLOCK_SHORT :
		 page == MAP_FAILED ? VDSO_CLOCK_NO_PAGE :
				      vdso_clock_attach(&clock, page, VDSO_PAGE_SIZE, NULL);
	if (result != VDSO_CLOCK_OK) {
		fprintf(stderr, "error: %s: %s\n", argv[1], vdso_clock_describe(result));
		return 2;
	}
	show_clocks(&clock);
	show_bounds(&clock);
	return 0;
}
