/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The error numbers, by the name under which assembly includes them. */
#ifndef ASSAY_COMPAT_ASM_ERRNO_H
#define ASSAY_COMPAT_ASM_ERRNO_H

#include <linux/errno.h>

#endif
