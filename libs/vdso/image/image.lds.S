/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An image's layout and its exports. It is one segment, read and execute, with nothing to relocate, so it works wherever a
 * loader maps it, with its clock page VDSO_PAGE_BEFORE_IMAGE bytes before it and, if there is one, the hypervisor's page a
 * step before that.
 *
 * The exported names and the version node are those of Linux 6.1: arch/powerpc/kernel/vdso/vdso{32,64}.lds.S,
 * arch/x86/entry/vdso/vdso.lds.S, arch/arm64/kernel/vdso/vdso.lds.S, arch/riscv/kernel/vdso/vdso.lds.S,
 * arch/loongarch/vdso/vdso.lds.S. Two of them depend on the kernel's configuration. 32-bit powerpc has __kernel_getcpu if the
 * kernel is for one processor or for 64 bits; we export it. x86 has __vdso_sgx_enter_enclave if the kernel supports enclaves;
 * it needs the kernel's help at a fault, and we do not export it.
 */
#include "vdso_page.h"

SECTIONS
{
	vdso_page = . - VDSO_PAGE_BEFORE_IMAGE;
	vdso_hypervisor_page = . - VDSO_PAGE_BEFORE_IMAGE - VDSO_PAGE_STEP;
	. = SIZEOF_HEADERS;

	.hash		: { *(.hash) }			:text
	.gnu.hash	: { *(.gnu.hash) }
	.dynsym		: { *(.dynsym) }
	.dynstr		: { *(.dynstr) }
	.gnu.version	: { *(.gnu.version) }
	.gnu.version_d	: { *(.gnu.version_d) }
	.note		: { *(.note.*) }		:text :note
	.dynamic	: { *(.dynamic) }		:text :dynamic
	.eh_frame_hdr	: { *(.eh_frame_hdr) }		:text :eh_frame_hdr
	.eh_frame	: { KEEP(*(.eh_frame)) }	:text
	.rodata		: { *(.rodata .rodata.*) }	:text
	. = ALIGN(64);
	.text		: { *(.text .text.*) }		:text

	/*
	 * Anything that would be written, or looked up in a table that has to be relocated, is a mistake that must not link.
	 * The eight bytes allowed in .got are its header, which powerpc64 has as soon as a function could use a TOC.
	 */
	.refused	: { *(.data .data.* .sdata .sdata.* .toc .opd .got2) *(.bss .bss.* .sbss .sbss.*) }
	.got		: { *(.got .got.plt) }		:text
	ASSERT(SIZEOF(.refused) == 0 && SIZEOF(.got) <= 8, "the image has data, which nobody would set up")

	/DISCARD/	: { *(.note.GNU-stack) *(.comment) *(.gnu.attributes) *(.riscv.attributes) *(.llvm_addrsig) }
}

PHDRS
{
	text		PT_LOAD FILEHDR PHDRS FLAGS(5);
	dynamic		PT_DYNAMIC FLAGS(4);
	note		PT_NOTE FLAGS(4);
	eh_frame_hdr	0x6474e550;
}

VERSION
{
#if defined(__powerpc__)
	LINUX_2.6.15 {
	global:
		__kernel_get_syscall_map;
		__kernel_gettimeofday;
		__kernel_clock_gettime;
		__kernel_clock_getres;
		__kernel_get_tbfreq;
		__kernel_sync_dicache;
		__kernel_getcpu;
		__kernel_time;
#ifdef __powerpc64__
		__kernel_sigtramp_rt64;
#else
		__kernel_clock_gettime64;
		__kernel_sigtramp32;
		__kernel_sigtramp_rt32;
#endif
#elif defined(__x86_64__)
	LINUX_2.6 {
	global:
		clock_gettime;
		__vdso_clock_gettime;
		gettimeofday;
		__vdso_gettimeofday;
		getcpu;
		__vdso_getcpu;
		time;
		__vdso_time;
		clock_getres;
		__vdso_clock_getres;
#elif defined(__aarch64__)
	LINUX_2.6.39 {
	global:
		__kernel_rt_sigreturn;
		__kernel_gettimeofday;
		__kernel_clock_gettime;
		__kernel_clock_getres;
#elif defined(__riscv)
	LINUX_4.15 {
	global:
		__vdso_rt_sigreturn;
		__vdso_gettimeofday;
		__vdso_clock_gettime;
		__vdso_clock_getres;
		__vdso_getcpu;
		__vdso_flush_icache;
#elif defined(__loongarch__)
	LINUX_5.10 {
	global:
		__vdso_getcpu;
		__vdso_clock_getres;
		__vdso_clock_gettime;
		__vdso_gettimeofday;
		__vdso_rt_sigreturn;
#else
#error "no image for this architecture"
#endif
	local: *;
	};
}
