/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ways to lose one register, as a broken switch would: each changes one bit of one register that a call preserves, and
 * tells nobody. BREAKS lists, for regcheck's name of the register, the statement that does it.
 */
#ifndef BREAKS_H
#define BREAKS_H

#include <stdint.h>

#if defined(__x86_64__)

static inline void break_mxcsr(uint32_t bit)
{
	uint32_t word;

	__asm__ volatile("stmxcsr %0" : "=m"(word));
	word ^= bit;
	__asm__ volatile("ldmxcsr %0" : : "m"(word));
}

static inline void break_x87(uint16_t bit)
{
	uint16_t word;

	__asm__ volatile("fnstcw %0" : "=m"(word));
	word ^= bit;
	__asm__ volatile("fldcw %0" : : "m"(word));
}

#define BREAKS(BREAK) \
	BREAK("r13", __asm__ volatile("btcq $40, %r13")) \
	BREAK("rbp", __asm__ volatile("xorq $1, %rbp")) \
	BREAK("MXCSR.RC", break_mxcsr(0x2000)) \
	BREAK("MXCSR.DAZ", break_mxcsr(0x0040)) \
	BREAK("x87 CW.RC", break_x87(0x0400))
#define BREAK_ONE __asm__ volatile("xorq $1, %r13")

#elif defined(__powerpc__)

#ifndef _SOFT_FLOAT
static inline void break_fpscr(uint64_t bit)
{
	union {
		double number;
		uint64_t bits;
	} word;

	__asm__ volatile("mffs 0\n\tstfd 0, 0(%0)" : : "b"(&word) : "memory", "fr0");
	word.bits ^= bit;
	__asm__ volatile("lfd 0, 0(%0)\n\tmtfsf 0x03, 0" : : "b"(&word) : "memory", "fr0");
}
#define BREAKS_FLOATING(BREAK) \
	BREAK("f20", __asm__ volatile("fneg 20, 20")) \
	BREAK("f31", __asm__ volatile("fneg 31, 31")) \
	BREAK("FPSCR.RN", break_fpscr(1))
#else
#define BREAKS_FLOATING(BREAK)
#endif

#ifdef __ALTIVEC__
#define HAS_VECTORS
#elif defined(__powerpc64__)
#define HAS_VECTORS
#endif
#ifdef HAS_VECTORS
#ifdef __LITTLE_ENDIAN__
#define ELEMENT(number) (3 - (number)) /* the vector's first word is loaded from the last address */
#else
#define ELEMENT(number) (number)
#endif
/* Word 0 is the most significant one. v18 and v19 are free. */
static const uint32_t one_bit[4][4] __attribute__((aligned(16))) = {
	{ [ELEMENT(0)] = 4 },
	{ [ELEMENT(1)] = 4 },
	{ [ELEMENT(2)] = 4 },
	{ [ELEMENT(3)] = 0x10000 },
};
#define BREAK_VECTOR(number, word) \
	__asm__ volatile("lvx 19, 0, %0\n\tvxor " #number ", " #number ", 19" : : "r"(one_bit[word]) : "v19")
#define BREAKS_VECTOR(BREAK) \
	BREAK("v20.high", BREAK_VECTOR(20, 1)) \
	BREAK("v25.low", BREAK_VECTOR(25, 2)) \
	BREAK("v31.high", BREAK_VECTOR(31, 0)) \
	BREAK("VSCR.NJ", \
	      __asm__ volatile("mfvscr 18\n\tlvx 19, 0, %0\n\tvxor 18, 18, 19\n\tmtvscr 18" : : "r"(one_bit[3]) : "v18", \
			       "v19"))
#else
#define BREAKS_VECTOR(BREAK)
#endif

#define BREAKS(BREAK) \
	BREAK("r17", __asm__ volatile("xori 17, 17, 1")) \
	BREAK("CR3", __asm__ volatile("crnot 13, 13")) \
	BREAK("CR4", __asm__ volatile("crnot 19, 19")) \
	BREAKS_FLOATING(BREAK) BREAKS_VECTOR(BREAK)
#define BREAK_ONE __asm__ volatile("xori 17, 17, 1")

#elif defined(__aarch64__)

#define BREAKS(BREAK) \
	BREAK("x21", __asm__ volatile("eor x21, x21, #1")) \
	BREAK("d11", __asm__ volatile("fneg d11, d11")) \
	BREAK("FPCR.RMode", __asm__ volatile("mrs x9, fpcr\n\teor x9, x9, #0x400000\n\tmsr fpcr, x9" : : : "x9"))
#define BREAK_ONE __asm__ volatile("eor x21, x21, #1")

#elif defined(__riscv)

#if !defined(__riscv_flen)
#define BREAKS_FLOATING(BREAK)
#elif __riscv_flen >= 64
#define BREAKS_FLOATING(BREAK) BREAK("fs6", __asm__ volatile("fneg.d fs6, fs6"))
#else
#define BREAKS_FLOATING(BREAK) BREAK("fs6", __asm__ volatile("fneg.s fs6, fs6"))
#endif
#if defined(__riscv_flen) || defined(__riscv_zfinx)
#define BREAKS_CONTROL(BREAK) BREAK("fcsr.frm", __asm__ volatile("csrr t0, frm\n\txori t0, t0, 1\n\tcsrw frm, t0" : : : "t0"))
#else
#define BREAKS_CONTROL(BREAK)
#endif

#define BREAKS(BREAK) BREAK("s5", __asm__ volatile("xori s5, s5, 1")) BREAKS_FLOATING(BREAK) BREAKS_CONTROL(BREAK)
#define BREAK_ONE __asm__ volatile("xori s5, s5, 1")

#elif defined(__loongarch__)

#define BREAKS(BREAK) \
	BREAK("s4", __asm__ volatile("xori $s4, $s4, 1")) \
	BREAK("fs4", __asm__ volatile("fneg.d $fs4, $fs4")) \
	BREAK("fcsr0.RM", \
	      __asm__ volatile("movfcsr2gr $t0, $fcsr0\n\txori $t0, $t0, 0x100\n\tmovgr2fcsr $fcsr0, $t0" : : : "$t0"))
#define BREAK_ONE __asm__ volatile("xori $s4, $s4, 1")

#endif

#endif
