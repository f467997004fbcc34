// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The list: text, so that it can be read, compared and made by other tools.
 *
 *     cache-log-pages 1
 *     page 4096
 *     file BYTES DEVICE INODE SECONDS NANOSECONDS
 *     run FIRST COUNT           one for each run of cached pages, ascending, not adjacent
 *     end RUNS PAGES CHECK
 *
 * Written under another name and renamed, so that there is a whole list or none. CHECK is FNV-1a over all before its line.
 */
#include "pages.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_LINE "cache-log-pages 1\n"

static uint64_t check_of(const char *text, size_t bytes)
{
	uint64_t check = 0xcbf29ce484222325;

	for (size_t i = 0; i < bytes; i++)
		check = (check ^ (unsigned char)text[i]) * 0x100000001b3;
	return check;
}

void list_fill_identity(struct list *list, const struct stat *file)
{
	list->file_bytes = (uint64_t)file->st_size;
	list->device = (uint64_t)file->st_dev;
	list->inode = (uint64_t)file->st_ino;
	list->modified_s = file->st_mtim.tv_sec;
	list->modified_ns = file->st_mtim.tv_nsec;
}

const char *list_mismatch(const struct list *list, const struct stat *file)
{
	struct list now = { 0 };

	list_fill_identity(&now, file);
	if (now.file_bytes != list->file_bytes)
		return "its length has changed";
	if (now.modified_s != list->modified_s || now.modified_ns != list->modified_ns)
		return "it was modified since";
	/* Device and inode are for who reads the list: the one changes with a mount, the other when the file is moved. */
	return NULL;
}

/*
 * The new list takes the name of what is there, so that may only be a list, or empty: not the file whose pages are listed, if
 * the two were swapped, and no device.
 */
static void refuse_what_is_no_list(const char *path)
{
	char start[sizeof(FIRST_LINE)] = "";
	struct stat there;
	FILE *in;
	size_t got;

	if (lstat(path, &there) != 0)
		return;
	if (!S_ISREG(there.st_mode))
		stop(STATUS_USAGE, "%s: is there and no regular file: name a list of its own, behind the file", path);
	in = fopen(path, "r");
	if (!in)
		stop(STATUS_USAGE, "%s: %m: name a list that can be read and written", path);
	got = fread(start, 1, sizeof(FIRST_LINE) - 1, in);
	fclose(in);
	if (got != 0 && strcmp(start, FIRST_LINE) != 0)
		stop(STATUS_USAGE,
		     "%s: is there and no list, so it is not overwritten: name a list of its own, behind the file", path);
}

/* mkstemp's files are for their owner alone, and the list is one as any other. */
static mode_t mode_of_new_files(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* The name of a file there is on the disk, too: the list is for after a reboot. Folders that cannot be synchronised are left. */
static void sync_folder_of(char *path)
{
	char *slash = strrchr(path, '/');
	int folder;

	if (slash)
		slash[slash == path] = 0;
	folder = open(slash ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder >= 0) {
		fsync(folder);
		close(folder);
	}
}

void list_write(const struct list *list, const char *path)
{
	char *text = NULL, *part = must_have(malloc(strlen(path) + sizeof(".part-XXXXXX")));
	size_t bytes = 0;
	FILE *memory = must_have(open_memstream(&text, &bytes)), *out;
	int descriptor;

	refuse_what_is_no_list(path);
	fprintf(memory, FIRST_LINE "page %" PRIu64 "\nfile %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 "\n",
		list->page_bytes, list->file_bytes, list->device, list->inode, list->modified_s, list->modified_ns);
	for (size_t i = 0; i < list->runs_count; i++)
		fprintf(memory, "run %" PRIu64 " %" PRIu64 "\n", list->runs[i].first, list->runs[i].count);
	if (fflush(memory) != 0)
		stop(STATUS_USAGE, "no memory for the list: free some and run it again");
	fprintf(memory, "end %zu %" PRIu64 " %016" PRIx64 "\n", list->runs_count, list->pages, check_of(text, bytes));
	must_have(fclose(memory) == 0 ? text : NULL);
	sprintf(part, "%s.part-XXXXXX", path);
	/* A new file: whoever can write to the folder could have laid a link under a name that is known before. */
	descriptor = mkstemp(part);
	out = descriptor < 0 ? NULL : fdopen(descriptor, "w");
	if (!out)
		stop(STATUS_USAGE, "%s: %m: name a list in a folder that can be written", part);
	if (fwrite(text, 1, bytes, out) != bytes || fflush(out) != 0 || fchmod(descriptor, mode_of_new_files()) != 0 ||
	    fsync(descriptor) != 0 || fclose(out) != 0 || rename(part, path) != 0) {
		int status = STATUS_USAGE;
		char reason[128];

		snprintf(reason, sizeof(reason), "%m");
		unlink(part);
		stop(status, "%s: %s: the list was not written; see that the disk has room", path, reason);
	}
	sync_folder_of(part);
	free(text);
	free(part);
}

static _Noreturn void malformed(const char *path, size_t line, const char *what)
{
	stop(STATUS_REFUSED, "%s:%zu: %s: the list is damaged or no list of this tool; record it again", path, line, what);
}

static char *read_whole(const char *path, size_t *bytes)
{
	char *text = NULL;
	size_t room = 0, got;
	FILE *in;

	*bytes = 0;
	refuse_other_than_file(path, "name a list that 'record' wrote");
	in = fopen(path, "r");
	if (!in)
		stop(STATUS_USAGE, "%s: %m: name a list that 'record' wrote", path);
	do {
		room = room ? 2 * room : 1 << 16;
		text = must_have(realloc(text, room + 1));
		got = fread(text + *bytes, 1, room - *bytes, in);
		*bytes += got;
	} while (*bytes == room);
	if (ferror(in))
		stop(STATUS_USAGE, "%s: %m: it cannot be read", path);
	fclose(in);
	text[*bytes] = '\0';
	return text;
}

static void add_run(struct list *list, const char *path, size_t line, struct run run)
{
	const struct run *last = list->runs_count ? &list->runs[list->runs_count - 1] : NULL;
	uint64_t pages = list->file_bytes / list->page_bytes + (list->file_bytes % list->page_bytes != 0);

	if (run.count == 0 || run.first >= pages || run.count > pages - run.first)
		malformed(path, line, "a run outside of the file");
	if (last && run.first <= last->first + last->count)
		malformed(path, line, "runs that touch or are out of order");
	if ((list->runs_count & (list->runs_count - 1)) == 0)
		list->runs = must_have(realloc(list->runs, (list->runs_count ? 2 * list->runs_count : 1) * sizeof(run)));
	list->runs[list->runs_count++] = run;
	list->pages += run.count;
}

/* Reads one line of the list; returns whether it was the last. */
static bool read_line(struct list *list, const char *path, size_t number, const char *line, uint64_t check)
{
	uint64_t pages, wanted;
	struct run run;
	size_t runs;
	int used = -1;

	if (number == 1) {
		if (strcmp(line, "cache-log-pages 1") != 0)
			malformed(path, number, "no 'cache-log-pages 1'");
	} else if (number == 2) {
		if (sscanf(line, "page %" SCNu64 "%n", &list->page_bytes, &used) != 1 || line[used] || list->page_bytes < 512 ||
		    (list->page_bytes & (list->page_bytes - 1)))
			malformed(path, number, "no 'page BYTES'");
	} else if (number == 3) {
		if (sscanf(line, "file %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNd64 " %" SCNd64 "%n", &list->file_bytes,
			   &list->device, &list->inode, &list->modified_s, &list->modified_ns, &used) != 5 ||
		    line[used])
			malformed(path, number, "no 'file ...'");
	} else if (sscanf(line, "run %" SCNu64 " %" SCNu64 "%n", &run.first, &run.count, &used) == 2 && used > 0 &&
		   !line[used]) {
		add_run(list, path, number, run);
	} else if (sscanf(line, "end %zu %" SCNu64 " %" SCNx64 "%n", &runs, &pages, &wanted, &used) == 3 && !line[used]) {
		if (runs != list->runs_count || pages != list->pages || wanted != check)
			malformed(path, number, "what it says it holds is not what it holds");
		return true;
	} else {
		malformed(path, number, "no 'run FIRST COUNT' and no 'end'");
	}
	return false;
}

void list_read(struct list *list, const char *path)
{
	size_t bytes, number = 0;
	char *text = read_whole(path, &bytes), *at = text;
	bool ended = false;

	*list = (struct list){ 0 };
	while (*at && !ended) {
		char *end = strchr(at, '\n');
		uint64_t check = strncmp(at, "end ", 4) == 0 ? check_of(text, (size_t)(at - text)) : 0;
		char *line;

		if (!end)
			malformed(path, number + 1, "a line without an end");
		/* A copy: the text has to stay as it is for the check. */
		line = must_have(strndup(at, (size_t)(end - at)));
		ended = read_line(list, path, ++number, line, check);
		free(line);
		at = end + 1;
	}
	if (!ended || *at)
		malformed(path, number + 1, ended ? "something behind the end" : "no end");
	free(text);
}

void list_free(struct list *list)
{
	free(list->runs);
	*list = (struct list){ 0 };
}
