/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* AArch64: the frame of a context that has not run. aarch64.S explains it. */
struct context_frame {
	uintptr_t x29, x30;
	uintptr_t general[10]; /* x19 to x28 */
	uint64_t floating[8]; /* d8 to d15 */
	uint64_t fpcr, unused;
};

#define CONTEXT_HEAD_BYTES 0

/* What `kept` says of a frame that holds floats and FPCR. */
#define CONTEXT_KEPT_ALL 1

static inline void context_frame_new(struct context_frame *frame, struct context *context, context_entry entry)
{
	frame->general[0] = (uintptr_t)context;
	frame->general[1] = (uintptr_t)entry;
	frame->x30 = (uintptr_t)context_start;
}

/* What context_switch_inline leaves; context_inline.h has the offsets. */
struct context_inline_frame {
	uintptr_t resume, x29, x19;
	uint64_t fpcr;
};

static inline void context_inline_frame_new(struct context_inline_frame *inline_frame, const struct context_frame *frame)
{
	inline_frame->resume = (uintptr_t)context_start_inline;
	inline_frame->fpcr = frame->fpcr;
}
