// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What every architecture shares: making a context, ending it, and, in debug builds, the checks.
 *
 * arch/ARCH.S has the switches, context_start (the bottom of a context's stack) and three small helpers; arch/ARCH.h has
 * the frame that a switch saves, so that a new context can be given one.
 */
#define CONTEXT_IMPLEMENTATION
#include "context_inline.h"

void context_start(void);
void context_start_inline(void);
void context_store_control(void *frame);
_Noreturn void context_resume_at(struct context *to, void *message);
_Noreturn void context_returned(struct context *self);

#if defined(__ILP32__) && (defined(__x86_64__) || defined(__aarch64__))
#error "context_switch has no assembly for 32-bit pointers on a 64-bit architecture"
#elif defined(__x86_64__)
#include "arch/x86_64.h"
#elif defined(__powerpc64__)
#include "arch/power64.h"
#elif defined(__powerpc__)
#include "arch/powerpc.h"
#elif defined(__aarch64__)
#include "arch/aarch64.h"
#elif defined(__riscv) && __riscv_xlen == 64
#include "arch/riscv64.h"
#elif defined(__loongarch__) && __loongarch_grlen == 64 && __loongarch_frlen == 64
#include "arch/loongarch64.h"
#else
#error "context_switch has no assembly for this architecture"
#endif

_Static_assert(offsetof(struct context, resumer) == sizeof(void *), "arch/*.S knows it");
_Static_assert(offsetof(struct context, lease) == 2 * sizeof(void *), "arch/*.S knows it");
_Static_assert(offsetof(struct context, kept) == 2 * sizeof(void *) + 4, "arch/*.S knows it");

/* Where backtraces end: a frame of zeros, so a return address of 0. It is the resumer of contexts that were never resumed. */
static struct {
	_Alignas(16) unsigned char frame[sizeof(struct context_frame) + CONTEXT_HEAD_BYTES];
} bottom_stack;
static struct context context_bottom = { .stack_pointer = &bottom_stack };

enum state { STATE_NONE, STATE_NEW, STATE_SUSPENDED, STATE_RUNNING, STATE_SWITCHING, STATE_FINISHED };
enum policy { POLICY_FRAME, POLICY_INLINE };

#ifdef CONTEXT_DEBUG

/* At the lowest address of every stack: what an overrun destroys first. */
#define CANARY UINT64_C(0xc0de57ac4ca9a217)

static void plant_canary(struct context *context)
{
	*(uint64_t *)context->stack = CANARY;
}

static void stop_if(bool wrong, const char *message)
{
	if (wrong)
		context_panic(message);
}

/* CONTEXT_THREAD becomes a running context when it is first used. */
static void adopt(struct context *context)
{
	if (context->state == STATE_NONE && !context->stack)
		context->state = STATE_RUNNING;
}

static void check_leaving(struct context *from)
{
	/* Not the address of a variable, which AddressSanitizer may have put on a stack of its own. */
	uintptr_t at = (uintptr_t)__builtin_frame_address(0), low = (uintptr_t)from->stack;

	adopt(from);
	stop_if(from->state == STATE_SWITCHING,
		"context_switch: nested use: a switch away from this context was interrupted and is not complete");
	stop_if(from->state != STATE_RUNNING, "context_switch: the context to leave is not the running one");
	if (!from->stack)
		return;
	stop_if(at < low || at >= low + from->stack_bytes,
		"context_switch: the context to leave does not run on its own stack");
	stop_if(*(uint64_t *)from->stack != CANARY, "context_switch: the stack of the context to leave has been overrun");
}

static void check_entering(const struct context *from, const struct context *to, enum policy policy)
{
	stop_if(from == to, "context_switch: recursive use: a switch from a context to itself");
	stop_if(to->state == STATE_FINISHED, "context_switch: the context to go on with is finished");
	stop_if(to->state == STATE_NONE, "context_switch: the context to go on with was never created");
	stop_if(to->state == STATE_RUNNING, "context_switch: the context to go on with is running");
	stop_if(to->state == STATE_SWITCHING, "context_switch: the context to go on with is in the middle of a switch");
	stop_if(to->policy != policy,
		to->policy == POLICY_INLINE ?
			"context_switch: the context to go on with belongs to context_switch_inline" :
			"context_switch_inline: the context to go on with was not made or left by the inline policy");
	stop_if(to->stack && *(uint64_t *)to->stack != CANARY,
		"context_switch: the stack of the context to go on with has been overrun");
}

typedef void *switch_function(struct context *from, struct context *to, void *message);

/* The context that goes on runs the two lines after the call: it is running again, and the one that switched is suspended. */
static void *switch_checked(struct context *from, struct context *to, void *message, switch_function *raw)
{
	check_leaving(from);
	from->state = STATE_SWITCHING;
	check_entering(from, to, POLICY_FRAME);
	from->policy = POLICY_FRAME;
	from->state = STATE_SUSPENDED;
	to->state = STATE_RUNNING;
	return raw(from, to, message);
}

void *context_switch_checked(struct context *from, struct context *to, void *message)
{
	return switch_checked(from, to, message, context_switch);
}

void *context_switch_used_checked(struct context *from, struct context *to, void *message)
{
	return switch_checked(from, to, message, context_switch_used);
}

#ifdef __powerpc__
void *context_switch_vrsave_checked(struct context *from, struct context *to, void *message)
{
	return switch_checked(from, to, message, context_switch_vrsave);
}
#endif

void context_check_resume(const struct context *self, const struct context *to)
{
	for (const struct context *waiting = self; waiting && waiting != &context_bottom; waiting = waiting->resumer)
		stop_if(waiting == to, "context_resume: recursive use: the context waits for one that it has resumed");
}

void context_check_yield(const struct context *self)
{
	stop_if(!self->resumer || self->resumer == &context_bottom, "context_yield: nobody has resumed this context");
}

void context_check_inline(struct context *from, struct context *to)
{
	check_leaving(from);
	from->state = STATE_SWITCHING;
	check_entering(from, to, POLICY_INLINE);
	from->policy = POLICY_INLINE;
	from->state = STATE_SUSPENDED;
	to->state = STATE_RUNNING;
}

void context_check_finish_inline(struct context *self, struct context *to)
{
	context_check_inline(self, to);
	self->state = STATE_FINISHED;
}

static void check_finishing(struct context *self, struct context *to)
{
	check_leaving(self);
	check_entering(self, to, POLICY_FRAME);
	to->state = STATE_RUNNING;
}

static void check_stack(enum context_status status)
{
	stop_if(status == CONTEXT_STACK_MISALIGNED, "context_create: the stack is no multiple of 16");
	stop_if(status == CONTEXT_STACK_TOO_SMALL, "context_create: the stack has fewer than 2048 bytes");
}

#else

static void plant_canary(struct context *context)
{
	(void)context;
}

static void check_finishing(struct context *self, struct context *to)
{
	(void)self;
	(void)to;
}

static void check_stack(enum context_status status)
{
	(void)status;
}

static _Noreturn void context_panic(const char *message)
{
	(void)message;
	__builtin_trap();
}

#endif

static enum context_status stack_status(const void *stack, size_t bytes)
{
	if ((uintptr_t)stack % CONTEXT_STACK_ALIGNMENT != 0)
		return CONTEXT_STACK_MISALIGNED;
	return bytes < CONTEXT_STACK_BYTES_MIN ? CONTEXT_STACK_TOO_SMALL : CONTEXT_OK;
}

enum context_status context_create(struct context *context, void *stack, size_t stack_bytes, context_entry entry)
{
	enum context_status status = stack_status(stack, stack_bytes);
	uintptr_t top = ((uintptr_t)stack + stack_bytes) & ~(uintptr_t)(CONTEXT_STACK_ALIGNMENT - 1);
	struct context_frame *frame = (struct context_frame *)(top - CONTEXT_HEAD_BYTES) - 1;

	check_stack(status);
	if (status != CONTEXT_OK)
		return status;
	for (unsigned char *byte = (unsigned char *)frame; byte < (unsigned char *)top; byte++)
		*(volatile unsigned char *)byte = 0;
	context_frame_new(frame, context, entry);
	context_store_control(frame);
	*context = (struct context){
		.stack_pointer = frame,
		.resumer = &context_bottom,
		.kept = CONTEXT_KEPT_ALL,
		.stack = stack,
		.stack_bytes = stack_bytes,
		.state = STATE_NEW,
		.policy = POLICY_FRAME,
		.entry = entry,
	};
	plant_canary(context);
	return CONTEXT_OK;
}

enum context_status context_create_inline(struct context *context, void *stack, size_t stack_bytes, context_entry entry)
{
	enum context_status status = context_create(context, stack, stack_bytes, entry);
	struct context_frame *frame;
	struct context_inline_frame *inline_frame;

	if (status != CONTEXT_OK)
		return status;
	/* The first switch pops this frame; the other one lies under it, where context_start_inline takes it. */
	frame = context->stack_pointer;
	inline_frame = (struct context_inline_frame *)frame - 1;
	for (unsigned char *byte = (unsigned char *)inline_frame; byte < (unsigned char *)frame; byte++)
		*(volatile unsigned char *)byte = 0;
	context_inline_frame_new(inline_frame, frame);
	context->stack_pointer = inline_frame;
	context->policy = POLICY_INLINE;
	return CONTEXT_OK;
}

void context_finish(struct context *self, struct context *to, void *message)
{
	check_finishing(self, to);
	self->stack_pointer = NULL;
	self->state = STATE_FINISHED;
	context_resume_at(to, message);
}

/* What context_start calls when the entry has returned. */
void context_returned(struct context *self)
{
	if (self->resumer == &context_bottom)
		context_panic("a context's entry has returned, and nobody had resumed it");
	context_finish(self, self->resumer, NULL);
}

/* Architectures where a build may save registers that a CPU lacks define their own rule. */
#ifndef CONTEXT_CPU_LACKS
#define CONTEXT_CPU_LACKS(hwcap) ((void)(hwcap), (const char *)NULL)
#endif

bool context_cpu_suffices(unsigned long hwcap)
{
	const char *lacks = CONTEXT_CPU_LACKS(hwcap);

#ifdef CONTEXT_DEBUG
	if (lacks)
		context_panic(lacks);
#endif
	return !lacks;
}
