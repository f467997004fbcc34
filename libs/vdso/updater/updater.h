/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A thread that keeps a clock page at the time of the kernel (vdso_discipline.h), for Linux programs with a C library. The page
 * may be shared with other processes, which map it read-only. Its bounds of the wall clock include what the kernel says of its own
 * clock (adjtimex); as long as the kernel calls that unsynchronised, readers get no bounds.
 */
#ifndef VDSO_UPDATER_H
#define VDSO_UPDATER_H

#include "vdso_discipline.h"

#ifdef __cplusplus
extern "C" {
#endif

struct vdso_updater;

/*
 * Starts the page and the thread; `interval_ns` between updates, 1 ms to 1 s. NULL with errno if there is no memory, no
 * thread, the interval is out of range (EINVAL), or the kernel's clocks cannot be read (ENOSYS). The page is current when this returns.
 */
struct vdso_updater *vdso_updater_start(struct vdso_page *page, uint64_t interval_ns);

/* Whether the page has a counter; without, its readers use the system call for all but the coarse clocks. */
bool vdso_updater_has_counter(const struct vdso_updater *updater);

/*
 * Ends the thread, and the page's discipline (vdso_discipline_stop): readers fall back, coarse clocks no longer advance.
 */
void vdso_updater_stop(struct vdso_updater *updater);

#ifdef __cplusplus
}
#endif

#endif
