/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Time namespaces, for the images alone. A namespace's page has the offsets, and the system's page, one step behind it, the
 * time. The kernel that maps an image maps both. A reader that was given one page must not follow it: whoever writes that page
 * would choose what else is read.
 */
#ifndef VDSO_NAMESPACE_H
#define VDSO_NAMESPACE_H

#include "vdso_read.h"

/* The page one step after a namespace's page. */
VDSO_INLINE const struct vdso_page *vdso_system_page(const struct vdso_page *page)
{
	return (const struct vdso_page *)((uintptr_t)page + VDSO_PAGE_STEP);
}

VDSO_INLINE bool vdso_is_namespace(const struct vdso_data *vd)
{
	return (vdso_seq(vd, 0) & 1) && vd->clock_mode == VDSO_CLOCKMODE_TIMENS;
}

/* A namespace's page gives the offset, the page after it the time. The offsets never change while the page is mapped. */
VDSO_INLINE void vdso_namespace_add(const struct vdso_page *page, unsigned int clock, struct vdso_time *time)
{
	const struct vdso_timestamp *offset = &page->data[vdso_block_of((int32_t)clock)].basetime[clock];
	uint64_t nsec = time->nsec + offset->nsec;

	time->sec = (int64_t)((uint64_t)time->sec + offset->sec);
	if (nsec >= VDSO_NSEC_PER_SEC) {
		nsec -= VDSO_NSEC_PER_SEC;
		time->sec = (int64_t)((uint64_t)time->sec + 1);
	}
	/* A hostile page's offset may be any number. */
	time->nsec = nsec < VDSO_NSEC_PER_SEC ? (uint32_t)nsec : VDSO_NSEC_PER_SEC - 1;
}

/* What vdso_read_time_slow is for readers of one page. */
VDSO_COLD int vdso_image_time_slow(const struct vdso_page *page, const void *hypervisor, int32_t clock, struct vdso_time *time)
{
	bool in_namespace = vdso_is_namespace(&page->data[vdso_block_of(clock)]);
	int result = vdso_page_time(in_namespace ? vdso_system_page(page) : page, hypervisor, clock, time);

	if (result == VDSO_OK && in_namespace)
		vdso_namespace_add(page, (unsigned int)clock, time);
	return result;
}

/* Resolutions, like the time zone, are the system's: a namespace's page has none. */
VDSO_INLINE const struct vdso_data *vdso_shared(const struct vdso_page *page)
{
	if (VDSO_UNLIKELY(page->data[0].clock_mode == VDSO_CLOCKMODE_TIMENS))
		return vdso_system_page(page)->data;
	return page->data;
}

#endif
