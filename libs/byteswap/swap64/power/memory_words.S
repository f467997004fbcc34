/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Through memory for CPUs before ISA 2.06, which have lwbrx but no ldbrx: each word reversed by its own load, then put
 * together. The word that holds the low half of the value becomes the high half of the result, and where it lies in
 * memory depends on the byte order.
 *
 * assay-requires: power7
 */
	.abiversion 2
	.text
	.globl	swap64
	.type	swap64, @function
	.balign	16
swap64:
#ifdef __LITTLE_ENDIAN__
#define LOW_WORD	-8
#define HIGH_WORD	-4
#else
#define LOW_WORD	-4
#define HIGH_WORD	-8
#endif
	std	3, -8(1)
	addi	4, 1, LOW_WORD
	addi	5, 1, HIGH_WORD
	lwbrx	6, 0, 4
	lwbrx	3, 0, 5
	rldimi	3, 6, 32, 0
	blr
	.size	swap64, . - swap64

	.section .note.GNU-stack, "", @progbits
