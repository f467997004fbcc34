/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Included by old assembly for the C library's names of functions, which nothing needs here. */
#ifndef ASSAY_COMPAT_LINUX_SYS_H
#define ASSAY_COMPAT_LINUX_SYS_H

#endif
