// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * updater FILE [SECONDS]: serves a clock page in a file (best in /dev/shm) until it is ended, or for so many seconds. Others map
 * the file read-only: examples/read_time.c. A file that holds anything but a page or zeros is left alone.
 */
#include "updater/updater.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char usage[] = "usage: updater FILE [SECONDS]\n"
			    "serves a clock page in FILE, best in /dev/shm, until it is ended, or for SECONDS\n";

/* With the system's words if there is an errno. */
static int refuse(const char *file, const char *what, const char *remedy)
{
	const char *why = errno ? strerror(errno) : NULL;

	fprintf(stderr, "error: %s %s%s%s%s\n       remedy: %s\n", file, what, why ? " (" : "", why ? why : "", why ? ")" : "",
		remedy);
	return 2;
}

/* Whether nothing is lost by a page in the place of what the file holds: nothing, zeros, or a page. */
static _Bool may_be_replaced(int file, off_t bytes)
{
	static const unsigned char zeros[VDSO_PAGE_SIZE];
	union {
		struct vdso_page page;
		unsigned char bytes[VDSO_PAGE_SIZE];
	} held;

	if (bytes == 0)
		return 1;
	if (bytes != VDSO_PAGE_SIZE || pread(file, &held, sizeof(held), 0) != sizeof(held))
		return 0;
	return held.page.header.magic == VDSO_MAGIC || memcmp(held.bytes, zeros, sizeof(zeros)) == 0;
}

/*
 * Makes the file a page long, with room for it: where a file system is full, the first store to a page without room is a SIGBUS.
 * Not every C library writes zeros where the file system does not reserve.
 */
static _Bool make_room(int file)
{
	errno = posix_fallocate(file, 0, VDSO_PAGE_SIZE);
	return errno == 0 || (errno == EOPNOTSUPP && ftruncate(file, VDSO_PAGE_SIZE) == 0);
}

/* Waits for one of the signals, or for so many seconds; 0: as long as it takes. */
static void wait_for(const sigset_t *ends, time_t seconds)
{
	struct timespec start, now, left = { seconds, 0 };

	clock_gettime(CLOCK_MONOTONIC, &start);
	/* A wait is interrupted when the process is stopped and continued, as by Ctrl-Z and bg, which is not its end. */
	while ((seconds ? sigtimedwait(ends, NULL, &left) : sigwaitinfo(ends, NULL)) < 0 && errno == EINTR) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		left = (struct timespec){ seconds - (now.tv_sec - start.tv_sec), start.tv_nsec - now.tv_nsec };
		if (left.tv_nsec < 0) {
			left.tv_nsec += VDSO_NSEC_PER_SEC;
			left.tv_sec--;
		}
		if (left.tv_sec < 0)
			left = (struct timespec){ 0, 0 };
	}
}

int main(int argc, char **argv)
{
	struct vdso_updater *updater;
	struct vdso_page *page;
	struct stat status;
	time_t seconds = 0;
	sigset_t ends;
	char *rest = NULL;
	int file;

	if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
		return fputs(usage, stdout) < 0 || fflush(stdout) != 0 ? 2 : 0;
	/* No option is the name of a file that would be made. */
	if (argc < 2 || argc > 3 || argv[1][0] == '-' ||
	    (argc == 3 && ((seconds = strtol(argv[2], &rest, 10)) <= 0 || *rest))) {
		fputs(usage, stderr);
		return 2;
	}
	file = open(argv[1], O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (file < 0)
		return refuse(argv[1], "cannot be made", "name a file in a folder that can be written");
	/* The kernel releases the lock when this process ends, however it ends. */
	if (flock(file, LOCK_EX | LOCK_NB) != 0)
		return refuse(argv[1], "already has a writer", "end the other updater, or name another file");
	errno = 0;
	if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
		return refuse(argv[1], "is no regular file", "name one that is, or a new one");
	if (!may_be_replaced(file, status.st_size))
		return refuse(argv[1], "holds something else than a clock page", "name another file, or remove this one");
	if (!make_room(file))
		return refuse(argv[1], "cannot be made 4096 bytes long", "make room");
	page = mmap(NULL, VDSO_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (page == MAP_FAILED)
		return refuse(argv[1], "cannot be mapped", "name a file that can be, as in /dev/shm");
	/* Blocked before the thread is made, so that it is blocked there, too. */
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	updater = vdso_updater_start(page, 10000000);
	if (!updater)
		return refuse(argv[1], "cannot be kept", errno == ENOSYS ? "let it call clock_gettime" : "make room");
	printf("%s: a clock page%s\n", argv[1],
	       vdso_updater_has_counter(updater) ? "" : " without a counter: this processor has none that can be trusted");
	fflush(stdout);
	wait_for(&ends, seconds);
	vdso_updater_stop(updater);
	return 0;
}
