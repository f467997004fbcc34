// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// The tracer's files: the trace, and Linux's list of this process's mappings. The traced program shares QEMU's descriptors and
// root folder, and may close all descriptors as daemons do, use them up, change its root or give up its rights. So the
// files belong to a thread of the tracer's own: its table of descriptors is its own, it has opened all it needs before the
// program begins, and Linux keeps rights for each thread. Others ask it to work and wait.
//
// The trace gets its name only when it is complete: until then it has none at all (O_TMPFILE), or NAME.partial where the
// file system cannot do that, so that no crash, signal or full disk leaves a file that looks complete.

#define _GNU_SOURCE
#include "tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The descriptors are those of the thread. It works on `bytes` and answers with an error's number or 0.
static struct {
	char *path, *folder_path, *partial;
	const char *name; // in the folder
	int self, folder, maps, trace;
	bool unnamed; // made with O_TMPFILE
	uint64_t written; // bytes in the file
	char *bytes;
	size_t count;
	int (*work)(void);
	int answer;
	sem_t asked, answered;
	bool runs;
} files;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // held by the thread that asks

// ---- What the thread does -------------------------------------------------------------------------------------

static int leave_shared_descriptors(void)
{
	if (!close_range(0, ~0u, CLOSE_RANGE_UNSHARE))
		return 0;
	if (unshare(CLONE_FILES)) // the way before Linux 5.9
		return errno;
	for (long i = sysconf(_SC_OPEN_MAX); i-- > 0;)
		close((int)i);
	return 0;
}

static int open_all(void)
{
	int problem = leave_shared_descriptors();

	if (problem)
		return problem;
	files.self = open("/proc/thread-self", O_PATH | O_DIRECTORY | O_CLOEXEC);
	files.maps = openat(files.self, "maps", O_RDONLY | O_CLOEXEC);
	files.folder = open(files.folder_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (files.folder < 0)
		return errno;
	files.trace = files.self < 0 ? -1 : openat(files.folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	files.unnamed = files.trace >= 0;
	if (!files.unnamed)
		files.trace = openat(files.folder, files.partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	return files.trace < 0 ? errno : 0;
}

static int write_bytes(void)
{
	for (size_t at = 0; at < files.count;) {
		ssize_t done = pwrite(files.trace, files.bytes + at, files.count - at, (off_t)files.written);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? errno : ENOSPC;
		at += (size_t)done;
		files.written += (uint64_t)done;
	}
	return 0;
}

// Gives the finished file its name, replacing what had it before.
static int name_trace(void)
{
	char link[32];

	if (files.unnamed) {
		snprintf(link, sizeof(link), "fd/%d", files.trace);
		unlinkat(files.folder, files.partial, 0);
		if (linkat(files.self, link, files.folder, files.partial, AT_SYMLINK_FOLLOW))
			return errno;
	}
	return renameat(files.folder, files.partial, files.folder, files.name) ? errno : 0;
}

static int remove_unfinished(void)
{
	if (!files.unnamed && files.trace >= 0)
		unlinkat(files.folder, files.partial, 0);
	return 0;
}

// Fills the buffer, as far as there is text.
static int read_maps(void)
{
	size_t at = 0;
	ssize_t got;

	if (lseek(files.maps, 0, SEEK_SET))
		return errno;
	do {
		got = read(files.maps, files.bytes + at, files.count - at);
		at += got > 0 ? (size_t)got : 0;
	} while (got > 0 || (got < 0 && errno == EINTR));
	files.count = at;
	return got < 0 ? errno : 0;
}

static void *work(void *nothing)
{
	(void)nothing;
	for (;;) {
		while (sem_wait(&files.asked))
			;
		files.answer = files.work();
		sem_post(&files.answered);
	}
	return NULL;
}

// ---- What the others ask for ----------------------------------------------------------------------------------

// An error's number, or 0. `count` is then how many bytes there are.
static int ask(int (*work)(void), const void *bytes, size_t *count)
{
	pthread_mutex_lock(&lock);
	int answer = ECHILD;

	if (files.runs) {
		files.work = work;
		files.bytes = (char *)bytes;
		files.count = *count;
		sem_post(&files.asked);
		while (sem_wait(&files.answered))
			;
		answer = files.answer;
		*count = files.count;
	}
	pthread_mutex_unlock(&lock);
	return answer;
}

static void start(void)
{
	sigset_t all, before;
	pthread_t thread;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before); // the new thread blocks all of them
	if (sem_init(&files.asked, 0, 0) || sem_init(&files.answered, 0, 0) || pthread_create(&thread, NULL, work, NULL))
		tracer_fatal("no thread can be made");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	files.runs = true;
}

void files_open(const char *path)
{
	struct stat now;
	size_t none = 0;

	if (!stat(path, &now) && !S_ISREG(now.st_mode))
		tracer_fatal("%s is not a file that could be replaced", path);
	files.path = strdup(path);
	char *slash = strrchr(files.path, '/');
	files.name = slash ? slash + 1 : files.path;
	files.folder_path = slash ? strndup(path, slash == files.path ? 1 : (size_t)(slash - files.path)) : strdup(".");
	if (asprintf(&files.partial, "%s.partial", files.name) < 0)
		tracer_fatal("out of memory");
	start();
	int problem = ask(open_all, NULL, &none);
	if (problem)
		tracer_fatal("cannot create %s: %s", files.path, strerror(problem));
}

void files_write(const void *bytes, size_t count)
{
	int problem = ask(write_bytes, bytes, &count);

	if (problem)
		tracer_fatal("cannot write %s: %s", files.path, strerror(problem));
}

void files_finish(void)
{
	size_t none = 0;
	int problem = ask(name_trace, NULL, &none);

	if (problem)
		tracer_fatal("cannot name %s: %s", files.path, strerror(problem));
}

void files_discard(void)
{
	size_t none = 0;

	ask(remove_unfinished, NULL, &none);
}

char *files_maps(void)
{
	char *text = NULL;

	for (size_t size = 1 << 16;; size *= 2) {
		size_t count = size - 1;
		char *larger = realloc(text, size);

		if (!larger)
			tracer_fatal("out of memory");
		text = larger;
		if (ask(read_maps, text, &count)) {
			free(text);
			return NULL;
		}
		if (count < size - 1) {
			text[count] = 0;
			return text;
		}
	}
}

void files_hold(bool hold)
{
	(hold ? pthread_mutex_lock : pthread_mutex_unlock)(&lock);
}

void files_abandon(void)
{
	files.runs = false;
}
