/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions that may be called through pointers have no type hash here. */
#ifndef ASSAY_COMPAT_LINUX_CFI_TYPES_H
#define ASSAY_COMPAT_LINUX_CFI_TYPES_H

#include <linux/linkage.h>

#endif
