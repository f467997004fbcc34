/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the runner's own files share and a hot path's test does not see. */
#ifndef ASSAY_INTERNAL_H
#define ASSAY_INTERNAL_H

#include "standalone.h"

/* A word at any address; the compiler accesses it by bytes where the hardware requires that. */
typedef uintptr_t __attribute__((may_alias, aligned(1))) any_word;

void assay_case_add(struct assay_text *text);

/* Prints how many cases held, with the caller's token, and ends the run. */
_Noreturn void assay_checked(const char *token);

/* Makes the run end after this checked call, counted from 1, if that held. */
void assay_call_wanted(uint64_t call, const char *token);
/* The check has ended: if that was before the wanted call, `calls N TOKEN` tells how many there were. */
void assay_call_reached(void);

/* The last checked call, for a failure's report, so that it can be repeated. */
void assay_describe_last_with(void (*describe)(void));

void assay_random_seed(uint64_t seed);
uint64_t assay_random_seeded(void);

/* Whether an address is in a region that may only be read, and how far from its start. */
bool assay_read_only_at(const void *address, long *at);

/* The readable bytes from an address to the end of its region; 0 if it is in none, or if pages are forbidden now. */
size_t assay_bytes_at(uintptr_t address, long *from_start);

void assay_crash_handler_install(void);

/* From now on, a check that makes no progress for some seconds of processor time is a failure. */
void assay_watchdog_start(void);

/* Allocates zeroed memory without guard pages. */
void *assay_pages(size_t bytes);

int assay_time(uint64_t iterations, uint64_t samples);

/* ------------------------------------------------------------------ the checked call's record */

/*
 * One call: what arch/<arch>/call.S reads and writes. All offsets follow from the word size W:
 * function 0, arguments W, results 9W, stack 11W, returned_stack 12W, own_stack 13W, features 14W,
 * rounding 15W, before 16W, after 16W + ASSAY_SAVED_BYTES.
 */
struct assay_call_record {
	void (*function)(void);
	uintptr_t arguments[8];
	uintptr_t results[2];
	uintptr_t stack; /* the stack pointer to call with */
	uintptr_t returned_stack; /* the stack pointer on return */
	uintptr_t own_stack; /* the caller's own, kept here because no register can be trusted */
	uintptr_t features; /* which register files this processor has: ASSAY_HAS_* */
	/* 1 or 2: the rounding mode to call with, in the architecture's own numbers, of which 0 is to nearest */
	uintptr_t rounding;
	unsigned char before[ASSAY_SAVED_BYTES];
	unsigned char after[ASSAY_SAVED_BYTES];
} __attribute__((aligned(16)));

enum { ASSAY_HAS_FPU = 1, ASSAY_HAS_VECTOR = 2 };

void assay_call_registers(struct assay_call_record *record);

/* One register that a callee must preserve, in the order in which call.S stores them. */
struct assay_saved_register {
	const char *name;
	unsigned char bytes;
	unsigned char needs; /* ASSAY_HAS_* bits, or 0 */
};

#endif
