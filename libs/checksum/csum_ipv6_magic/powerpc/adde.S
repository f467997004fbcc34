/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One chain of addc and adde through the addresses, the sum, the length and the next header. Big-endian, so
 * the numbers lie in registers as they would in memory.
 *
 * assay-about: one chain of addc and adde
 */
	.text
	.balign	16
	.globl	csum_ipv6_magic
	.type	csum_ipv6_magic, @function
csum_ipv6_magic:
	/* r3, r4 addresses, r5 length, r6 next header, r7 sum. */
	lwz	%r8, 0(%r3)
	lwz	%r9, 4(%r3)
	lwz	%r10, 8(%r3)
	addc	%r7, %r7, %r8
	lwz	%r11, 12(%r3)
	adde	%r7, %r7, %r9
	lwz	%r8, 0(%r4)
	adde	%r7, %r7, %r10
	lwz	%r9, 4(%r4)
	adde	%r7, %r7, %r11
	lwz	%r10, 8(%r4)
	adde	%r7, %r7, %r8
	lwz	%r11, 12(%r4)
	adde	%r7, %r7, %r9
	clrlwi	%r6, %r6, 24
	adde	%r7, %r7, %r10
	adde	%r7, %r7, %r11
	adde	%r7, %r7, %r5
	adde	%r7, %r7, %r6
	addze	%r7, %r7
	rotlwi	%r8, %r7, 16
	add	%r7, %r7, %r8
	not	%r7, %r7
	srwi	%r3, %r7, 16
	blr
	.size	csum_ipv6_magic, . - csum_ipv6_magic

	.section .note.GNU-stack, "", @progbits
