/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two instructions and no other register: copy the low byte above the high one, which makes low, high, low; then shift
 * right by one byte and mask.
 *
 * assay-requires: power7
 */
#include "assembly.h"

FUNCTION(swap)
	rlwimi	%r3, %r3, 16, 8, 15
	rlwinm	%r3, %r3, 24, 16, 31
	blr
END(swap)
