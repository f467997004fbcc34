/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The error numbers that copying code returns. */
#ifndef ASSAY_COMPAT_LINUX_ERRNO_H
#define ASSAY_COMPAT_LINUX_ERRNO_H

#define EFAULT 14
#define EINVAL 22

#endif
