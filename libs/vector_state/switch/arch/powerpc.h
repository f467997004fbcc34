/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* 32-bit PowerPC: the frame of a context that has not run. powerpc.S explains it. */
struct context_frame {
	uintptr_t back_chain, lr_of_callee, cr, vrsave;
	uintptr_t general[18]; /* r14 to r31 */
#ifndef _SOFT_FLOAT
	uint64_t floating[18]; /* f14 to f31 */
	uint64_t fpscr;
#endif
#ifdef __ALTIVEC__
	unsigned char vectors[12][16]; /* v20 to v31 */
	unsigned char vscr[16];
#endif
} __attribute__((aligned(16)));

/* Above it, what a caller lends its callee: back chain and LR save word. The entry is called from here, too. */
#define CONTEXT_HEAD_BYTES 16

/* What `kept` says of a frame that holds floats and vectors. */
#define CONTEXT_KEPT_ALL 0x0c000000

static inline void context_frame_new(struct context_frame *frame, struct context *context, context_entry entry)
{
	uintptr_t *head = (uintptr_t *)(frame + 1);

	frame->back_chain = (uintptr_t)head;
	frame->general[31 - 14] = (uintptr_t)context;
	frame->general[30 - 14] = (uintptr_t)entry;
	head[1] = (uintptr_t)context_start;
}

/* AT_HWCAP: PPC_FEATURE_HAS_FPU and PPC_FEATURE_HAS_ALTIVEC. */
#ifdef _SOFT_FLOAT
#define CONTEXT_LACKS_FPU(hwcap) ((void)(hwcap), false)
#else
#define CONTEXT_LACKS_FPU(hwcap) (!((hwcap) & 0x08000000))
#endif
#ifdef __ALTIVEC__
#define CONTEXT_LACKS_VECTORS(hwcap) (!((hwcap) & 0x10000000))
#else
#define CONTEXT_LACKS_VECTORS(hwcap) false
#endif
#define CONTEXT_CPU_LACKS(hwcap) \
	(CONTEXT_LACKS_FPU(hwcap)     ? "context_switch: the CPU has no floating-point registers" : \
	 CONTEXT_LACKS_VECTORS(hwcap) ? "context_switch: the CPU has no vector registers (AltiVec)" : \
					NULL)

/* What context_switch_inline leaves; context_inline.h has the offsets. */
struct context_inline_frame {
	uintptr_t linkage[2];
	uintptr_t resume, r31, r30, vrsave;
	uint64_t fpscr;
	unsigned char vscr[16];
	uintptr_t r29;
	unsigned char room[288 - 52];
} __attribute__((aligned(16)));

static inline void context_inline_frame_new(struct context_inline_frame *inline_frame, const struct context_frame *frame)
{
	(void)frame;
	inline_frame->resume = (uintptr_t)context_start_inline;
#ifndef _SOFT_FLOAT
	inline_frame->fpscr = frame->fpscr;
#endif
#ifdef __ALTIVEC__
	inline_frame->vrsave = frame->vrsave;
	__builtin_memcpy(inline_frame->vscr, frame->vscr, sizeof(frame->vscr));
#endif
}
