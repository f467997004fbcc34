// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * cold_start TOOL FOLDER MIB ROUNDS: what cache-log-pages (TOOL) gains for a program that starts cold. A quarter of a file of
 * MIB in FOLDER is hot, in clusters of 64 KiB at random places; it is read page by page in random order, waiting for each
 * read, as a database looks things up. In each round, in random order:
 *   warm      the hot pages are cached
 *   cold      nothing of the file is
 *   restored  nothing is, and the tool brings back what was recorded; its time counts
 * Medians, with the fastest and the slowest round. The file's pages are dropped by posix_fadvise, so no root is needed; caches
 * inside the storage keep them, which the figures include. A file system that keeps them itself, such as tmpfs, is refused:
 * there nothing is cold.
 */
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "timing.h"

enum { WARM, COLD, RESTORED, WAYS };
enum { PAGE = 4096, CLUSTER = 16, ROUNDS_MAX = 100, KEPT_PART = 64 };

static const char *const names[WAYS] = { "warm", "cold", "restored" };
static char file_name[4096], list_name[4096 + 8];
static uint64_t pages, *hot, hot_count;
static double took_ms[WAYS][ROUNDS_MAX];

static _Noreturn void give_up(void)
{
	unlink(file_name);
	unlink(list_name);
	exit(2);
}

static _Noreturn void fail(const char *what)
{
	perror(what);
	give_up();
}

static void shuffle(uint64_t *words, uint64_t count)
{
	for (uint64_t i = count; i > 1; i--) {
		uint64_t other = random_word() % i, word = words[i - 1];

		words[i - 1] = words[other];
		words[other] = word;
	}
}

/* Random bytes, so that the storage neither leaves holes nor compresses them. */
static void make_file(int file)
{
	uint64_t page[PAGE / 8];

	for (uint64_t i = 0; i < pages; i++) {
		for (size_t word = 0; word < PAGE / 8; word++)
			page[word] = random_word();
		if (write(file, page, PAGE) != PAGE)
			fail("write the file");
	}
	if (fsync(file))
		fail("fsync");
}

/* A quarter of the clusters, each page of them once, in random order. */
static void choose_hot(void)
{
	uint64_t clusters = pages / CLUSTER, *order = malloc(clusters * sizeof(*order));

	hot_count = clusters / 4 * CLUSTER;
	hot = malloc(hot_count * sizeof(*hot));
	if (!order || !hot)
		fail("malloc");
	for (uint64_t i = 0; i < clusters; i++)
		order[i] = i;
	shuffle(order, clusters);
	for (uint64_t i = 0; i < hot_count; i++)
		hot[i] = order[i / CLUSTER] * CLUSTER + i % CLUSTER;
	free(order);
	shuffle(hot, hot_count);
}

/* The system's pages may be larger than ours. */
static uint64_t hot_cached(int file)
{
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	unsigned char *cached = malloc(pages);
	void *mapped = mmap(NULL, pages * PAGE, PROT_NONE, MAP_SHARED, file, 0);
	uint64_t count = 0;

	if (!cached || mapped == MAP_FAILED || mincore(mapped, pages * PAGE, cached))
		fail("mincore");
	for (uint64_t i = 0; i < hot_count; i++)
		count += cached[hot[i] * PAGE / page_bytes] & 1;
	munmap(mapped, pages * PAGE);
	free(cached);
	return count;
}

/* A few pages may be in use elsewhere, as by the disk that they were just written to. */
static void drop(int file)
{
	if (posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED))
		fail("posix_fadvise");
	if (hot_cached(file) > hot_count / KEPT_PART) {
		fprintf(stderr, "%s: its file system keeps pages that were to be dropped: name a FOLDER on a disk\n",
			file_name);
		give_up();
	}
}

static void look_up_all(int file)
{
	char page[PAGE];

	for (uint64_t i = 0; i < hot_count; i++)
		if (pread(file, page, PAGE, (off_t)(hot[i] * PAGE)) != PAGE)
			fail("pread");
}

static void tool(const char *program, const char *verb)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		int nowhere = open("/dev/null", O_WRONLY);

		if (nowhere >= 0)
			dup2(nowhere, STDOUT_FILENO);
		if (verb[2] == 's')
			execl(program, program, verb, file_name, list_name, "--pressure", "101", "--keep-available", "0",
			      (char *)NULL);
		execl(program, program, verb, file_name, list_name, (char *)NULL);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		fail(verb);
}

static double round_ms(int file, const char *program, int way)
{
	double start;

	if (way == WARM)
		look_up_all(file);
	else
		drop(file);
	start = nanoseconds();
	if (way == RESTORED)
		tool(program, "restore");
	look_up_all(file);
	return (nanoseconds() - start) / 1e6;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
	uint64_t rounds;
	int file;

	if (argc != 5) {
		fprintf(stderr, "cold_start TOOL FOLDER MIB ROUNDS\n");
		return 2;
	}
	pages = whole_number(argv[3], "MIB", 4, 65536) * 256;
	rounds = whole_number(argv[4], "ROUNDS", 1, ROUNDS_MAX);
	random_state = 0x9e3779b97f4a7c15;
	snprintf(file_name, sizeof(file_name), "%s/cold_start.%d", argv[2], (int)getpid());
	snprintf(list_name, sizeof(list_name), "%s.list", file_name);
	file = open(file_name, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (file < 0)
		fail(file_name);
	make_file(file);
	choose_hot();
	/* No read-ahead, or the list would have pages that were not looked up. */
	posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM);
	drop(file);
	look_up_all(file);
	tool(argv[1], "record");
	for (uint64_t round = 0; round < rounds; round++) {
		uint64_t order[WAYS] = { WARM, COLD, RESTORED };

		shuffle(order, WAYS);
		for (int i = 0; i < WAYS; i++)
			took_ms[order[i]][round] = round_ms(file, argv[1], (int)order[i]);
	}
	unlink(file_name);
	unlink(list_name);
	printf("start of a program that looks up %llu pages of a file of %llu MiB, %llu rounds, ms: median (fastest, "
	       "slowest)\n",
	       (unsigned long long)hot_count, (unsigned long long)pages / 256, (unsigned long long)rounds);
	for (int way = 0; way < WAYS; way++)
		qsort(took_ms[way], rounds, sizeof(double), ascending);
	for (int way = 0; way < WAYS; way++)
		printf("%-9s %10.1f (%.1f, %.1f)  %.2f times as fast as cold\n", names[way], took_ms[way][rounds / 2],
		       took_ms[way][0], took_ms[way][rounds - 1], took_ms[COLD][rounds / 2] / took_ms[way][rounds / 2]);
	return 0;
}
