/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the parts of cache-log-pages share: lists of pages, messages, restoring. list.c has the format. */
#ifndef CACHE_LOG_PAGES_H
#define CACHE_LOG_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

enum { STATUS_FINE = 0, STATUS_REFUSED = 1, STATUS_USAGE = 2 };

struct run {
	uint64_t first, count; /* in pages of page_bytes */
};

/* Which pages of a file were cached, and which file it was. */
struct list {
	uint64_t page_bytes, file_bytes, device, inode;
	int64_t modified_s, modified_ns;
	struct run *runs;
	size_t runs_count;
	uint64_t pages;
};

/* Prints "cache-log-pages: error: WHAT: remedy" and exits with the status. */
_Noreturn void stop(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
void *must_have(void *memory);
/* Before a file is opened: to open a FIFO is to wait for who writes into it, and some devices act when they are opened. */
void refuse_other_than_file(const char *path, const char *remedy);

void list_fill_identity(struct list *list, const struct stat *file);
/* NULL if the list is of this file as it is now; otherwise what differs. */
const char *list_mismatch(const struct list *list, const struct stat *file);
void list_write(const struct list *list, const char *path);
void list_read(struct list *list, const char *path);
void list_free(struct list *list);

struct restore_options {
	uint64_t rate; /* bytes a second; 0: as fast as it goes */
	uint64_t budget; /* bytes at most; 0: no limit */
	double pressure_percent; /* stop when some task waits for memory this share of the last 10 s */
	uint64_t available_bytes; /* stop when less than this is free or can be freed */
	const char *pressure_file, *memory_file; /* /proc/pressure/memory, /proc/meminfo */
	bool by_size; /* longest runs first */
};

struct restored {
	uint64_t bytes, runs;
	const char *stopped; /* why before the end, or NULL */
};

void restore(int file, const struct list *list, const struct restore_options *options, struct restored *result);
/* Marks which of `count` pages from `first` on are in the cache, a byte each. */
void resident(int file, uint64_t page_bytes, uint64_t first, uint64_t count, unsigned char *marks);

#endif
