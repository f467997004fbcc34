// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An inline reader of libs/vdso as a function, and a discipline on the heap, for Rust. */
#include "vdso_clock.h"
#include "vdso_discipline.h"

#include <errno.h>
#include <stdlib.h>

int vdso_clock_rust_now(const struct vdso_clock *clock, int32_t id, struct vdso_time *now)
{
	return (int)vdso_clock_now(clock, id, now);
}

/* NULL if there is no memory, or, with errno ENOSYS, if the kernel's clocks cannot be read. */
struct vdso_discipline *vdso_clock_rust_discipline(struct vdso_page *page)
{
	struct vdso_discipline *discipline = malloc(sizeof(*discipline));

	if (discipline && vdso_discipline_start(discipline, page) == VDSO_DISCIPLINE_NO_CLOCKS) {
		free(discipline);
		errno = ENOSYS;
		return NULL;
	}
	return discipline;
}
