/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* There is no address sanitizer here: the guard pages do that work. */
#ifndef ASSAY_COMPAT_ASM_KASAN_H
#define ASSAY_COMPAT_ASM_KASAN_H

#endif
