dnl SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
dnl
dnl What GMP's `configure' would find out for 64-bit little-endian POWER under ELFv2, as far as its assembly files ask.
dnl They include it as `../config.m4', so m4 is run in the folder beside it, with the folder of GMP's source as -I.
dnl
dnl A register is a number and a label begins with .L, since that is all that assemblers agree upon; the rest says how
dnl an ELF assembler spells things. GMP's own macros, included last, make instructions of it.
divert(-1)
define(`CONFIG_TOP_SRCDIR', `.')
define(`WANT_ASSERT', 0)
define(`WANT_PROFILING', `no')
define(`WANT_R_REGISTERS', `no')
define(`M4WRAP_SPURIOUS', `no')
define(`TEXT', `.text')
define(`DATA', `.data')
define(`RODATA', `.section	.rodata')
define(`GLOBL', `.globl')
define(`GLOBL_ATTR', `')
define(`GSYM_PREFIX', `')
define(`LSYM_PREFIX', `.L')
define(`LABEL_SUFFIX', `:')
define(`TYPE', `.type	$1,@$2')
define(`SIZE', `.size	$1,$2')
define(`W32', `.long')
define(`ALIGN_LOGARITHMIC', `yes')
define(`ALIGN_FILL_0x90', `no')
define(`HAVE_COFF_TYPE', `no')
define(`GMP_LIMB_BITS', 64)
define(`GMP_NAIL_BITS', 0)
define(`GMP_NUMB_BITS', 64)
define(`ELFv2_ABI')
define(`HAVE_ABI_mode64')
define(`HAVE_LIMB_LITTLE_ENDIAN')
divert`'dnl
include(`./mpn/asm-defs.m4')dnl
include(`./mpn/powerpc32/powerpc-defs.m4')dnl
include(`./mpn/powerpc64/elf.m4')dnl
