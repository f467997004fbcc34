/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The macros by which kernel assembly (vector.S, fpu.S, tm.S) stores and loads register files, written again from their
 * names and arguments. SAVE_32VRS and REST_32VRS exist in two forms: the kernel's own (first register, scratch, base) and that of
 * the patch of March 2016 (five scratch registers, base), which are told apart by the number of arguments. A file that
 * defines its own after including this header gets its own.
 */
#ifndef ASSAY_COMPAT_VECTOR_STATE_MACROS_H
#define ASSAY_COMPAT_VECTOR_STATE_MACROS_H

#define SAVE_VR(n, b, base)    li b, 16 * (n); stvx n, base, b
#define REST_VR(n, b, base)    li b, 16 * (n); lvx n, base, b
#define SAVE_2VRS(n, b, base)  SAVE_VR(n, b, base); SAVE_VR(n + 1, b, base)
#define REST_2VRS(n, b, base)  REST_VR(n, b, base); REST_VR(n + 1, b, base)
#define SAVE_4VRS(n, b, base)  SAVE_2VRS(n, b, base); SAVE_2VRS(n + 2, b, base)
#define REST_4VRS(n, b, base)  REST_2VRS(n, b, base); REST_2VRS(n + 2, b, base)
#define SAVE_8VRS(n, b, base)  SAVE_4VRS(n, b, base); SAVE_4VRS(n + 4, b, base)
#define REST_8VRS(n, b, base)  REST_4VRS(n, b, base); REST_4VRS(n + 4, b, base)
#define SAVE_16VRS(n, b, base) SAVE_8VRS(n, b, base); SAVE_8VRS(n + 8, b, base)
#define REST_16VRS(n, b, base) REST_8VRS(n, b, base); REST_8VRS(n + 8, b, base)

#define ASSAY_SEVENTH(a, b, c, d, e, f, seventh, ...) seventh
#define SAVE_32VRS(...) ASSAY_SEVENTH(__VA_ARGS__, ASSAY_SAVE_BATCH, , , ASSAY_SAVE_SERIAL)(__VA_ARGS__)
#define REST_32VRS(...) ASSAY_SEVENTH(__VA_ARGS__, ASSAY_REST_BATCH, , , ASSAY_REST_SERIAL)(__VA_ARGS__)
#define ASSAY_SAVE_SERIAL(n, b, base) SAVE_16VRS(n, b, base); SAVE_16VRS(n + 16, b, base)
#define ASSAY_REST_SERIAL(n, b, base) REST_16VRS(n, b, base); REST_16VRS(n + 16, b, base)

#define ASSAY_FOUR(op, n, o0, o1, o2, o3, base)                                                             \
	op n, base, o0; op n + 1, base, o1; op n + 2, base, o2; op n + 3, base, o3
#define ASSAY_BATCH(op, o0, o1, o2, o3, second, base)                                                       \
	addi second, base, 64; li o0, 0; li o1, 16; li o2, 32; li o3, 48;                                   \
	ASSAY_FOUR(op, 0, o0, o1, o2, o3, base); addi base, base, 128;                                      \
	ASSAY_FOUR(op, 4, o0, o1, o2, o3, second); addi second, second, 128;                                \
	ASSAY_FOUR(op, 8, o0, o1, o2, o3, base); addi base, base, 128;                                      \
	ASSAY_FOUR(op, 12, o0, o1, o2, o3, second); addi second, second, 128;                               \
	ASSAY_FOUR(op, 16, o0, o1, o2, o3, base); addi base, base, 128;                                     \
	ASSAY_FOUR(op, 20, o0, o1, o2, o3, second); addi second, second, 128;                               \
	ASSAY_FOUR(op, 24, o0, o1, o2, o3, base);                                                           \
	ASSAY_FOUR(op, 28, o0, o1, o2, o3, second); subi base, base, 384
#define ASSAY_SAVE_BATCH(o0, o1, o2, o3, second, base) ASSAY_BATCH(stvx, o0, o1, o2, o3, second, base)
#define ASSAY_REST_BATCH(o0, o1, o2, o3, second, base) ASSAY_BATCH(lvx, o0, o1, o2, o3, second, base)

/* FPRs: every 16 bytes where the area has room for VSX, in the half that the byte order says. */
#ifdef CONFIG_VSX
#define TS_FPRWIDTH 2
#ifdef CONFIG_CPU_BIG_ENDIAN
#define TS_FPROFFSET 0
#define STXVD2X_ROT(n, b, base) stxvd2x n, b, base
#define LXVD2X_ROT(n, b, base)	lxvd2x n, b, base
#else
#define TS_FPROFFSET 1
#define STXVD2X_ROT(n, b, base) xxswapd n, n; stxvd2x n, b, base; xxswapd n, n
#define LXVD2X_ROT(n, b, base)	lxvd2x n, b, base; xxswapd n, n
#endif
#else
#define TS_FPRWIDTH  1
#define TS_FPROFFSET 0
#endif
#define SAVE_FPR(n, base)     stfd n, 8 * TS_FPRWIDTH * (n) + 8 * TS_FPROFFSET(base)
#define REST_FPR(n, base)     lfd n, 8 * TS_FPRWIDTH * (n) + 8 * TS_FPROFFSET(base)
#define SAVE_2FPRS(n, base)   SAVE_FPR(n, base); SAVE_FPR(n + 1, base)
#define REST_2FPRS(n, base)   REST_FPR(n, base); REST_FPR(n + 1, base)
#define SAVE_4FPRS(n, base)   SAVE_2FPRS(n, base); SAVE_2FPRS(n + 2, base)
#define REST_4FPRS(n, base)   REST_2FPRS(n, base); REST_2FPRS(n + 2, base)
#define SAVE_8FPRS(n, base)   SAVE_4FPRS(n, base); SAVE_4FPRS(n + 4, base)
#define REST_8FPRS(n, base)   REST_4FPRS(n, base); REST_4FPRS(n + 4, base)
#define SAVE_16FPRS(n, base)  SAVE_8FPRS(n, base); SAVE_8FPRS(n + 8, base)
#define REST_16FPRS(n, base)  REST_8FPRS(n, base); REST_8FPRS(n + 8, base)
#define SAVE_32FPRS(n, base)  SAVE_16FPRS(n, base); SAVE_16FPRS(n + 16, base)
#define REST_32FPRS(n, base)  REST_16FPRS(n, base); REST_16FPRS(n + 16, base)

#define SAVE_VSR(n, b, base)	li b, 16 * (n); STXVD2X_ROT(n, base, b)
#define REST_VSR(n, b, base)	li b, 16 * (n); LXVD2X_ROT(n, base, b)
#define SAVE_2VSRS(n, b, base)	SAVE_VSR(n, b, base); SAVE_VSR(n + 1, b, base)
#define REST_2VSRS(n, b, base)	REST_VSR(n, b, base); REST_VSR(n + 1, b, base)
#define SAVE_4VSRS(n, b, base)	SAVE_2VSRS(n, b, base); SAVE_2VSRS(n + 2, b, base)
#define REST_4VSRS(n, b, base)	REST_2VSRS(n, b, base); REST_2VSRS(n + 2, b, base)
#define SAVE_8VSRS(n, b, base)	SAVE_4VSRS(n, b, base); SAVE_4VSRS(n + 4, b, base)
#define REST_8VSRS(n, b, base)	REST_4VSRS(n, b, base); REST_4VSRS(n + 4, b, base)
#define SAVE_16VSRS(n, b, base) SAVE_8VSRS(n, b, base); SAVE_8VSRS(n + 8, b, base)
#define REST_16VSRS(n, b, base) REST_8VSRS(n, b, base); REST_8VSRS(n + 8, b, base)
#define SAVE_32VSRS(n, b, base) SAVE_16VSRS(n, b, base); SAVE_16VSRS(n + 16, b, base)
#define REST_32VSRS(n, b, base) REST_16VSRS(n, b, base); REST_16VSRS(n + 16, b, base)

/* FPSCR: all 64 bits where there are so many. */
#ifdef __powerpc64__
#define MTFSF_L(number) mtfsf 0xff, number, 1, 0
#else
#define MTFSF_L(number) mtfsf 0xff, number
#endif

#endif
