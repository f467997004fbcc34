/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The checksum interface of the kernel, as far as its implementations use it themselves. */
#ifndef ASSAY_COMPAT_NET_CHECKSUM_H
#define ASSAY_COMPAT_NET_CHECKSUM_H

#include <linux/bitops.h>
#include <linux/kernel.h>
#include <asm/checksum.h>

#endif
