/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The memory layout of guest_switch's guest, and its hypercall, a number that PAPR does not assign; for assembly, too. */
#ifndef KERNEL_GUEST_H
#define KERNEL_GUEST_H

#define GUEST_CODE 0x10000
#define GUEST_FILL 0x20000
#define GUEST_FOUND 0x30000
#define GUEST_CALL 0xf00

#endif
