/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hints and marks for compilers and checkers. */
#ifndef ASSAY_COMPAT_LINUX_COMPILER_H
#define ASSAY_COMPAT_LINUX_COMPILER_H

#include <linux/types.h>

#ifndef __ASSEMBLER__

#define __force
#define __user
#define __must_check __attribute__((warn_unused_result))
#define __always_inline inline __attribute__((always_inline))
#define noinline __attribute__((noinline))
#define __no_sanitize_address
#define __no_kasan_or_inline inline
#define __maybe_unused __attribute__((unused))
#define __pure __attribute__((pure))
#define __attribute_const__ __attribute__((const))
#define __aligned(bytes) __attribute__((aligned(bytes)))
#define __packed __attribute__((packed))
#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)
#define barrier() __asm__ volatile("" ::: "memory")
#define READ_ONCE(object) (*(const volatile __typeof__(object) *)&(object))
#define READ_ONCE_NOCHECK(object) READ_ONCE(object)
#define WRITE_ONCE(object, value) (*(volatile __typeof__(object) *)&(object) = (value))
#define asm __asm__
#define inline __inline__

#endif

#endif
