/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What host/posix.c (with a libc) and host/linux.c (without) both give: the callbacks of struct ebpf_platform, and
 * the features of the CPU that this runs on (host/features.c).
 */
#ifndef EBPF_HOST_H
#define EBPF_HOST_H

#include "../ebpf.h"

extern const struct ebpf_platform ebpf_host_platform;

/*
 * Feature bits for struct ebpf_target. `hwcap` and `hwcap2` are the AT_HWCAP and AT_HWCAP2 entries of the auxiliary
 * vector (getauxval); x86-64 asks the CPU itself and ignores them.
 */
uint32_t ebpf_host_features(uint64_t hwcap, uint64_t hwcap2);

#endif
