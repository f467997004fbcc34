/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Register names come with ppc_asm.h. */
#ifndef ASSAY_COMPAT_ASM_PROCESSOR_H
#define ASSAY_COMPAT_ASM_PROCESSOR_H

#include <asm/ppc_asm.h>

#endif
