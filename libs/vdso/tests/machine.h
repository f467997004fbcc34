/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An image mapped as a kernel maps it: pages read-only before it, code read-execute, and the writer's own view of the page.
 * And the calls of an image by the convention of the architecture.
 */
#ifndef VDSO_MACHINE_H
#define VDSO_MACHINE_H

#include "bare.h"
#include "vdso_discipline.h"
#include "vdso_loader.h"

/* What the sixteen interfaces of vdsotest, time() and clock_gettime64 need of an image. NULL where it has none. */
struct vdso_calls {
	const char *name;
	void *clock_gettime, *clock_gettime64, *clock_getres, *gettimeofday, *getcpu, *time;
	void *get_tbfreq, *get_syscall_map, *sync_dicache; /* PowerPC's own */
};

struct machine {
	struct vdso_image image;
	struct vdso_calls calls;
	struct vdso_page *page; /* as the writer sees it */
	const struct vdso_page *seen; /* as the image sees it: VDSO_PAGE_BEFORE_IMAGE before it, not writable */
	struct vdso_page *behind; /* the writer's view of the page one step behind that, for namespaces */
	void *hypervisor; /* the writer's view of the hypervisor's page */
	struct vdso_discipline discipline;
	_Bool has_counter;
};

/* Maps the image of this file; ends the program with status 2 if that cannot be done. The page is all zero. */
void machine_map(struct machine *machine, const char *path);
/* Starts the page's discipline by the kernel's clocks. */
void machine_start(struct machine *machine);

/* The kernel's own image; false if it gave none (QEMU 7.2's user mode). */
extern _Bool machine_is_emulated; /* by QEMU in user mode */
_Bool machine_kernel(struct vdso_calls *calls, struct vdso_image *image);

void machine_find_calls(struct vdso_calls *calls, const struct vdso_image *image, const char *name);

/* Calls with up to three words: -errno for an error on every architecture, on powerpc translated from CR0.SO. */
long machine_call(void *function, uintptr_t a, uintptr_t b, uintptr_t c);

/* A call without arguments whose result has 64 bits also on 32-bit machines; powerpc. */
uint64_t machine_call_wide(void *function);

/* How the last call broke the convention of the architecture; NULL if it did not. */
const char *machine_convention(void);

/* As bare_clock_gettime and bare_clock_getres, by an image. On 32-bit powerpc seconds have 32 bits. */
long machine_clock_gettime(const struct vdso_calls *calls, int32_t clock, struct bare_time *time);
long machine_clock_getres(const struct vdso_calls *calls, int32_t clock, struct bare_time *time);

extern const int32_t machine_clocks[7];
const char *machine_clock_name(int32_t clock);

#endif
