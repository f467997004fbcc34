/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The clock page: what a writer keeps current and readers turn into a time. Layout and meaning, no code.
 *
 * The page begins as Linux's does: two clock blocks, each as `struct vdso_data` stands in include/vdso/datapage.h from v5.6
 * to v6.1, so that code written for the kernel's page reads this one at the same offsets. Block 0 serves the
 * high-resolution and the coarse clocks, block 1 CLOCK_MONOTONIC_RAW, whose rate is never adjusted. What Linux's page does not
 * have (version, generation, bounds, the limits of multiplication) follows the two blocks, from offset 512 on.
 *
 * How a time is computed from a block, with `delta = (counter - cycle_last) & mask`:
 *
 *   high resolution   ns = (delta * mult + basetime[clock].nsec) >> shift, to be added to basetime[clock].sec;
 *                     basetime[clock].nsec is shifted left by `shift`
 *   coarse            basetime[clock] as it stands, in plain nanoseconds
 *   time()            basetime[CLOCK_REALTIME].sec alone
 *
 * `seq` is odd while the writer writes, and has changed if it wrote meanwhile. Each block is written under its own `seq`;
 * everything after the blocks is written under block 0's. A page that was never written has `seq` 0: a page of zeros never gives
 * a time. Its first state has 2; a page that is started anew goes on from the count that it has; 2 comes after 0xfffffffe.
 *
 * A layout that a reader of this one could not use will have other values of `clock_mode`, not just another `version`: a
 * reader that does not know the mode makes the system call, so that the hot path has no version to check.
 *
 * Usable without an operating system: this file needs nothing but <stdint.h> and <stddef.h>. Assembly includes it for the
 * offsets.
 */
#ifndef VDSO_PAGE_H
#define VDSO_PAGE_H

/* ------------------------------------------------------------------ offsets that assembly uses */

#define VDSO_PAGE_SIZE 4096 /* bytes of a page that mean something; mapped, it may be larger */
#define VDSO_SEQ 0
#define VDSO_CLOCK_MODE 4
#define VDSO_CYCLE_LAST 8
#define VDSO_MASK 16
#define VDSO_MULT 24
#define VDSO_SHIFT 28
#define VDSO_BASETIME 32 /* 16 bytes a clock: seconds, then nanoseconds */
#define VDSO_TZ_MINUTESWEST 224
#define VDSO_TZ_DSTTIME 228
#define VDSO_HRTIMER_RES 232
#define VDSO_COARSE_RES 236
#define VDSO_BLOCK_SIZE 240
#define VDSO_RAW_BLOCK VDSO_BLOCK_SIZE
#define VDSO_HEADER 512
#define VDSO_FLAGS 536 /* header.flags */
#define VDSO_PLAIN_SHIFT 564 /* header.plain_shift */
#define VDSO_LIMITS 576
#define VDSO_TICKS_PER_SECOND 640
#define VDSO_POWERPC_STAMP 704
#define VDSO_SYSCALL_MAP 768

/*
 * Where the image of the vDSO looks for its page: so many bytes before its ELF header. Two such steps, because a process in
 * a time namespace sees the namespace's page first and the system's one step further, as in Linux. 64 KiB is the largest
 * page size of the architectures here, so one image fits every kernel; the space between is not mapped.
 */
#define VDSO_PAGE_STEP 65536
#define VDSO_PAGE_BEFORE_IMAGE (2 * VDSO_PAGE_STEP)

/* ------------------------------------------------------------------ numbers in the page */

/* clock_mode. 1 is the counter of this architecture, as in Linux; 2 and 3 are x86's pages of KVM and Hyper-V. */
#define VDSO_CLOCKMODE_NONE 0
#define VDSO_CLOCKMODE_ARCH 1
#define VDSO_CLOCKMODE_PVCLOCK 2
#define VDSO_CLOCKMODE_HVCLOCK 3
#define VDSO_CLOCKMODE_TIMENS 0x7fffffff

/* Clock numbers of Linux's clock_gettime that stand in the page. */
#define VDSO_CLOCK_REALTIME 0
#define VDSO_CLOCK_MONOTONIC 1
#define VDSO_CLOCK_MONOTONIC_RAW 4
#define VDSO_CLOCK_REALTIME_COARSE 5
#define VDSO_CLOCK_MONOTONIC_COARSE 6
#define VDSO_CLOCK_BOOTTIME 7
#define VDSO_CLOCK_TAI 11
#define VDSO_BASES 12

#define VDSO_HRES_CLOCKS ((1u << 0) | (1u << 1) | (1u << 7) | (1u << 11))
#define VDSO_COARSE_CLOCKS ((1u << 5) | (1u << 6))
#define VDSO_RAW_CLOCKS (1u << 4)

#define VDSO_BLOCKS 2
#define VDSO_BLOCK_HRES_COARSE 0
#define VDSO_BLOCK_RAW 1

#define VDSO_NSEC_PER_SEC 1000000000
#define VDSO_USEC_PER_SEC 1000000

/*
 * The shift of a page whose readers may have it compiled in. A writer uses it wherever the counter runs at 5 MHz or more and
 * at less than 8 THz, so that `mult`, even slewed, fits into 32 bits and has at least eleven significant ones; a reader that
 * relies on it checks header.plain_shift.
 */
#define VDSO_FIXED_SHIFT 24

/* header.magic, as the eight bytes "ASSAYVDS" read in the machine's byte order. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define VDSO_MAGIC 0x4153534159564453
#else
#define VDSO_MAGIC 0x5344565941535341
#endif
#define VDSO_VERSION 1

/* Bits of header.flags. */
#define VDSO_FLAG_GETCPU 2 /* the processor has its number where Linux puts it for user programs to read */
#define VDSO_FLAG_RDPID 4 /* x86-64: and an instruction of its own for it */

/* header.status: what the writer knows of the wall clock. Monotonic clocks do not depend on it. */
#define VDSO_STATUS_UNKNOWN 0
#define VDSO_STATUS_SYNCHRONISED 1 /* disciplined; the error bound holds */
#define VDSO_STATUS_FREE_RUNNING 2 /* was disciplined; the error bound grows by max_drift_ppb */
#define VDSO_STATUS_DISRUPTED 3 /* restored from a snapshot and not set since: the error has no bound */

/* header.leap */
#define VDSO_LEAP_NONE 0
#define VDSO_LEAP_INSERT 1 /* 23:59:60 will be inserted before leap_at */
#define VDSO_LEAP_DELETE 2 /* 23:59:59 will be left out before leap_at */
#define VDSO_LEAP_INSERTING 3 /* 23:59:60 is now: CLOCK_REALTIME shows 23:59:59 again */

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

/* A base time, or in a namespace's page the signed offset to be added; nanoseconds of an offset are 0 to 999999999. */
struct vdso_timestamp {
	uint64_t sec;
	uint64_t nsec;
};

struct vdso_data {
	uint32_t seq;
	int32_t clock_mode;
	uint64_t cycle_last;
	uint64_t mask;
	uint32_t mult;
	uint32_t shift;
	struct vdso_timestamp basetime[VDSO_BASES];
	int32_t tz_minuteswest;
	int32_t tz_dsttime;
	uint32_t hrtimer_res; /* ns; what clock_getres gives for the high-resolution clocks */
	uint32_t coarse_res; /* ns; Linux's __unused, whose LOW_RES_NSEC is a constant of the kernel's build */
};

/* Read when a page is attached and by now_with_bounds. For a plain time only plain_shift is read, by 32-bit
 * PowerPC's image. */
struct vdso_header {
	uint64_t magic;
	uint32_t version;
	uint32_t size; /* bytes of the page that this writer fills; fields beyond are absent */
	uint64_t generation; /* changes at every disruption: a restore from a snapshot, a migration */
	uint32_t flags;
	uint32_t status;
	uint64_t error_ns; /* of CLOCK_REALTIME at cycle_last: the true time is within +- error_ns */
	uint32_t max_drift_ppb; /* by which that bound grows: ns for each second since cycle_last */
	int32_t tai_offset; /* seconds, TAI - UTC */
	uint32_t leap;
	uint32_t plain_shift; /* of both blocks, if their counter is the architecture's, with all 64 bits; else 0 */
	uint64_t leap_at; /* CLOCK_REALTIME's second that follows the leap */
};

/*
 * Of each block, the largest delta whose product stays in 64 bits with any base added, and which is at most half of the
 * counter's range, so that a larger one means either a long sleep or a counter below cycle_last. Readers take the exact path
 * (128 bits) for those; on 32-bit powerpc a delta of 2^32 and more is long, and a writer keeps max_cycles at 2^32 - 1 or
 * more where the mask has 64 bits, so that one test of the high word is enough there. So is the lifetime.
 */
struct vdso_limits {
	uint64_t max_cycles[VDSO_BLOCKS]; /* not more than the lifetime, if there is one */
	uint64_t
		lifetime_cycles; /* readers give no answer further from cycle_last: the writer is gone, or slept; 0: there is none */
};

/*
 * The fields of powerpc's page before v5.11, which its assembly read: the counter scaled to binary fractions of a second.
 *
 *   fraction of a second, 32 bits:  ((tb - tb_orig_stamp) << 12) * tb_to_xs >> 64, plus stamp_sec_fraction;
 *   what is above 32 bits is seconds, to be added to stamp_xtime_sec; nanoseconds are fraction * 10^9 >> 32.
 *
 * Written on powerpc, 32 and 64 bits, under tb_update_count, which is odd while it changes. wtom_clock turns realtime into
 * monotonic; its nanoseconds are 0 to 999999999.
 */
struct vdso_powerpc_stamp {
	uint32_t tb_update_count;
	uint32_t stamp_sec_fraction;
	uint64_t tb_orig_stamp;
	uint64_t tb_to_xs;
	int64_t stamp_xtime_sec;
	int64_t wtom_clock_sec;
	uint32_t stamp_xtime_nsec;
	uint32_t wtom_clock_nsec;
	uint32_t hrtimer_res;
	uint32_t reserved;
};

struct vdso_page {
	struct vdso_data data[VDSO_BLOCKS];
	uint8_t to_header[VDSO_HEADER - VDSO_BLOCKS * VDSO_BLOCK_SIZE];
	struct vdso_header header;
	struct vdso_limits limits;
	uint8_t to_ticks[VDSO_TICKS_PER_SECOND - VDSO_LIMITS - sizeof(struct vdso_limits)];
	uint64_t ticks_per_second; /* of the counter; powerpc's __kernel_get_tbfreq */
	uint8_t to_stamp[VDSO_POWERPC_STAMP - VDSO_TICKS_PER_SECOND - 8];
	struct vdso_powerpc_stamp powerpc_stamp;
	uint8_t to_map[VDSO_SYSCALL_MAP - VDSO_POWERPC_STAMP - sizeof(struct vdso_powerpc_stamp)];
	uint32_t syscall_map[32]; /* powerpc's __kernel_get_syscall_map: a bit a system call, most significant first */
	uint8_t rest[VDSO_PAGE_SIZE - VDSO_SYSCALL_MAP - 32 * 4];
};

/* private: */
#ifdef __cplusplus
#define VDSO_ASSERT static_assert
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define VDSO_ASSERT _Static_assert
#else /* C99: an array of a negative size */
#define VDSO_ASSERT(holds, what) extern const char vdso_assert[(holds) ? 1 : -1]
#endif
VDSO_ASSERT(offsetof(struct vdso_data, seq) == VDSO_SEQ, "seq");
VDSO_ASSERT(offsetof(struct vdso_data, clock_mode) == VDSO_CLOCK_MODE, "clock_mode");
VDSO_ASSERT(offsetof(struct vdso_data, cycle_last) == VDSO_CYCLE_LAST, "cycle_last");
VDSO_ASSERT(offsetof(struct vdso_data, mask) == VDSO_MASK, "mask");
VDSO_ASSERT(offsetof(struct vdso_data, mult) == VDSO_MULT, "mult");
VDSO_ASSERT(offsetof(struct vdso_data, shift) == VDSO_SHIFT, "shift");
VDSO_ASSERT(offsetof(struct vdso_data, basetime) == VDSO_BASETIME, "basetime");
VDSO_ASSERT(offsetof(struct vdso_data, tz_minuteswest) == VDSO_TZ_MINUTESWEST, "tz_minuteswest");
VDSO_ASSERT(offsetof(struct vdso_data, tz_dsttime) == VDSO_TZ_DSTTIME, "tz_dsttime");
VDSO_ASSERT(offsetof(struct vdso_data, hrtimer_res) == VDSO_HRTIMER_RES, "hrtimer_res");
VDSO_ASSERT(offsetof(struct vdso_data, coarse_res) == VDSO_COARSE_RES, "coarse_res");
VDSO_ASSERT(sizeof(struct vdso_data) == VDSO_BLOCK_SIZE, "a block");
VDSO_ASSERT(offsetof(struct vdso_page, header) == VDSO_HEADER, "header");
VDSO_ASSERT(offsetof(struct vdso_page, header.flags) == VDSO_FLAGS, "flags");
VDSO_ASSERT(offsetof(struct vdso_page, header.plain_shift) == VDSO_PLAIN_SHIFT, "plain_shift");
VDSO_ASSERT(offsetof(struct vdso_page, limits) == VDSO_LIMITS, "limits");
VDSO_ASSERT(offsetof(struct vdso_page, ticks_per_second) == VDSO_TICKS_PER_SECOND, "ticks_per_second");
VDSO_ASSERT(offsetof(struct vdso_page, powerpc_stamp) == VDSO_POWERPC_STAMP, "powerpc_stamp");
VDSO_ASSERT(offsetof(struct vdso_page, syscall_map) == VDSO_SYSCALL_MAP, "syscall_map");
VDSO_ASSERT(sizeof(struct vdso_page) == VDSO_PAGE_SIZE, "the page");
#endif

#endif
