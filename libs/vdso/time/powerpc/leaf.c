/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * time without a frame: see leaf.h. One load of the page; it cannot fail.
 *
 * assay-about: ours: no frame
 */
#include "leaf.h"

long vdso_time(long *result)
{
	long now = (long)leaf_load(leaf_page(), VDSO_BASETIME + LOW);

	if (result)
		*result = now;
	return vdso_succeed_with(now);
}
