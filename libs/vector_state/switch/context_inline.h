/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The inline policy: a switch that saves what is alive and nothing else.
 *
 * An assembly statement may claim to change registers. This one claims all of them, so the compiler keeps what it needs
 * after the statement on the stack, by its own choice, and what is dead is not saved at all. What no compiler
 * lets a statement claim is saved by hand: the frame pointer and, where a compiler may need one, the base pointer of
 * functions with variable frames. So are the control words, because compilers assume that a statement does not change the
 * rounding mode.
 *
 * The statement must be in the function that the compiler sees, so all of it is here. context_switch_inline is meant for
 * the few places of a scheduler where switches are made: each has a copy of some twenty instructions. If its caller
 * has much alive, or was given preserved registers to keep by its own caller, the compiler saves those: once, in the
 * function's prologue. A function that does nothing but switch therefore saves what context_switch saves.
 *
 * Contexts of this policy can switch only to each other, because their frame differs. For gcc and clang.
 *
 * x86-64: compilers let a statement claim zmm16 to zmm31, k0 to k7 and r16 to r31 only if the whole file is compiled for them. In
 * a function that has them by an attribute (target("avx512f"), target_clones) in a file that has not, they are not claimed, and
 * the compiler may keep values there across the switch, which are then lost. Compile the file with the flag, or use
 * context_switch there. AMX's tiles are claimed nowhere: after a statement no compiler loads their configuration again, as after
 * a call, so a function that has a tile in use over a switch needs context_switch.
 */
#ifndef CONTEXT_INLINE_H
#define CONTEXT_INLINE_H

#include "context_switch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As context_create, for the inline policy. */
enum context_status context_create_inline(struct context *context, void *stack, size_t stack_bytes, context_entry entry);

/* private: */
#ifdef CONTEXT_DEBUG
/* What context_switch_inline begins with: the same checks and notes as those of context_switch. */
void context_check_inline(struct context *from, struct context *to);
/* What context_finish_inline begins with. */
void context_check_finish_inline(struct context *self, struct context *to);
#else
static inline void context_check_inline(struct context *from, struct context *to)
{
	(void)from;
	(void)to;
}
static inline void context_check_finish_inline(struct context *self, struct context *to)
{
	(void)self;
	(void)to;
}
#endif

/* The macros below say, for each architecture, in which registers from, to and message are, what the statement does, and what
 * it changes. The frame: where to go on at 0, then what is saved by hand. */
#if defined(__x86_64__)
#define CONTEXT_INLINE_REGISTERS "rdi", "rsi", "rdx"
/* The 128 bytes of the red zone may hold what the compiler keeps. rbx: a base pointer. MXCSR: see x86_64.S. */
#define CONTEXT_INLINE_CODE                                                                             \
	"leaq	-176(%%rsp), %%rsp\n\t"                                                                 \
	"leaq	1f(%%rip), %%rax\n\t"                                                                   \
	"movq	%%rax, 0(%%rsp)\n\t"                                                                    \
	"movq	%%rbp, 8(%%rsp)\n\t"                                                                    \
	"movq	%%rbx, 16(%%rsp)\n\t"                                                                   \
	"stmxcsr 24(%%rsp)\n\t"                                                                         \
	"fnstcw	28(%%rsp)\n\t"                                                                          \
	"movq	%%rsp, (%%rdi)\n\t"                                                                     \
	"movq	(%%rsi), %%rcx\n\t"                                                                     \
	"movzwl	30(%%rcx), %%eax\n\t"                                                                  \
	"movw	%%ax, 30(%%rsp)\n\t"                                                                   \
	"testl	%%eax, %%eax\n\t"                                                                      \
	"jz	4f\n\t"                                                                                  \
	"movl	24(%%rsp), %%eax\n\t"                                                                  \
	"xorl	24(%%rcx), %%eax\n\t"                                                                  \
	"testl	$0xffc0, %%eax\n\t"                                                                    \
	"jz	5f\n\t"                                                                                  \
	"4:\n\t"                                                                                        \
	"ldmxcsr 24(%%rcx)\n\t"                                                                         \
	"5:\n\t"                                                                                        \
	"movzwl	28(%%rsp), %%eax\n\t"                                                                   \
	"cmpw	28(%%rcx), %%ax\n\t"                                                                    \
	"jne	2f\n\t"                                                                                 \
	"3:\n\t"                                                                                        \
	"movq	%%rcx, %%rsp\n\t"                                                                       \
	"movq	8(%%rsp), %%rbp\n\t"                                                                    \
	"movq	16(%%rsp), %%rbx\n\t"                                                                   \
	"movq	0(%%rsp), %%rcx\n\t"                                                                    \
	"leaq	176(%%rsp), %%rsp\n\t"                                                                  \
	"jmpq	*%%rcx\n\t"                                                                             \
	"2:\n\t"                                                                                        \
	"movzwl	28(%%rcx), %%r8d\n\t"                                                                   \
	"notl	%%r8d\n\t"                                                                              \
	"testb	$0x3f, %%r8b\n\t"                                                                       \
	"jz	6f\n\t"                                                                                 \
	"fnstsw	%%ax\n\t"                                                                               \
	"andl	%%r8d, %%eax\n\t"                                                                       \
	"testb	$0x3f, %%al\n\t"                                                                        \
	"jz	6f\n\t"                                                                                 \
	"fclex\n\t"                                                                                     \
	"6:\n\t"                                                                                        \
	"fldcw	28(%%rcx)\n\t"                                                                          \
	"jmp	3b\n\t"                                                                                 \
	"1:\n\t"                                                                                        \
	"endbr64\n\t"
/* What -mapxf and -mavx512f add. clang has a macro for r16 to r31 alone, too. */
#if defined(__APX_F__) || defined(__EGPR__)
#define CONTEXT_INLINE_MORE , "r16", "r17", "r18", "r19", "r20", "r21", "r22", "r23", "r24", "r25", "r26", "r27", "r28",   \
	"r29", "r30", "r31"
#else
#define CONTEXT_INLINE_MORE
#endif
#ifdef __AVX512F__
#define CONTEXT_INLINE_WIDE , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",  \
	"xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define CONTEXT_INLINE_WIDE
#endif
#define CONTEXT_INLINE_CLOBBERS                                                                                        \
	"rax", "rcx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",    \
	"xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "st", "st(1)",   \
	"st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)", "cc", "memory" CONTEXT_INLINE_MORE CONTEXT_INLINE_WIDE

#elif defined(__powerpc64__)
#define CONTEXT_INLINE_REGISTERS "r3", "r4", "r5"
/* 512 bytes of red zone. r31 and r30: frame and base pointer; r2: see power64.S. FPSCR and VSCR are written if they differ.
 * The word is mtfsf 0x01, 0, 0, 1: gas refuses it for processors before POWER6, and such a one is gcc's default. */
#ifdef __LITTLE_ENDIAN__
#define CONTEXT_INLINE_VSCR "80"
#define CONTEXT_INLINE_FPSCR "64"
#else
#define CONTEXT_INLINE_VSCR "92"
#define CONTEXT_INLINE_FPSCR "68"
#endif
#define CONTEXT_INLINE_CODE                                                                             \
	"bcl	20, 31, 1f\n\t"                                                                         \
	"1:	mflr	9\n\t"                                                                          \
	"addi	9, 9, 9f - 1b\n\t"                                                                      \
	"stdu	1, -640(1)\n\t"                                                                         \
	"std	9, 32(1)\n\t"                                                                           \
	"std	31, 40(1)\n\t"                                                                          \
	"std	30, 48(1)\n\t"                                                                          \
	"std	2, 56(1)\n\t"                                                                           \
	"mffs	0\n\t"                                                                                  \
	"stfd	0, 64(1)\n\t"                                                                           \
	"mfvscr	0\n\t"                                                                                  \
	"li	9, 80\n\t"                                                                              \
	"stvx	0, 1, 9\n\t"                                                                            \
	"mr	6, 1\n\t"                                                                               \
	"std	1, 0(3)\n\t"                                                                            \
	"ld	1, 0(4)\n\t"                                                                            \
	"ld	0, 64(6)\n\t"                                                                           \
	"ld	9, 64(1)\n\t"                                                                           \
	"xor	9, 0, 9\n\t"                                                                            \
	"rldicl	0, 9, 32, 61\n\t"                                                                       \
	"rldicl	9, 9, 0, 56\n\t"                                                                        \
	"or.	0, 0, 9\n\t"                                                                            \
	"beq	2f\n\t"                                                                                 \
	"lwz	0, " CONTEXT_INLINE_FPSCR "(6)\n\t"                                                     \
	"lwz	9, " CONTEXT_INLINE_FPSCR "(1)\n\t"                                                     \
	"srwi	0, 0, 22\n\t"                                                                           \
	"and	0, 0, 9\n\t"                                                                            \
	"andi.	0, 0, 0xf8\n\t"                                                                         \
	"beq	4f\n\t"                                                                                 \
	"clrlwi	9, 9, 24\n\t"                                                                           \
	"stw	9, " CONTEXT_INLINE_FPSCR "(1)\n\t"                                                     \
	"lfd	0, 64(1)\n\t"                                                                           \
	"mtfsf	0xfc, 0\n\t"                                                                            \
	"4:	lfd	0, 64(1)\n\t"                                                                   \
	"mtfsf	0x03, 0\n\t"                                                                            \
	".long	0xfc03058e\n"                                                                          \
	"2:	lwz	0, " CONTEXT_INLINE_VSCR "(6)\n\t"                                              \
	"lwz	9, " CONTEXT_INLINE_VSCR "(1)\n\t"                                                      \
	"xor	9, 0, 9\n\t"                                                                            \
	"andis.	9, 9, 1\n\t"                                                                            \
	"beq	3f\n\t"                                                                                 \
	"li	9, 80\n\t"                                                                              \
	"lvx	0, 1, 9\n\t"                                                                            \
	"mtvscr	0\n"                                                                                    \
	"3:	ld	0, 32(1)\n\t"                                                                   \
	"ld	31, 40(1)\n\t"                                                                          \
	"ld	30, 48(1)\n\t"                                                                          \
	"ld	2, 56(1)\n\t"                                                                           \
	"mtctr	0\n\t"                                                                                  \
	"addi	1, 1, 640\n\t"                                                                          \
	"bctr\n"                                                                                        \
	"9:\n\t"
#define CONTEXT_INLINE_CLOBBERS CONTEXT_INLINE_POWER_GENERAL, CONTEXT_INLINE_POWER_FLOATS, CONTEXT_INLINE_POWER_VECTORS

#elif defined(__powerpc__)
#define CONTEXT_INLINE_REGISTERS "r3", "r4", "r5"
/* r31: frame pointer; r30: base pointer, or the GOT in position-independent code, where clang's base pointer is r29 and a claim
 * of r29 is ignored. No red zone on Linux; 224 bytes for ABIs that have one. */
#ifdef _SOFT_FLOAT
#define CONTEXT_INLINE_SAVE_FLOAT
#define CONTEXT_INLINE_LOAD_FLOAT
#else
#define CONTEXT_INLINE_SAVE_FLOAT "mffs	0\n\tstfd	0, 24(1)\n\t"
#define CONTEXT_INLINE_LOAD_FLOAT                                                                       \
	"lwz	0, 28(6)\n\t"                                                                           \
	"lwz	9, 28(1)\n\t"                                                                           \
	"xor	9, 0, 9\n\t"                                                                            \
	"andi.	9, 9, 0xff\n\t"                                                                         \
	"beq	2f\n\t"                                                                                 \
	"lwz	0, 28(6)\n\t"                                                                           \
	"lwz	9, 28(1)\n\t"                                                                           \
	"srwi	0, 0, 22\n\t"                                                                           \
	"and	0, 0, 9\n\t"                                                                            \
	"andi.	0, 0, 0xf8\n\t"                                                                         \
	"beq	5f\n\t"                                                                                 \
	"clrlwi	9, 9, 24\n\t"                                                                           \
	"stw	9, 28(1)\n\t"                                                                           \
	"lfd	0, 24(1)\n\t"                                                                           \
	"mtfsf	0xfc, 0\n\t"                                                                            \
	"5:	lfd	0, 24(1)\n\t"                                                                   \
	"mtfsf	0x03, 0\n"                                                                              \
	"2:\n\t"
#endif
#ifdef __ALTIVEC__
#define CONTEXT_INLINE_SAVE_VECTOR "mfspr 0, 256\n\tstw 0, 20(1)\n\tmfvscr 0\n\tli 9, 32\n\tstvx 0, 1, 9\n\t"
#define CONTEXT_INLINE_LOAD_VECTOR                                                                      \
	"lwz	0, 44(6)\n\t"                                                                           \
	"lwz	9, 44(1)\n\t"                                                                           \
	"xor	9, 0, 9\n\t"                                                                            \
	"andis.	9, 9, 1\n\t"                                                                            \
	"beq	3f\n\t"                                                                                 \
	"li	9, 32\n\t"                                                                              \
	"lvx	0, 1, 9\n\t"                                                                            \
	"mtvscr	0\n"                                                                                    \
	"3:	lwz	0, 20(1)\n\t"                                                                   \
	"cmpwi	0, 0\n\t"                                                                               \
	"beq	4f\n\t"                                                                                 \
	"mtspr	256, 0\n"                                                                               \
	"4:\n\t"
#else
#define CONTEXT_INLINE_SAVE_VECTOR
#define CONTEXT_INLINE_LOAD_VECTOR
#endif
#define CONTEXT_INLINE_CODE                                                                             \
	"bcl	20, 31, 1f\n\t"                                                                         \
	"1:	mflr	12\n\t"                                                                         \
	"addi	12, 12, 9f - 1b\n\t"                                                                    \
	"stwu	1, -288(1)\n\t"                                                                         \
	"stw	12, 8(1)\n\t"                                                                           \
	"stw	31, 12(1)\n\t"                                                                          \
	"stw	30, 16(1)\n\t"                                                                          \
	"stw	29, 48(1)\n\t"                                                                          \
	CONTEXT_INLINE_SAVE_FLOAT CONTEXT_INLINE_SAVE_VECTOR                                            \
	"mr	6, 1\n\t"                                                                               \
	"stw	1, 0(3)\n\t"                                                                            \
	"lwz	1, 0(4)\n\t"                                                                            \
	CONTEXT_INLINE_LOAD_FLOAT CONTEXT_INLINE_LOAD_VECTOR                                            \
	"lwz	12, 8(1)\n\t"                                                                           \
	"lwz	31, 12(1)\n\t"                                                                          \
	"lwz	30, 16(1)\n\t"                                                                          \
	"lwz	29, 48(1)\n\t"                                                                          \
	"mtctr	12\n\t"                                                                                 \
	"addi	1, 1, 288\n\t"                                                                          \
	"bctr\n"                                                                                        \
	"9:\n\t"
#ifdef _SOFT_FLOAT
#define CONTEXT_INLINE_CLOBBERS CONTEXT_INLINE_POWER_GENERAL
#elif defined(__ALTIVEC__)
#define CONTEXT_INLINE_CLOBBERS CONTEXT_INLINE_POWER_GENERAL, CONTEXT_INLINE_POWER_FLOATS, CONTEXT_INLINE_POWER_VECTORS
#else
#define CONTEXT_INLINE_CLOBBERS CONTEXT_INLINE_POWER_GENERAL, CONTEXT_INLINE_POWER_FLOATS
#endif

#elif defined(__aarch64__)
#define CONTEXT_INLINE_REGISTERS "x0", "x1", "x2"
/* No red zone on Linux. x29: frame pointer; x19: base pointer. */
#define CONTEXT_INLINE_CODE                                                                             \
	"adr	x9, 1f\n\t"                                                                             \
	"sub	sp, sp, #32\n\t"                                                                        \
	"stp	x9, x29, [sp]\n\t"                                                                      \
	"mrs	x10, fpcr\n\t"                                                                          \
	"stp	x19, x10, [sp, #16]\n\t"                                                                \
	"mov	x9, sp\n\t"                                                                             \
	"str	x9, [x0]\n\t"                                                                           \
	"ldr	x9, [x1]\n\t"                                                                           \
	"mov	sp, x9\n\t"                                                                             \
	"ldp	x19, x11, [sp, #16]\n\t"                                                                \
	"cmp	x10, x11\n\t"                                                                           \
	"b.eq	2f\n\t"                                                                                 \
	"msr	fpcr, x11\n"                                                                            \
	"2:	ldp	x16, x29, [sp], #32\n\t"                                                                \
	"br	x16\n"                                                                                  \
	"1:	hint	#36\n\t" /* bti j */
/* x18 is a temporary on Linux, and reserved where the platform or -ffixed-x18 says so. */
#if defined(__APPLE__) || defined(__ANDROID__) || defined(_WIN32) || defined(CONTEXT_FIXED_X18)
#define CONTEXT_INLINE_X18
#else
#define CONTEXT_INLINE_X18 "x18",
#endif
#define CONTEXT_INLINE_CLOBBERS                                                                                  \
	CONTEXT_INLINE_X18 "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x20", \
	"x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "v0", "v1", "v2", "v3", "v4", "v5", "v6", \
	"v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21",    \
	"v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "cc", "memory", "p0", "p1", \
	"p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13", "p14", "p15"

#elif defined(__riscv)
#define CONTEXT_INLINE_REGISTERS "a0", "a1", "a2"
/* No red zone. s0: frame pointer; s1: base pointer. */
#if defined(__riscv_flen) || defined(__riscv_zfinx)
#define CONTEXT_INLINE_SAVE_FRM "csrr	t1, frm\n\tsd	t1, 24(sp)\n\t"
#define CONTEXT_INLINE_LOAD_FRM "ld	t2, 24(sp)\n\tbeq	t1, t2, 2f\n\tcsrw	frm, t2\n2:\n\t"
#else
#define CONTEXT_INLINE_SAVE_FRM
#define CONTEXT_INLINE_LOAD_FRM
#endif
#ifdef __riscv_flen
#define CONTEXT_INLINE_FLOATS , "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0", "fa1",      \
	"fa2", "fa3", "fa4", "fa5", "fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10",       \
	"fs11", "ft8", "ft9", "ft10", "ft11"
#else
#define CONTEXT_INLINE_FLOATS
#endif
#define CONTEXT_INLINE_CODE                                                                             \
	"lla	t0, 1f\n\t"                                                                             \
	"addi	sp, sp, -32\n\t"                                                                        \
	"sd	t0, 0(sp)\n\t"                                                                          \
	"sd	s0, 8(sp)\n\t"                                                                          \
	"sd	s1, 16(sp)\n\t"                                                                         \
	CONTEXT_INLINE_SAVE_FRM                                                                         \
	"sd	sp, 0(a0)\n\t"                                                                          \
	"ld	sp, 0(a1)\n\t"                                                                          \
	CONTEXT_INLINE_LOAD_FRM                                                                         \
	"ld	t0, 0(sp)\n\t"                                                                          \
	"ld	s0, 8(sp)\n\t"                                                                          \
	"ld	s1, 16(sp)\n\t"                                                                         \
	"addi	sp, sp, 32\n\t"                                                                         \
	"jr	t0\n"                                                                                   \
	"1:\n\t"
/* gcc 12 defines __riscv_vector and refuses the registers' names: it keeps nothing in them. gcc 13, the first with vector
 * intrinsics, is taken to know them; only 12 was tried. */
#if defined(__riscv_vector) && (defined(__clang__) || __GNUC__ >= 13)
#define CONTEXT_INLINE_VECTORS , "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13",  \
	"v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28",        \
	"v29", "v30", "v31", "vl", "vtype"
#else
#define CONTEXT_INLINE_VECTORS
#endif
#define CONTEXT_INLINE_CLOBBERS                                                                                        \
	"ra", "t0", "t1", "t2", "a3", "a4", "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10",   \
	"s11", "t3", "t4", "t5", "t6", "memory" CONTEXT_INLINE_FLOATS CONTEXT_INLINE_VECTORS

#elif defined(__loongarch__)
#define CONTEXT_INLINE_REGISTERS "$a0", "$a1", "$a2"
/* No red zone. $r22: frame pointer; $r31: base pointer. The floating-point names cover LSX's and LASX's registers. */
#define CONTEXT_INLINE_CODE                                                                             \
	"la.local $t0, 1f\n\t"                                                                          \
	"addi.d	$sp, $sp, -32\n\t"                                                                      \
	"st.d	$t0, $sp, 0\n\t"                                                                        \
	"st.d	$r22, $sp, 8\n\t"                                                                       \
	"st.d	$r31, $sp, 16\n\t"                                                                      \
	"movfcsr2gr $t1, $fcsr0\n\t"                                                                   \
	"st.d	$t1, $sp, 24\n\t"                                                                       \
	"st.d	$sp, $a0, 0\n\t"                                                                        \
	"ld.d	$sp, $a1, 0\n\t"                                                                        \
	"ld.d	$t2, $sp, 24\n\t"                                                                       \
	"xor	$t1, $t1, $t2\n\t"                                                                      \
	"andi	$t1, $t1, 0x31f\n\t"                                                                    \
	"beqz	$t1, 2f\n\t"                                                                            \
	"movgr2fcsr $fcsr1, $t2\n\t"                                                                       \
	"movgr2fcsr $fcsr3, $t2\n"                                                                         \
	"2:	ld.d	$t0, $sp, 0\n\t"                                                                \
	"ld.d	$r22, $sp, 8\n\t"                                                                       \
	"ld.d	$r31, $sp, 16\n\t"                                                                      \
	"addi.d	$sp, $sp, 32\n\t"                                                                       \
	"jr	$t0\n"                                                                                  \
	"1:\n\t"
#define CONTEXT_INLINE_CLOBBERS                                                                                        \
	"$r1", "$r7", "$r8", "$r9", "$r10", "$r11", "$r12", "$r13", "$r14", "$r15", "$r16", "$r17", "$r18", "$r19",    \
	"$r20", "$r23", "$r24", "$r25", "$r26", "$r27", "$r28", "$r29", "$r30", "$f0", "$f1", "$f2", "$f3", "$f4",     \
	"$f5", "$f6", "$f7", "$f8", "$f9", "$f10", "$f11", "$f12", "$f13", "$f14", "$f15", "$f16", "$f17", "$f18",     \
	"$f19", "$f20", "$f21", "$f22", "$f23", "$f24", "$f25", "$f26", "$f27", "$f28", "$f29", "$f30", "$f31",        \
	"$fcc0", "$fcc1", "$fcc2", "$fcc3", "$fcc4", "$fcc5", "$fcc6", "$fcc7", "memory"
#endif

#ifdef __powerpc__
#define CONTEXT_INLINE_POWER_GENERAL                                                                                   \
	"r0", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r14", "r15", "r16", "r17", "r18", "r19", "r20", "r21",     \
	"r22", "r23", "r24", "r25", "r26", "r27", "r28", "r29", "cr0", "cr1", "cr2", "cr3", "cr4", "cr5", "cr6",       \
	"cr7", "lr", "ctr", "xer", "memory"
#define CONTEXT_INLINE_POWER_FLOATS                                                                                    \
	"fr0", "fr1", "fr2", "fr3", "fr4", "fr5", "fr6", "fr7", "fr8", "fr9", "fr10", "fr11", "fr12", "fr13",         \
	"fr14", "fr15", "fr16", "fr17", "fr18", "fr19", "fr20", "fr21", "fr22", "fr23", "fr24", "fr25", "fr26",       \
	"fr27", "fr28", "fr29", "fr30", "fr31"
#define CONTEXT_INLINE_POWER_VECTORS                                                                                   \
	"v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16",   \
	"v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31"
#endif

/* The one that goes on finds the registers as the one that left set them: message is the third argument in each ABI. */
static inline __attribute__((always_inline)) void *context_leave_inline(struct context *from, struct context *to,
									 void *message)
{
#define CONTEXT_INLINE_BIND(first, second, third)                                                        \
	register struct context *left __asm__(first) = from;                                             \
	register struct context *entered __asm__(second) = to;                                           \
	register void *word __asm__(third) = message;
#define CONTEXT_INLINE_EXPAND(...) CONTEXT_INLINE_BIND(__VA_ARGS__)
	CONTEXT_INLINE_EXPAND(CONTEXT_INLINE_REGISTERS)
	__asm__ volatile(CONTEXT_INLINE_CODE : "+r"(left), "+r"(entered), "+r"(word) : : CONTEXT_INLINE_CLOBBERS);
	return word;
}
/* public: */

/* As context_switch. */
static inline __attribute__((always_inline)) void *context_switch_inline(struct context *from, struct context *to,
									  void *message)
{
	context_check_inline(from, to);
	return context_leave_inline(from, to, message);
}

/* As context_finish. In a release build, a switch to the finished context stops at the trap. */
static inline void context_finish_inline(struct context *self, struct context *to, void *message)
{
	context_check_finish_inline(self, to);
	context_leave_inline(self, to, message);
	__builtin_trap();
}

#ifdef __cplusplus
}
#endif

#endif
