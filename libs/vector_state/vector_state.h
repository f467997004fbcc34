/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Saving and restoring floating-point and vector registers: layouts, contracts, and checks of areas.
 *
 * Each facility has a pair of functions, FACILITY_save(area) and FACILITY_restore(area):
 *
 *   save     stores the facility's registers, in full width, and its control and status register. It changes no register
 *            but the ABI's scratch general registers: a kernel that is about to give the unit away, and a switch that goes
 *            on in the same context, both count on that. (Linux clobbered v0 and f0 there until 5e1d824f9a28.)
 *   restore  loads all that save stores. Registers of other facilities keep what they have.
 *
 * Not so where a register is the lower part of a wider one: what lies beyond the facility's width in the registers that it loads
 * is undefined after restore. Which are: on a POWER with VSX, after fpu_restore, the halves of vs0 to vs31 that are no part of f0
 * to f31; on LoongArch, after fpu_restore and lsx_restore, the rest of the vector registers; on AArch64 with SVE, after
 * neon_restore, bits 128 and up of z0 to z31, which all variants make zero; on x86-64 with AVX-512, after avx_restore, bits 256
 * to 511 of zmm0 to zmm15, which one variant makes zero and another keeps. So the widest state comes first, or alone.
 * fpu_save on a POWER with VSX does that to vs0, as every instruction that writes f0 does; VSX state is saved by vsx_save.
 *
 * Neither touches a byte outside the area, nor one inside that its layout does not name. Neither calls anything, uses the
 * stack, or can fail. The caller ensures that the facility exists and is enabled (vector_state_facilities tells) and that
 * the area is large enough and aligned as its type is. Otherwise the processor decides what happens: lvx and stvx drop the
 * low four bits of the address and so use the bytes before the area; XSAVE and FXSAVE fault; the others work, slowly, or
 * fault. A program compiled with VECTOR_STATE_DEBUG checks its areas: see vector_state_check().
 *
 * Restoring changes registers that the ABI says a call preserves. So restore is for code that allows for it: a switch, a
 * kernel at the end of a system call. After an ordinary call a compiler expects f14 to f31 and v20 to v31 unchanged.
 */
#ifndef VECTOR_STATE_H
#define VECTOR_STATE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ layouts */

#if defined(__powerpc__)
/*
 * As the kernel's thread_fp_state and thread_vr_state. A vector register lies in memory as one 128-bit number of the
 * machine's byte order, as stvx and stxv store it. So the doubleword that is also the FPR comes first in big-endian order
 * and second in little-endian order (the kernel's TS_FPROFFSET), and stxvd2x on a little-endian machine, which keeps the
 * order of the doublewords, stores the halves exchanged. VSCR lies as stvx stores what mfvscr gives: 32 bits in 128.
 */
struct vector_state_vmx {
	uint64_t vr[32][2]; /* v0 to v31, which are vs32 to vs63 */
	uint64_t vscr[2];
} __attribute__((aligned(16)));

#if defined(__powerpc64__)
/* fpu_save writes the doubleword of vs0 to vs31 that is the FPR, vsx_save both. */
#define VECTOR_STATE_FPR_WIDTH 2
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define VECTOR_STATE_FPR_OFFSET 0
#else
#define VECTOR_STATE_FPR_OFFSET 1
#endif
#else
/* No 32-bit machine has VSX. */
#define VECTOR_STATE_FPR_WIDTH 1
#define VECTOR_STATE_FPR_OFFSET 0
#endif
struct vector_state_fpu {
	uint64_t fpr[32][VECTOR_STATE_FPR_WIDTH];
	uint64_t fpscr; /* as stfd stores what mffs gives */
} __attribute__((aligned(16)));

/* Everything: with VSX the 64 vector registers of 128 bits, without it the FPRs and v0 to v31. Each half starts a line. */
struct vector_state_all {
	struct vector_state_fpu fpu __attribute__((aligned(128)));
	struct vector_state_vmx vmx __attribute__((aligned(128)));
};

#elif defined(__loongarch__)
/* As fpu_context, lsx_context and lasx_context of the kernel's signal frames. fcc: one byte for each of fcc0 to fcc7. */
struct vector_state_fpu {
	uint64_t registers[32];
	uint64_t fcc;
	uint32_t fcsr;
};
struct vector_state_lsx {
	uint64_t registers[32][2];
	uint64_t fcc;
	uint32_t fcsr;
} __attribute__((aligned(16)));
struct vector_state_lasx {
	uint64_t registers[32][4];
	uint64_t fcc;
	uint32_t fcsr;
} __attribute__((aligned(32)));

#elif defined(__x86_64__)
/*
 * The standard format of XSAVE, which is also the kernel's. Hand-written code uses it as well, so that an area which one
 * variant saved can be restored by another. vector_state_prepare() makes an area ready before the first use.
 * `xstate_bv` says which components the area holds; save adds to it, so that an area may be filled by several saves. Those
 * that are in their initial state may be left out (XSAVEOPT, XSAVEC), and restore then makes them so. xcomp_bv stays 0: XSAVEC
 * is used only up to AVX, where its compacted format has the same offsets, and the header is put right after it. The offsets
 * of AVX-512 in it depend on the mask.
 *
 * Where the standard format has AVX-512's parts is the processor's choice, which CPUID leaf 0xd tells: k0 to k7 at 1088 on
 * Intel's, at 832 on AMD's (Zen 4, which has no MPX before them). XSAVE and XRSTOR know; hand-written code reads it from
 * `avx512_at`, in bytes that the processor leaves to software. Two processors that differ cannot exchange areas.
 *
 * An area from which XRSTOR has restored must not be written by anything else before the next XSAVEOPT to it, which
 * leaves out what has not changed since.
 */
struct vector_state_x86 {
	struct {
		uint16_t control, status;
		uint8_t tag, reserved;
		uint16_t opcode;
		uint64_t instruction, data;
		uint32_t mxcsr, mxcsr_mask;
		uint8_t st[8][16]; /* ten bytes each */
		uint8_t xmm[16][16];
		uint8_t unused[48];
		uint64_t avx512_at; /* see above; 0 on a processor without AVX-512 */
		uint8_t software[40];
	} legacy;
	uint64_t xstate_bv, xcomp_bv, header[6];
	uint8_t ymm_high[16][16];
	uint8_t more[2688 - 832]; /* somewhere in here: struct vector_state_x86_avx512 */
} __attribute__((aligned(64)));

/* At `avx512_at`: three components of XSAVE that follow each other on every processor that has them. */
struct vector_state_x86_avx512 {
	uint64_t opmask[8];
	uint8_t zmm_high[16][32];
	uint8_t zmm_upper[16][64]; /* zmm16 to zmm31 */
};

enum {
	VECTOR_STATE_XSTATE_X87 = 1,
	VECTOR_STATE_XSTATE_SSE = 2,
	VECTOR_STATE_XSTATE_AVX = 4,
	VECTOR_STATE_XSTATE_AVX512 = 0xe0,
};
/* The bytes of the area that the functions of a facility use; for AVX-512, of the larger of the two layouts. */
enum { VECTOR_STATE_BYTES_AVX = 832, VECTOR_STATE_BYTES_AVX512 = 2688 };

static inline uint32_t vector_state_xsave_offset(uint32_t component)
{
	uint32_t a = 0xd, b, c = component, d;

	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	return b;
}

/* The offset of AVX-512's parts in an area of this processor; 0 if it has none, or lays them out in another way. */
static inline uint32_t vector_state_avx512_at(void)
{
	uint32_t a = 0, b, c = 0, d, at;

	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	if (a < 0xd)
		return 0;
	at = vector_state_xsave_offset(5);
	if (at < VECTOR_STATE_BYTES_AVX || vector_state_xsave_offset(6) != at + 64 ||
	    vector_state_xsave_offset(7) != at + 64 + 512 || at + 64 + 512 + 1024 > VECTOR_STATE_BYTES_AVX512)
		return 0;
	return at;
}

/* To be called once for each area, before any other use. Asks CPUID, which takes microseconds in a virtual machine. */
static inline void vector_state_prepare(struct vector_state_x86 *area)
{
	area->legacy.avx512_at = vector_state_avx512_at();
	area->xstate_bv = 0;
	area->xcomp_bv = 0;
	for (unsigned int i = 0; i < 6; i++)
		area->header[i] = 0;
}

#elif defined(__aarch64__)
/* As user_fpsimd_state. */
struct vector_state_neon {
	uint64_t vregs[32][2];
	uint32_t fpsr, fpcr, reserved[2];
} __attribute__((aligned(16)));
#endif

/* ------------------------------------------------------------------ functions */

/* One line for each facility of the architecture: name, type of its area, bytes that it uses. */
#if defined(__powerpc64__)
#define VECTOR_STATE_EACH(X) \
	X(fpu, struct vector_state_fpu, sizeof(struct vector_state_fpu)) \
	X(vmx, struct vector_state_vmx, sizeof(struct vector_state_vmx)) \
	X(vsx, struct vector_state_fpu, sizeof(struct vector_state_fpu)) \
	X(all, struct vector_state_all, sizeof(struct vector_state_all))
#elif defined(__powerpc__)
#define VECTOR_STATE_EACH(X) \
	X(fpu, struct vector_state_fpu, sizeof(struct vector_state_fpu)) \
	X(vmx, struct vector_state_vmx, sizeof(struct vector_state_vmx)) \
	X(all, struct vector_state_all, sizeof(struct vector_state_all))
#elif defined(__loongarch__)
#define VECTOR_STATE_EACH(X) \
	X(fpu, struct vector_state_fpu, sizeof(struct vector_state_fpu)) \
	X(lsx, struct vector_state_lsx, sizeof(struct vector_state_lsx)) \
	X(lasx, struct vector_state_lasx, sizeof(struct vector_state_lasx))
#elif defined(__x86_64__)
/* sse is XMM and MXCSR; avx is these and the upper halves; avx512 is all of ZMM, the masks and MXCSR; all adds x87. */
#define VECTOR_STATE_EACH(X) \
	X(x87, struct vector_state_x86, VECTOR_STATE_BYTES_AVX - 256) \
	X(sse, struct vector_state_x86, VECTOR_STATE_BYTES_AVX - 256) \
	X(avx, struct vector_state_x86, VECTOR_STATE_BYTES_AVX) \
	X(avx512, struct vector_state_x86, VECTOR_STATE_BYTES_AVX512) \
	X(all, struct vector_state_x86, VECTOR_STATE_BYTES_AVX512)
#elif defined(__aarch64__)
#define VECTOR_STATE_EACH(X) X(neon, struct vector_state_neon, sizeof(struct vector_state_neon))
#else
#define VECTOR_STATE_EACH(X)
#endif

#define VECTOR_STATE_DECLARE(facility, type, bytes) \
	void facility##_save(type *area); \
	void facility##_restore(const type *area);
VECTOR_STATE_EACH(VECTOR_STATE_DECLARE)
#undef VECTOR_STATE_DECLARE

/* Facilities as bits, in arguments and results. */
enum vector_state_facility {
#define VECTOR_STATE_NUMBER(facility, type, bytes) vector_state_number_##facility,
	VECTOR_STATE_EACH(VECTOR_STATE_NUMBER)
#undef VECTOR_STATE_NUMBER
		vector_state_count
};
#define VECTOR_STATE_BIT(facility) (1u << vector_state_number_##facility)

/*
 * The facilities that this processor has and its kernel has enabled, as VECTOR_STATE_BIT()s. `hwcap` is the auxiliary
 * vector's AT_HWCAP, getauxval(16); x86-64 asks the processor and ignores it.
 */
static inline unsigned int vector_state_facilities(unsigned long hwcap)
{
	unsigned int found = 0;

#if defined(__powerpc__)
	if (hwcap & 0x08000000)
		found |= VECTOR_STATE_BIT(fpu);
	if (hwcap & 0x10000000)
		found |= VECTOR_STATE_BIT(vmx);
#if defined(__powerpc64__)
	if (hwcap & 0x00000080)
		found |= VECTOR_STATE_BIT(vsx) | VECTOR_STATE_BIT(all);
#else
	if ((hwcap & 0x18000000) == 0x18000000)
		found |= VECTOR_STATE_BIT(all);
#endif
#elif defined(__loongarch__)
	if (hwcap & 8)
		found |= VECTOR_STATE_BIT(fpu);
	if (hwcap & 16)
		found |= VECTOR_STATE_BIT(lsx);
	if (hwcap & 32)
		found |= VECTOR_STATE_BIT(lasx);
#elif defined(__x86_64__)
	uint32_t a = 1, b, c = 0, d;
	uint32_t enabled = 0, unused;

	(void)hwcap;
	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	found |= VECTOR_STATE_BIT(x87) | VECTOR_STATE_BIT(sse);
	if (c >> 27 & 1) { /* OSXSAVE */
		__asm__ volatile("xgetbv" : "=a"(enabled), "=d"(unused) : "c"(0));
		found |= VECTOR_STATE_BIT(all);
	}
	if ((enabled & 6) == 6)
		found |= VECTOR_STATE_BIT(avx);
	if ((enabled & 0xe6) == 0xe6 && vector_state_avx512_at())
		found |= VECTOR_STATE_BIT(avx512);
#elif defined(__aarch64__)
	if (hwcap & 2)
		found |= VECTOR_STATE_BIT(neon);
#else
	(void)hwcap;
#endif
	return found;
}

/* ------------------------------------------------------------------ unsuitable areas */

/* What is wrong with an area, in words; NULL if nothing is. */
static inline const char *vector_state_problem(const void *area, size_t bytes, size_t bytes_min, size_t alignment)
{
	if (!area)
		return "the area is a null pointer";
	if ((uintptr_t)area & (alignment - 1))
		return "the area is not aligned as its type is";
	if (bytes < bytes_min)
		return "the area is too small for the facility";
	return NULL;
}

#ifdef VECTOR_STATE_DEBUG
/* To be defined by the program: reports `function: message` in its own way, and does not return. */
__attribute__((__noreturn__)) void vector_state_stop(const char *function, const char *message);

static inline void vector_state_check(const void *area, size_t bytes, size_t bytes_min, size_t alignment, int present,
				      const char *function)
{
	const char *problem = vector_state_problem(area, bytes, bytes_min, alignment);

	if (!problem && !present)
		problem = "this processor has no such facility, or its kernel has not enabled it";
	if (problem)
		vector_state_stop(function, problem);
}
#else
#define vector_state_check(area, bytes, bytes_min, alignment, present, function) ((void)(bytes))
#endif

/*
 * FACILITY_save_in(area, bytes, facilities) and FACILITY_restore_in: for areas that the program allocates itself.
 * `facilities` is the result of vector_state_facilities(). With VECTOR_STATE_DEBUG they check first; without, they only call.
 */
#define VECTOR_STATE_DEFINE_IN(facility, type, bytes_min) \
	static inline void facility##_save_in(void *area, size_t bytes, unsigned int facilities) \
	{ \
		(void)facilities; \
		vector_state_check(area, bytes, bytes_min, __alignof__(type), (facilities) & VECTOR_STATE_BIT(facility), \
				   #facility "_save"); \
		facility##_save((type *)area); \
	} \
	static inline void facility##_restore_in(const void *area, size_t bytes, unsigned int facilities) \
	{ \
		(void)facilities; \
		vector_state_check(area, bytes, bytes_min, __alignof__(type), (facilities) & VECTOR_STATE_BIT(facility), \
				   #facility "_restore"); \
		facility##_restore((const type *)area); \
	}
VECTOR_STATE_EACH(VECTOR_STATE_DEFINE_IN)
#undef VECTOR_STATE_DEFINE_IN

#ifdef __cplusplus
}
#endif

#endif
