/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* x86-64: the frame of a context that has not run. x86_64.S explains it. */
struct context_frame {
	uint32_t mxcsr;
	uint16_t x87_control, compares_mxcsr;
	uintptr_t r12, r13, r14, r15, rbx, rbp, return_address;
};

/* At context_start, rsp is a multiple of 16, as it is before any call. */
#define CONTEXT_HEAD_BYTES 0

/* What `kept` says of a frame that holds the control words. */
#define CONTEXT_KEPT_ALL 1

/* Asked once, because CPUID is slow under a hypervisor. Threads may ask at the same time: all get the same answer. */
static inline bool context_is_intel(void)
{
	enum { NOT_ASKED, NO, YES };
	static unsigned char answer;
	unsigned int leaf = 0, vendor[3];

	if (__atomic_load_n(&answer, __ATOMIC_RELAXED) == NOT_ASKED) {
		__asm__ volatile("cpuid" : "+a"(leaf), "=b"(vendor[0]), "=d"(vendor[1]), "=c"(vendor[2]));
		bool intel = vendor[0] == 0x756e6547 && vendor[1] == 0x49656e69 && vendor[2] == 0x6c65746e; /* GenuineIntel */

		__atomic_store_n(&answer, intel ? YES : NO, __ATOMIC_RELAXED);
	}
	return __atomic_load_n(&answer, __ATOMIC_RELAXED) == YES;
}

static inline void context_frame_new(struct context_frame *frame, struct context *context, context_entry entry)
{
#ifdef CONTEXT_COMPARES_OTHERWISE /* for tests, which have to try both ways on one processor */
	frame->compares_mxcsr = !context_is_intel();
#else
	frame->compares_mxcsr = context_is_intel();
#endif
	frame->rbx = (uintptr_t)context;
	frame->r12 = (uintptr_t)entry;
	frame->return_address = (uintptr_t)context_start;
}

/* What context_switch_inline leaves; context_inline.h has the offsets. */
struct context_inline_frame {
	uintptr_t resume, rbp, rbx;
	uint32_t mxcsr;
	uint16_t x87_control, compares_mxcsr;
	unsigned char room[176 - 32];
};

static inline void context_inline_frame_new(struct context_inline_frame *inline_frame, const struct context_frame *frame)
{
	inline_frame->resume = (uintptr_t)context_start_inline;
	inline_frame->mxcsr = frame->mxcsr;
	inline_frame->compares_mxcsr = frame->compares_mxcsr;
	inline_frame->x87_control = frame->x87_control;
}
