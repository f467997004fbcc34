/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* x86-64: the frame of a context that has not run. x86_64.S explains it. */
struct context_frame {
	uint32_t mxcsr;
	uint16_t x87_control, unused;
	uintptr_t r12, r13, r14, r15, rbx, rbp, return_address;
};

/* At context_start, rsp is a multiple of 16, as it is before any call. */
#define CONTEXT_HEAD_BYTES 0

/* What `kept` says of a frame that holds the control words. */
#define CONTEXT_KEPT_ALL 1

static inline void context_frame_new(struct context_frame *frame, struct context *context, context_entry entry)
{
	frame->rbx = (uintptr_t)context;
	frame->r12 = (uintptr_t)entry;
	frame->return_address = (uintptr_t)context_start;
}

/* What context_switch_inline leaves; context_inline.h has the offsets. */
struct context_inline_frame {
	uintptr_t resume, rbp, rbx;
	uint32_t mxcsr;
	uint16_t x87_control, unused;
	unsigned char room[176 - 32];
};

static inline void context_inline_frame_new(struct context_inline_frame *inline_frame, const struct context_frame *frame)
{
	inline_frame->resume = (uintptr_t)context_start_inline;
	inline_frame->mxcsr = frame->mxcsr;
	inline_frame->x87_control = frame->x87_control;
}
