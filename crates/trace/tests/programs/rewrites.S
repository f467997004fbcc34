// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// Blocks of x86-64 that rewrite themselves, one that ends in a direct branch and one that ends in an indirect one; see holes.rs.

	.section .rewritten, "awx"
	.globl	_start
_start:	mov	$10, %ecx
	.globl	direct
direct:	nop
	movb	%cl, 1f + 1(%rip)
	nop
1:	mov	$0, %dl
	dec	%ecx
	jnz	direct
	lea	2f(%rip), %rdx
	mov	$10, %ecx
	.globl	indirect
indirect:
	nop
	movb	%cl, 1f + 1(%rip)
	nop
1:	mov	$0, %al
	jmp	*%rdx
2:	dec	%ecx
	jnz	indirect
	mov	$60, %eax
	xor	%edi, %edi
	syscall
