/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The base vector extension has no byte reversal, but its segment accesses take structures apart: vlseg8e8 puts byte i of
 * every element into register group i. The groups in reverse order, stored by vsseg8e8, are the elements reversed. vsetvli
 * hands out the length of each round, so there is no tail loop. Bytes need no alignment.
 *
 * assay-requires: rvv
 */
	.text
	.globl	swap_buffer64
	.type	swap_buffer64, @function
	.balign	16
swap_buffer64:
	.option	arch, +v
	beqz	a1, 2f
1:	vsetvli	t0, a1, e8, m1, ta, ma
	vlseg8e8.v v8, (a0)
	vmv1r.v	v23, v8
	vmv1r.v	v22, v9
	vmv1r.v	v21, v10
	vmv1r.v	v20, v11
	vmv1r.v	v19, v12
	vmv1r.v	v18, v13
	vmv1r.v	v17, v14
	vmv1r.v	v16, v15
	vsseg8e8.v v16, (a0)
	slli	t1, t0, 3
	add	a0, a0, t1
	sub	a1, a1, t0
	bnez	a1, 1b
2:	ret
	.size	swap_buffer64, . - swap_buffer64

	.section .note.GNU-stack, "", @progbits
