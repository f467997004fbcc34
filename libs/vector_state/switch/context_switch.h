/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Contexts on stacks that the caller provides, and the switch between them that loses no register.
 *
 * A context is a call that can be suspended in the middle and continued later. It owns a stack, which the caller
 * provides, and what the ABI says a function call preserves; a switch is a call, so nothing else can be alive across it.
 * The library has no global state (except the vendor of an x86 processor, asked once), allocates nothing and needs no libc.
 * Contexts of one program may run on several threads, each context on one thread at a time.
 *
 *	static void numbers(struct context *self, void *message)
 *	{
 *		for (uintptr_t n = 0;; n++)
 *			context_yield(self, (void *)n);
 *	}
 *	...
 *	struct context main_context = CONTEXT_THREAD, generator;
 *
 *	context_create(&generator, stack, sizeof(stack), numbers);
 *	n = (uintptr_t)context_resume(&main_context, &generator, NULL);
 *
 * What is saved, by policy. The head of each file in arch/ teaches what its ABI preserves and why.
 *   full     context_switch: every register that the ABI calls preserved, and the control words (rounding mode,
 *            exception enables). Right for every program.
 *   used     context_switch_used: the same for a context that holds a lease (context_lease); one without a lease
 *            keeps its general registers alone. Linux loads a task's vector state eagerly while an 8-bit counter says
 *            that the task used it lately, and is corrected by a fault when it guessed wrong. User code has no such
 *            fault, so here the counter is a promise, counted down by each switch, and not a guess.
 *   vrsave   context_switch_vrsave (POWER and PowerPC): as full, without v20 to v31 while VRSAVE says that none of
 *            them is in use. Linux sets VRSAVE to all ones when a thread first uses a vector register; emulators and
 *            kernels other than Linux may not.
 *   inline   context_switch_inline (context_inline.h): an inline assembly statement that claims to change every
 *            register (but, on x86-64, AMX's, and those that a function has by a target attribute alone: see there). The
 *            compiler then saves what is alive at this place and nothing else.
 * The first three mix freely: what a frame holds is noted in its context. Contexts of the inline policy are made by
 * context_create_inline and can switch only to each other.
 *
 * With CONTEXT_DEBUG defined, for the library and for what includes this header, each misuse that is listed at the
 * functions stops the program through context_panic, with a message that names it. Without it, misuse is undefined unless
 * stated otherwise.
 */
#ifndef CONTEXT_SWITCH_H
#define CONTEXT_SWITCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct context;

/* What a context runs. message is what the first switch to it brought. To return is to finish: the resumer goes on, with
 * NULL for its message; a context that was never resumed, only switched to, must not return (context_panic). */
typedef void (*context_entry)(struct context *self, void *message);

/* Zero, or CONTEXT_THREAD, for the context that a thread runs in already. The assembly knows the first four offsets. */
struct context {
	void *stack_pointer; /* the saved frame, while it does not run; NULL once finished */
	struct context *resumer; /* who resumed it: where it yields to, and where backtraces go on */
	uint32_t lease; /* switches for which the used policy still keeps floating point and vectors */
	uint32_t kept; /* which optional parts the saved frame holds */
	/* What debug builds check. */
	void *stack;
	size_t stack_bytes;
	uint8_t state, policy;
	context_entry entry;
};

#ifdef __cplusplus
#define CONTEXT_THREAD \
	{ \
	}
#else
#define CONTEXT_THREAD { 0 }
#endif

/* private: */
#if defined(__cplusplus)
#define CONTEXT_NORETURN [[noreturn]]
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define CONTEXT_NORETURN _Noreturn
#else
#define CONTEXT_NORETURN __attribute__((__noreturn__))
#endif
/* public: */

enum context_status {
	CONTEXT_OK,
	CONTEXT_STACK_MISALIGNED, /* the lowest address is no multiple of CONTEXT_STACK_ALIGNMENT */
	CONTEXT_STACK_TOO_SMALL, /* fewer than CONTEXT_STACK_BYTES_MIN bytes */
};

/* Of the stack's lowest address. The size is arbitrary; bytes above the last multiple of this are not used. */
#define CONTEXT_STACK_ALIGNMENT 16
/* A frame of the library, and some calls. A signal handler that runs on the stack needs far more: the kernel's own frame
 * alone is up to 12 KiB on x86-64 with AMX, and 4 KiB on most others. */
#define CONTEXT_STACK_BYTES_MIN 2048

/*
 * Makes a context that runs entry on the stack when it is first switched to, with the creator's control words.
 * Only the top of the stack is written (and, by debug builds, a word at its lowest address). A guard page below it is the
 * caller's task (host/stack.h makes one).
 * Debug builds stop at a misaligned and at a too small stack; others return the status and leave *context alone.
 */
enum context_status context_create(struct context *context, void *stack, size_t stack_bytes, context_entry entry);

/*
 * Leaves `from`, which is running, and goes on with `to`; returns in `from` when something switches to it, with that
 * switch's message. Debug builds stop if from is not the running one (a nested use, for example from a signal handler
 * that interrupted a switch), if to is running or has resumed the one that runs, if to is finished, was never created,
 * or belongs to the inline policy, if from runs on another stack than its own, and if from's stack has been overrun.
 * A switch to a finished context reads a frame at address 0, which faults wherever that page is unmapped.
 *
 * A signal may arrive at any instruction: the stack pointer always has a whole stack under it, and nothing that is needed
 * lies beyond the ABI's red zone. A handler on the normal stack runs on the stack of one context or the other. It must not
 * switch away from a context that it has interrupted in the middle of a switch.
 */
void *context_switch(struct context *from, struct context *to, void *message);
void *context_switch_used(struct context *from, struct context *to, void *message);
#if defined(__powerpc__) || defined(__powerpc64__)
void *context_switch_vrsave(struct context *from, struct context *to, void *message);
#endif

/*
 * The used policy keeps self's floating-point and vector registers and its control words over the next `switches`
 * switches away from it, and with CONTEXT_LEASE_ALWAYS over all. Without a lease each switch loses them, including values
 * that callers further up keep there: lease before any code that may hold such a value over a switch.
 */
#define CONTEXT_LEASE_ALWAYS UINT32_MAX
static inline void context_lease(struct context *self, uint32_t switches)
{
	self->lease = switches;
}

/*
 * Whether the CPU has every register that this build of the library saves, by AT_HWCAP of Linux's auxiliary vector.
 * Debug builds stop if it lacks one, and name it. Only 32-bit and 64-bit PowerPC can lack any: the other ABIs
 * require what they preserve.
 */
bool context_cpu_suffices(unsigned long hwcap);

#ifdef CONTEXT_DEBUG
/* Called with a message without a line end; must not return. The program defines it, or links host/panic.c. */
CONTEXT_NORETURN void context_panic(const char *message);
#endif

/* private: */
#ifdef CONTEXT_DEBUG
void *context_switch_checked(struct context *from, struct context *to, void *message);
void *context_switch_used_checked(struct context *from, struct context *to, void *message);
void *context_switch_vrsave_checked(struct context *from, struct context *to, void *message);
#ifndef CONTEXT_IMPLEMENTATION
#define context_switch context_switch_checked
#define context_switch_used context_switch_used_checked
#define context_switch_vrsave context_switch_vrsave_checked
#endif
/* Stops if self may not resume to: for the function below. */
void context_check_resume(const struct context *self, const struct context *to);
void context_check_yield(const struct context *self);
#else
static inline void context_check_resume(const struct context *self, const struct context *to)
{
	(void)self;
	(void)to;
}
static inline void context_check_yield(const struct context *self)
{
	(void)self;
}
#endif
/* public: */

/*
 * The pair for calls and generators: resume notes who resumed, yield switches back there. A backtrace taken in a resumed
 * context goes on in its resumer, whose frame it reads. So a resumer must outlive what it has resumed: if it finishes or its
 * stack is freed first, the next to go on with `to` must do so by context_resume, which sets the resumer anew; otherwise
 * unwinders, and the checks of debug builds, follow a pointer to nothing. Debug builds also stop if `to` is waiting for a
 * context that it has resumed itself, and if self yields without having been resumed.
 */
static inline void *context_resume(struct context *self, struct context *to, void *message)
{
	context_check_resume(self, to);
	to->resumer = self;
	return context_switch(self, to, message);
}

static inline void *context_yield(struct context *self, void *message)
{
	context_check_yield(self);
	return context_switch(self, self->resumer, message);
}

/*
 * Ends self, which is running, and goes on with `to`. What self saved is gone; its stack and the struct may be used
 * again as soon as `to` runs. What self has resumed and is not finished needs a new resumer, see there. Debug builds stop as
 * for a switch.
 */
CONTEXT_NORETURN void context_finish(struct context *self, struct context *to, void *message);

#ifdef __cplusplus
}
#endif

#endif
