/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Bits of the machine state register and numbers of special registers, as Power ISA has them. What uses them is
 * privileged: it is assembled with the rest of a file, and no check calls it.
 */
#ifndef ASSAY_COMPAT_REG_H
#define ASSAY_COMPAT_REG_H

#define MSR_RI 0x00000002
#define MSR_FP 0x00002000
#define MSR_VSX 0x00800000
#define MSR_VEC 0x02000000

#define SPRN_VRSAVE 256

#ifdef __powerpc64__
#define MTMSRD(register) mtmsrd register
#else
#define MTMSRD(register) mtmsr register
#endif

#endif
