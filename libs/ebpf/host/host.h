/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What host/posix.c (with a libc) and host/linux.c (without) both give: the callbacks of struct ebpf_platform, and
 * the features of the CPU that this runs on (host/features.c).
 */
#ifndef EBPF_HOST_H
#define EBPF_HOST_H

#include "../ebpf.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct ebpf_platform ebpf_host_platform;

/* Feature bits of the CPU that this runs on, for struct ebpf_target. */
uint32_t ebpf_host_features(void);

/* The entry of the auxiliary vector with this AT_ number, 0 if there is none: what ebpf_host_features asks. */
uint64_t ebpf_host_auxiliary(uint64_t type);

#ifdef __cplusplus
}
#endif

#endif
