/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * call(bytes): stores zero to the array's words; what Go's compiler makes of the clearing of a long array (ClearFat),
 * inlined into the function that has the array, as in Go's benchmark. It is not aligned there, so every place is tried.
 */
	.text
	.balign	4
	.globl	call
	.type	call, @function
call:
	la.pcrel $t0, array
	addi.d	$a0, $a0, -8
	add.d	$a1, $t0, $a0
0:	st.d	$zero, $t0, 0
	addi.d	$t0, $t0, 8
	bgeu	$a1, $t0, 0b
	ret
	.size	call, . - call
	.section .note.GNU-stack, "", @progbits
