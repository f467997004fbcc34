/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checked call: what is the same on every architecture. arch/<arch>/call.S loads and stores registers;
 * here the values are chosen and compared, and the stack that the callee runs on is prepared and inspected.
 */
#include "internal.h"

/* Bytes of the caller's frame that are watched, above what the ABI lends to the callee. */
enum { FRAME_GUARD_BYTES = 512, STACK_BYTES = 1 << 17 };

/*
 * Two records with opposite patterns, used in turn. Comparing a record leaves pieces of its pattern in
 * registers that a call may change, and a variant that copies one of those into a register that it must not
 * change might go unnoticed. So the pieces that are left when a record is used are the other one's.
 */
static struct assay_call_record records[2];
static struct assay_call_record *record = &records[0];
static struct assay_region stack;

static const struct assay_saved_register saved_registers[] = { ASSAY_SAVED_REGISTERS };

enum { SAVED_COUNT = sizeof(saved_registers) / sizeof(saved_registers[0]) };

#ifdef ASSAY_LINK_RETURN
/* In call.S, where the call under test returns to. */

/* Checks the words that are lent to the callee: the back chain unchanged, LR's word unchanged or holding LR. */
static void check_link(void)
{
	unsigned char *link = (unsigned char *)record->stack;
	uintptr_t chain, saved;

	memcpy(&chain, link, sizeof(chain));
	memcpy(&saved, link + ASSAY_LINK_RETURN, sizeof(saved));
	if (chain != 0)
		assay_fail("clobbered its caller's back chain: 0x%lx", (unsigned long)chain);
	if (saved != (uintptr_t)assay_call_returned)
		assay_canary_check(link + ASSAY_LINK_RETURN, link + ASSAY_LINK_RETURN + sizeof(saved),
				   "what is not the return address into its caller's LR save word");
	assay_canary_check(link + ASSAY_LINK_OWN, link + ASSAY_LINK_BYTES,
			   "into its caller's frame header, behind the LR save word");
}
#else
static void check_link(void)
{
}
#endif

static void check_frame(void)
{
	long moved = (long)(record->returned_stack - record->stack);

	if (moved != 0)
		assay_fail("clobbered the stack pointer: it came back %ld bytes off", moved);
	check_link();
	assay_canary_check((unsigned char *)record->stack + ASSAY_LINK_BYTES, stack.end, "into its caller's stack frame");
}

static _Noreturn void fail_register(void)
{
	const unsigned char *before = record->before, *after = record->after;

	for (unsigned int i = 0; i < SAVED_COUNT; i++) {
		const struct assay_saved_register *saved = &saved_registers[i];
		bool present = (saved->needs & ~record->features) == 0;

		if (present && memcmp(before, after, saved->bytes) != 0)
			assay_fail("clobbered callee-saved register %s", saved->name);
		before += saved->bytes;
		after += saved->bytes;
	}
	assay_die("the runner's table of saved registers is shorter than its call.S");
}

static uint64_t calls_count, wanted_call;
static const char *wanted_token;

void assay_call_wanted(uint64_t call, const char *token)
{
	wanted_call = call;
	wanted_token = token;
}

void assay_call_reached(void)
{
	if (wanted_call > calls_count)
		assay_print("calls %llu %s\n", (unsigned long long)calls_count, wanted_token);
}

/* A debugger's breakpoint: the next call is the one that was asked for. */
void assay_wanted_call_follows(void);
__attribute__((noinline)) void assay_wanted_call_follows(void)
{
	__asm__ volatile("" ::: "memory");
}

/* The first bytes at the address of an argument that is a pointer. */
static void describe_argument(unsigned int index, uintptr_t value)
{
	struct assay_text text = { .used = 0 };
	long from_start;
	size_t bytes = assay_bytes_at(value, &from_start);
	const unsigned char *at = (const unsigned char *)value;

	if (bytes == 0)
		return;
	assay_text_add(&text, "detail: argument %u: byte %ld of %lu between two guard pages:", index + 1, from_start,
		       (unsigned long)(from_start + (long)bytes));
	for (size_t i = 0; i < bytes && i < 16; i++)
		assay_text_add(&text, " %02x", at[i]);
	assay_text_add(&text, "\n");
	assay_text_write(1, &text);
}

static void describe_last(void)
{
	if (calls_count == 0)
		return;
	assay_print("detail: call %llu of the check, seed %llu\n", (unsigned long long)calls_count,
		    (unsigned long long)assay_random_seeded());
	for (unsigned int i = 0; i < 8; i++)
		describe_argument(i, record->arguments[i]);
}

static void prepare_once(void)
{
	if (stack.start)
		return;
	stack = assay_region_new(STACK_BYTES);
	assay_describe_last_with(describe_last);
	assay_canary_fill(stack.end - FRAME_GUARD_BYTES, stack.end);
	for (unsigned int turn = 0; turn < 2; turn++) {
		struct assay_call_record *each = &records[turn];

		each->features = assay_arch_features();
		/* Not the usual mode, so that what resets it is found; two, so that no fixed one is the right one twice. */
		each->rounding = turn + 1;
		each->stack = (uintptr_t)stack.end - FRAME_GUARD_BYTES - ASSAY_LINK_BYTES;
		for (size_t i = 0; i < sizeof(each->before); i++)
			each->before[i] = (unsigned char)(0xa1 + 0x3b * i + (i >> 8)) ^ (turn ? 0xff : 0);
		/* Registers that this processor lacks are never stored, and stay equal. */
		memcpy(each->after, each->before, sizeof(each->before));
	}
}

uintptr_t assay_call_words(void (*function)(void), const uintptr_t arguments[8])
{
	if (wanted_call && calls_count == wanted_call)
		assay_checked(wanted_token);
	if (++calls_count == wanted_call)
		assay_wanted_call_follows();
	prepare_once();
	record = record == &records[0] ? &records[1] : &records[0];
	record->function = function;
	assay_canary_fill((unsigned char *)record->stack, (unsigned char *)record->stack + ASSAY_LINK_BYTES);
	for (unsigned int i = 0; i < 8; i++)
		record->arguments[i] = arguments[i];
	assay_call_registers(record);
	check_frame();
	if (memcmp(record->before, record->after, sizeof(record->before)) != 0)
		fail_register();
	return record->results[0];
}

uintptr_t assay_call_second(void)
{
	return record->results[1];
}

/* ------------------------------------------------------------------ narrow arguments and results */

uintptr_t assay_u32(uint32_t value)
{
#if ASSAY_NARROW == ASSAY_NARROW_RUBBISH
	return value | (uintptr_t)0xdeadbeef00000000u;
#elif ASSAY_NARROW == ASSAY_NARROW_SIGN
	return (uintptr_t)(intptr_t)(int32_t)value;
#else
	return value;
#endif
}

uintptr_t assay_s32(int32_t value)
{
#if ASSAY_NARROW == ASSAY_NARROW_RUBBISH
	return assay_u32((uint32_t)value);
#else
	return (uintptr_t)(intptr_t)value;
#endif
}

uintptr_t assay_u16(uint16_t value)
{
	/* clang and gcc callers extend 16 bits to 32 on x86-64 although the ABI does not say so; only the upper
	 * half holds a pattern there. On AArch64 all bits above the 16th are unspecified, because C callees mask them. */
	return assay_u32(value);
}

uint32_t assay_returned_u32(uintptr_t word)
{
#if ASSAY_NARROW == ASSAY_NARROW_SIGN
	if (word != (uintptr_t)(intptr_t)(int32_t)word)
		assay_fail("returned 0x%lx: the ABI wants a 32-bit result sign-extended", (unsigned long)word);
#elif ASSAY_NARROW == ASSAY_NARROW_TYPE
	if (word != (uint32_t)word)
		assay_fail("returned 0x%lx: the ABI wants an unsigned result zero-extended", (unsigned long)word);
#endif
	return (uint32_t)word;
}

uint16_t assay_returned_u16(uintptr_t word)
{
#if ASSAY_NARROW != ASSAY_NARROW_RUBBISH
	if (word != (uint16_t)word)
		assay_fail("returned 0x%lx: the ABI wants an unsigned result zero-extended", (unsigned long)word);
#endif
	return (uint16_t)word;
}
