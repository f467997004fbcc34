/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * time as the 32-bit image exports it: see leaf.h.
 *
 * assay-about: ours, as in the vDSO image: no frame
 */
#include "leaf.h"

LEAF_RARE(vdso_rare_time, vdso_behind_time);

LEAF_BEHIND long vdso_behind_time(long *result)
{
	return vdso_call_time(result, leaf_page());
}

long vdso_time(long *result)
{
	return leaf_time(result);
}
