// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// Calls time() of x86-64's vsyscall page, as programs of old C libraries do; see holes.rs.

	.text
	.globl	_start
_start:	mov	$10, %ebx
	xor	%edi, %edi
1:	mov	$0xffffffffff600400, %rax
	call	*%rax
	dec	%ebx
	jnz	1b
	mov	$60, %eax
	syscall
