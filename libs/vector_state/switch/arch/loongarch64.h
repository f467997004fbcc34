/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* LoongArch: the frame of a context that has not run. loongarch64.S explains it. */
struct context_frame {
	uintptr_t ra, fp;
	uintptr_t general[9]; /* s0 to s8 */
	uint64_t floating[8]; /* fs0 to fs7 */
	uint64_t fcsr;
};

#define CONTEXT_HEAD_BYTES 0

/* What `kept` says of a frame that holds floats and control bits. */
#define CONTEXT_KEPT_ALL 1

static inline void context_frame_new(struct context_frame *frame, struct context *context, context_entry entry)
{
	frame->general[0] = (uintptr_t)context;
	frame->general[1] = (uintptr_t)entry;
	frame->ra = (uintptr_t)context_start;
}

/* What context_switch_inline leaves; context_inline.h has the offsets. */
struct context_inline_frame {
	uintptr_t resume, r22, r31;
	uint64_t fcsr;
};

static inline void context_inline_frame_new(struct context_inline_frame *inline_frame, const struct context_frame *frame)
{
	inline_frame->resume = (uintptr_t)context_start_inline;
	inline_frame->fcsr = frame->fcsr;
}
