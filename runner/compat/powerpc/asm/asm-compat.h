/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Instructions and data of the width of a register. */
#ifndef ASSAY_COMPAT_ASM_ASM_COMPAT_H
#define ASSAY_COMPAT_ASM_ASM_COMPAT_H

#ifdef __powerpc64__
#define PPC_LL ld
#define PPC_STL std
#define PPC_STLU stdu
#define PPC_LCMPI cmpdi
#define PPC_LONG .8byte
#define PPC_LONG_ALIGN .balign 8
#define SZL 8
#else
#define PPC_LL lwz
#define PPC_STL stw
#define PPC_STLU stwu
#define PPC_LCMPI cmpwi
#define PPC_LONG .long
#define PPC_LONG_ALIGN .balign 4
#define SZL 4
#endif

#endif
