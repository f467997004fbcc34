/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Peer: the loop of peer_dpdk_autovector.c, compiled for 512-bit vectors, which compilers choose only when told to.
 *
 * assay-about: 16-bit words, vectorised by the compiler with 512-bit vectors
 * assay-peer: DPDK rte_raw_cksum, -O3 -mprefer-vector-width=512 (lib/net/rte_cksum.h)
 * assay-requires: avx512
 * assay-cflags: -O3 -mprefer-vector-width=512
 */
#include "peer_dpdk_autovector.c"
