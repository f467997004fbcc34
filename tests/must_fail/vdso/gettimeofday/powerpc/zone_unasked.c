/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stores the time zone behind the time even if the caller passed no zone; callers that want it often have it there.
 *
 * assay-expect: fail a zone that was not asked for
 */
#include "leaf.h"

int vdso_gettimeofday(struct vdso_timeval *result, struct vdso_timezone *zone)
{
	const struct vdso_page *page = leaf_page();

	if (!zone && result)
		zone = (struct vdso_timezone *)(result + 1);
	if (vdso_call_gettimeofday(result, zone, page, NULL))
		return vdso_return(-1);
	return vdso_succeed();
}
