// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * dlopen IMAGE: uses an image like any shared object: dlopen maps it, dlvsym finds the versioned call. Its pages have to lie
 * before it, where the image looks for them: make_room keeps that place free.
 */
#include "updater/updater.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

#if defined(__x86_64__)
#define CALL "__vdso_clock_gettime"
#define VERSION "LINUX_2.6"
#elif defined(__aarch64__)
#define CALL "__kernel_clock_gettime"
#define VERSION "LINUX_2.6.39"
#elif defined(__riscv)
#define CALL "__vdso_clock_gettime"
#define VERSION "LINUX_4.15"
#elif defined(__loongarch__)
#define CALL "__vdso_clock_gettime"
#define VERSION "LINUX_5.10"
#else
#error "powerpc's calls tell errors by CR0.SO, which C cannot see: tests/call_powerpc.S shows how they are called"
#endif

/*
 * The kernel puts a new mapping into the highest gap that it fits. Small mappings are made until the gaps between libraries
 * are full and each new one comes right below the last. The image will then come below that, with free space below it.
 */
static void make_room(void)
{
	const size_t bytes = 8192;
	char *last = NULL;

	for (int tries = 0, below = 0; tries < 100000 && below < 64; tries++) {
		char *here = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		below = last && here == last - bytes ? below + 1 : 0;
		last = here;
	}
}

int main(int argc, char **argv)
{
	int (*call)(int, struct timespec *);
	struct timespec before, here, after;
	struct vdso_updater *updater;
	struct link_map *map;
	void *image, *page;

	if (argc != 2) {
		fprintf(stderr, "usage: dlopen IMAGE\n");
		return 2;
	}
	make_room();
	image = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	if (!image || dlinfo(image, RTLD_DI_LINKMAP, &map) != 0) {
		fprintf(stderr, "error: %s\n", dlerror());
		return 2;
	}
	page = (void *)(map->l_addr - VDSO_PAGE_BEFORE_IMAGE);
	if (mmap(page, VDSO_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) !=
	    page) {
		fprintf(stderr,
			"error: the place of the page, %p, is taken\n       remedy: map the image where there is room before it\n",
			page);
		return 2;
	}
	*(void **)&call = dlvsym(image, CALL, VERSION);
	if (!call || dlvsym(image, CALL, "LINUX_0")) {
		fprintf(stderr, "error: " CALL " is not there as " VERSION " and nothing else\n");
		return 1;
	}
	updater = vdso_updater_start(page, 10000000);
	if (!updater)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &before);
	if (call(CLOCK_MONOTONIC, &here) != 0)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &after);
	vdso_updater_stop(updater);
	/* The page is as exact as the discipline's brackets are narrow: a microsecond or so. */
	if ((here.tv_sec - before.tv_sec) * 1000000000 + here.tv_nsec - before.tv_nsec < -20000 ||
	    (after.tv_sec - here.tv_sec) * 1000000000 + after.tv_nsec - here.tv_nsec < -20000) {
		fprintf(stderr, "error: the times differ\n");
		return 1;
	}
	printf("the times agree\n");
	return 0;
}
