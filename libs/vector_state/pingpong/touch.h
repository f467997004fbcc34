/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Touching a facility: an addition of small whole numbers in a register of it. Each facility that is touched adds one to
 * the token, so that the sum tells how many were.
 *
 * On x86-64 the kernel always saves what is in use (XSAVE); the others enable a facility when a thread first uses it, and
 * keep it enabled for a while (POWER's load_fp and load_vec, LoongArch's EUEN), so one instruction is enough.
 */
#ifndef PINGPONG_TOUCH_H
#define PINGPONG_TOUCH_H

#include "vector_state.h"

#if defined(__powerpc__)
enum { TOUCHES = 3 };
static const char *const touch_names[TOUCHES] = { "FPU", "VEC", "VSX" };
#elif defined(__loongarch__)
enum { TOUCHES = 3 };
static const char *const touch_names[TOUCHES] = { "FPU", "LSX", "LASX" };
#elif defined(__x86_64__)
enum { TOUCHES = 4 };
static const char *const touch_names[TOUCHES] = { "X87", "SSE", "AVX", "AVX512" };
#elif defined(__aarch64__)
enum { TOUCHES = 1 };
static const char *const touch_names[TOUCHES] = { "NEON" };
#else
enum { TOUCHES = 1 };
static const char *const touch_names[TOUCHES] = { "FPU" };
#endif

/* The facilities that this machine has, as bits in the order of the names. */
static unsigned int touchable(unsigned long hwcap)
{
#if defined(__riscv)
	return hwcap >> ('d' - 'a') & 1;
#else
	unsigned int found = vector_state_facilities(hwcap);
#define IF_FOUND(facility, bit) (found & VECTOR_STATE_BIT(facility) ? 1u << (bit) : 0)
#if defined(__powerpc64__)
	return IF_FOUND(fpu, 0) | IF_FOUND(vmx, 1) | IF_FOUND(vsx, 2);
#elif defined(__powerpc__)
	return IF_FOUND(fpu, 0) | IF_FOUND(vmx, 1);
#elif defined(__loongarch__)
	return IF_FOUND(fpu, 0) | IF_FOUND(lsx, 1) | IF_FOUND(lasx, 2);
#elif defined(__x86_64__)
	return IF_FOUND(x87, 0) | IF_FOUND(sse, 1) | IF_FOUND(avx, 2) | IF_FOUND(avx512, 3);
#else
	return IF_FOUND(neon, 0);
#endif
#endif
}

static uint32_t touched_adds(unsigned int mask)
{
	uint32_t sum = 0;

	for (; mask; mask &= mask - 1)
		sum++;
	return sum;
}

/*
 * Touches one facility: `*words` goes through one of its registers and comes back one larger. The registers are not declared
 * as clobbered, because the compiler is not always told that they exist; all of them are call-clobbered, and nothing in this
 * program keeps a value in them.
 */
static void touch_one(unsigned int which, uint32_t words[16])
{
	static const uint32_t ones[16] __attribute__((aligned(64))) = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };

	(void)ones;
#if defined(__powerpc__)
	static const double one = 1.0;
	/* 2^52 + token: an addition of 1.0 counts in the last place. */
	uint32_t pair[2] __attribute__((aligned(8)));
	unsigned int low = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 1;

	pair[low] = words[0];
	pair[1 - low] = 0x43300000;
	if (which == 1) {
		__asm__ volatile("lvx 0, 0, %0\n\tlvx 1, 0, %1\n\tvadduwm 0, 0, 1\n\tstvx 0, 0, %0"
				 :
				 : "b"(words), "b"(ones)
				 : "memory");
		return;
	}
	if (which == 0)
		__asm__ volatile("lfd 0, 0(%0)\n\tlfd 1, 0(%1)\n\tfadd 0, 0, 1\n\tstfd 0, 0(%0)"
				 :
				 : "b"(pair), "b"(&one)
				 : "memory");
#ifdef __powerpc64__
	else
		__asm__ volatile("lxsdx 2, 0, %0\n\tlxsdx 3, 0, %1\n\txsadddp 2, 2, 3\n\tstxsdx 2, 0, %0"
				 :
				 : "b"(pair), "b"(&one)
				 : "memory");
#endif
	words[0] = pair[low];
#elif defined(__loongarch__)
	if (which == 0) {
		__asm__ volatile("movgr2fr.w $f0, %0\n\tffint.d.w $f0, $f0\n\tmovgr2fr.w $f1, %1\n\tffint.d.w $f1, $f1\n\t"
				 "fadd.d $f0, $f0, $f1\n\tftintrz.w.d $f0, $f0\n\tmovfr2gr.s %0, $f0"
				 : "+r"(words[0])
				 : "r"(1));
		return;
	}
	/* (x)vld 0, a0; (x)vld 1, a1; (x)vadd.w 0, 0, 1; (x)vst 0, a0: as words, for the assembler takes them only with LSX. */
	register uint32_t *to __asm__("a0") = words;
	register const uint32_t *from __asm__("a1") = ones;

	if (which == 1)
		__asm__ volatile(".word 0x2c000080, 0x2c0000a1, 0x700b0400, 0x2c400080" : : "r"(to), "r"(from) : "memory");
	else
		__asm__ volatile(".word 0x2c800080, 0x2c8000a1, 0x740b0400, 0x2cc00080" : : "r"(to), "r"(from) : "memory");
#elif defined(__x86_64__)
	if (which == 0)
		__asm__ volatile("fildl %0\n\tfld1\n\tfaddp\n\tfistpl %0" : "+m"(words[0]));
	else if (which == 1)
		__asm__ volatile("movups (%0), %%xmm0\n\tpaddd (%1), %%xmm0\n\tmovups %%xmm0, (%0)"
				 :
				 : "r"(words), "r"(ones)
				 : "memory");
	else if (which == 2)
		__asm__ volatile("vmovups (%0), %%ymm0\n\tvmovups (%1), %%ymm1\n\t"
				 "vpaddd %%xmm1, %%xmm0, %%xmm0\n\tvmovups %%xmm0, (%0)"
				 :
				 : "r"(words), "r"(ones)
				 : "memory");
	else
		__asm__ volatile("vmovups (%0), %%zmm0\n\tvpaddd (%1), %%zmm0, %%zmm0\n\tvmovups %%zmm0, (%0)"
				 :
				 : "r"(words), "r"(ones)
				 : "memory");
#elif defined(__aarch64__)
	__asm__ volatile("ldr q0, [%0]\n\tldr q1, [%1]\n\tadd v0.4s, v0.4s, v1.4s\n\tstr q0, [%0]"
			 :
			 : "r"(words), "r"(ones)
			 : "memory");
#else
	__asm__ volatile("fcvt.d.w ft0, %0\n\tfcvt.d.w ft1, %1\n\tfadd.d ft0, ft0, ft1\n\tfcvt.w.d %0, ft0, rtz"
			 : "+r"(words[0])
			 : "r"(1));
#endif
	(void)which;
}

static uint32_t touch(unsigned int mask, uint32_t token)
{
	uint32_t words[16] __attribute__((aligned(64))) = { token };

	for (unsigned int which = 0; which < TOUCHES; which++) {
		if (mask >> which & 1)
			touch_one(which, words);
	}
	return words[0];
}

#endif
