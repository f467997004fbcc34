/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Small arithmetic that any kernel C may use. */
#ifndef ASSAY_COMPAT_LINUX_KERNEL_H
#define ASSAY_COMPAT_LINUX_KERNEL_H

#include <linux/compiler.h>
#include <linux/export.h>
#include <asm/byteorder.h>

#ifndef __ASSEMBLER__

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define might_sleep()

#endif

#endif
