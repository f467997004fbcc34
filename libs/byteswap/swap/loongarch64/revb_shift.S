/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reverse all eight bytes: the result is then the upper half, and a logical right shift fills with zeros.
 */
#include "assembly.h"

FUNCTION(swap)
	revb.d	$a0, $a0
	srli.d	$a0, $a0, 32
	jr	$ra
END(swap)
