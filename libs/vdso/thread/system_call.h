/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The system calls of 32-bit PowerPC that the thread's code falls back on, for C and assembly. */
#ifndef VDSO_THREAD_SYSTEM_CALL_H
#define VDSO_THREAD_SYSTEM_CALL_H

#define SYSTEM_CALL_GETTIMEOFDAY 78
#define SYSTEM_CALL_CLOCK_GETTIME 246
#define SYSTEM_CALL_CLOCK_GETRES 247

#endif
