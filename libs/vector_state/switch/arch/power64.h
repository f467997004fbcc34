/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* 64-bit POWER, ELFv2: the frame of a context that has not run. power64.S explains it. */
struct context_frame {
	uintptr_t back_chain, cr_of_callee, lr_of_callee, toc;
	uintptr_t general[18]; /* r14 to r31 */
	uint64_t floating[18]; /* f14 to f31 */
	unsigned char vectors[12][16]; /* v20 to v31 */
	unsigned char vscr[16];
	uint64_t fpscr, unused;
};

/* Above it, what a caller lends its callee: back chain, CR, LR and TOC save words. The entry is called from here, too. */
#define CONTEXT_HEAD_BYTES 32

/* What `kept` says of a frame that holds floats and vectors. */
#define CONTEXT_KEPT_ALL 0x0c000000

static inline void context_frame_new(struct context_frame *frame, struct context *context, context_entry entry)
{
	uintptr_t *head = (uintptr_t *)(frame + 1);

	frame->back_chain = (uintptr_t)head;
	frame->general[31 - 14] = (uintptr_t)context;
	frame->general[30 - 14] = (uintptr_t)entry;
	/* The TOC of this module, where context_returned is; the entry makes its own. */
	__asm__("mr %0, 2" : "=r"(frame->toc));
	head[3] = frame->toc;
	head[2] = (uintptr_t)context_start;
}

/* AT_HWCAP: PPC_FEATURE_HAS_FPU and PPC_FEATURE_HAS_ALTIVEC. */
#define CONTEXT_CPU_LACKS(hwcap) \
	(!((hwcap) & 0x08000000) ? "context_switch: the CPU has no floating-point registers" : \
	 !((hwcap) & 0x10000000) ? "context_switch: the CPU has no vector registers (VMX)" : \
				   NULL)

/* What context_switch_inline leaves; context_inline.h has the offsets. */
struct context_inline_frame {
	uintptr_t linkage[4];
	uintptr_t resume, r31, r30, toc;
	uint64_t fpscr, unused;
	unsigned char vscr[16];
	unsigned char room[640 - 96];
};

static inline void context_inline_frame_new(struct context_inline_frame *inline_frame, const struct context_frame *frame)
{
	inline_frame->resume = (uintptr_t)context_start_inline;
	inline_frame->fpscr = frame->fpscr;
	__builtin_memcpy(inline_frame->vscr, frame->vscr, sizeof(frame->vscr));
}
