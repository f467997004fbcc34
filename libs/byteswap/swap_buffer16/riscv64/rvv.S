/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The base vector extension has no byte reversal, but its segment accesses take structures apart: vlseg2e8 puts byte i of
 * every element into register group i. The groups in reverse order, stored by vsseg2e8, are the elements reversed. vsetvli
 * hands out the length of each round, so there is no tail loop. Bytes need no alignment.
 *
 * assay-requires: rvv
 */
	.text
	.globl	swap_buffer16
	.type	swap_buffer16, @function
	.balign	16
swap_buffer16:
	.option	arch, +v
	beqz	a1, 2f
1:	vsetvli	t0, a1, e8, m4, ta, ma
	vlseg2e8.v v8, (a0)
	vmv4r.v	v20, v8
	vmv4r.v	v16, v12
	vsseg2e8.v v16, (a0)
	slli	t1, t0, 1
	add	a0, a0, t1
	sub	a1, a1, t0
	bnez	a1, 1b
2:	ret
	.size	swap_buffer16, . - swap_buffer16

	.section .note.GNU-stack, "", @progbits
