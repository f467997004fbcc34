/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Exported symbols are of use to modules only. */
#ifndef ASSAY_COMPAT_LINUX_EXPORT_H
#define ASSAY_COMPAT_LINUX_EXPORT_H

#define EXPORT_SYMBOL(name)
#define EXPORT_SYMBOL_GPL(name)
#define EXPORT_SYMBOL_KASAN(name)

#endif
