/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Through memory, as the kernel's BPF JIT does it for 64 bits: store, then load with the bytes reversed, which clears the rest of the
 * register. Three instructions, and as slow as the core's store-to-load forwarding: the question of the 2017 thread. The value
 * lies in the 288 bytes below the stack pointer that ELFv2 protects (section 2.2.2.4 of the ABI). lwbrx and lhbrx are older
 * than 64-bit POWER, ldbrx came with ISA 2.06.
 *
 * assay-requires: power7
 */
#include "assembly.h"

FUNCTION(swap)
	BY_WIDTH(sth, stw, std)	%r3, -BITS / 8(%r1)
	addi	%r4, %r1, -BITS / 8
	BY_WIDTH(lhbrx, lwbrx, ldbrx)	%r3, 0, %r4
	blr
END(swap)
