/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The base vector extension has no byte reversal, but its segment accesses take structures apart: vlseg4e8 puts byte i of
 * every element into register group i. The groups in reverse order, stored by vsseg4e8, are the elements reversed. vsetvli
 * hands out the length of each round, so there is no tail loop. Bytes need no alignment.
 *
 * assay-requires: rvv
 */
	.text
	.globl	swap_buffer32
	.type	swap_buffer32, @function
	.balign	16
swap_buffer32:
	.option	arch, +v
	beqz	a1, 2f
1:	vsetvli	t0, a1, e8, m2, ta, ma
	vlseg4e8.v v8, (a0)
	vmv2r.v	v22, v8
	vmv2r.v	v20, v10
	vmv2r.v	v18, v12
	vmv2r.v	v16, v14
	vsseg4e8.v v16, (a0)
	slli	t1, t0, 2
	add	a0, a0, t1
	sub	a1, a1, t0
	bnez	a1, 1b
2:	ret
	.size	swap_buffer32, . - swap_buffer32

	.section .note.GNU-stack, "", @progbits
