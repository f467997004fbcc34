/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Exported symbols, by the name under which assembly includes them. */
#ifndef ASSAY_COMPAT_ASM_EXPORT_H
#define ASSAY_COMPAT_ASM_EXPORT_H

#include <linux/export.h>

#endif
