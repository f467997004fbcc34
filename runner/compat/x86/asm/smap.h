/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Supervisor access prevention is not for user space. */
#ifndef ASSAY_COMPAT_ASM_SMAP_H
#define ASSAY_COMPAT_ASM_SMAP_H

#endif
