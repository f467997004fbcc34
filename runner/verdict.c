/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A run's verdict: the current case, the count of cases that held, failures, crashes, and what never ends. */
#include "internal.h"

static struct {
	const char *format;
	uintptr_t words[6];
} current_case = { .format = "none yet" };

static uint64_t passed_count;

static void watchdog_arm(void);

static void (*describe_last)(void);

void assay_describe_last_with(void (*describe)(void))
{
	describe_last = describe;
}

void assay_case_words(const char *format, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f)
{
	current_case.format = format;
	current_case.words[0] = a;
	current_case.words[1] = b;
	current_case.words[2] = c;
	current_case.words[3] = d;
	current_case.words[4] = e;
	current_case.words[5] = f;
	/* A crash reads this from a signal handler: the stores must not sink below the call under test. */
	__asm__ volatile("" ::: "memory");
}

/* The words are passed one by one: a conversion without a length takes a word here, not an int. */
void assay_case_add(struct assay_text *text)
{
	const uintptr_t *word = current_case.words;
	const uintptr_t *end = word + 6;
	char piece[3] = "%?";

	for (const char *at = current_case.format; *at; at++) {
		if (*at != '%' || !at[1] || word == end) {
			assay_text_add(text, "%c", *at);
			continue;
		}
		piece[1] = *++at;
		if (piece[1] == 's')
			assay_text_add(text, "%s", (const char *)*word++);
		else if (piece[1] == 'x')
			assay_text_add(text, "%lx", (unsigned long)*word++);
		else if (piece[1] == 'd')
			assay_text_add(text, "%ld", (long)*word++);
		else
			assay_text_add(text, "%lu", (unsigned long)*word++);
	}
}

void assay_passed(void)
{
	passed_count++;
	/* Not at every call, because arming is a system call. */
	if (passed_count % 64 == 0)
		watchdog_arm();
}

void assay_checked(const char *token)
{
	assay_print("checked %llu %s\n", (unsigned long long)passed_count, token);
	assay_exit(EXIT_FINE);
}

void assay_fail(const char *format, ...)
{
	struct assay_text text = { .used = 0 };
	va_list list;

	assay_text_add(&text, "failure: ");
	va_start(list, format);
	assay_text_add_list(&text, format, list);
	va_end(list);
	assay_text_add(&text, ", case ");
	assay_case_add(&text);
	assay_text_add(&text, "\n");
	assay_text_write(1, &text);
	if (describe_last)
		describe_last();
	assay_exit(EXIT_FAILED);
}

/* ------------------------------------------------------------------ crashes */

enum { SIGNAL_ILL = 4, SIGNAL_TRAP = 5, SIGNAL_BUS = 7, SIGNAL_FPE = 8, SIGNAL_SEGV = 11, SIGNAL_PROF = 27 };
enum { FLAG_SIGINFO = 4, FLAG_ON_STACK = 0x08000000, FLAG_RESTORER = 0x04000000 };

/* siginfo: three ints, then (after padding to a word) the address. */
struct signal_info {
	int number, error, code;
	void *address;
};

struct signal_action {
	void (*handler)(int, struct signal_info *, void *);
	unsigned long flags;
#if ASSAY_SIGACTION_HAS_RESTORER
	void (*restorer)(void);
#endif
	uint64_t mask;
};

struct signal_stack {
	void *start;
	int flags;
	size_t bytes;
};

static const char *signal_name(int number)
{
	switch (number) {
	case SIGNAL_ILL:
		return "SIGILL";
	case SIGNAL_TRAP:
		return "SIGTRAP";
	case SIGNAL_BUS:
		return "SIGBUS";
	case SIGNAL_FPE:
		return "SIGFPE";
	default:
		return "SIGSEGV";
	}
}

/*
 * Kernel code that may fault names the instruction and where to go on instead, in a section of this name
 * (EX_TABLE in runner/compat); our own variants have none, and then the linker makes both symbols null.
 */
struct exception_entry {
	uintptr_t instruction, fixup;
};
extern const struct exception_entry __start___ex_table[] __attribute__((weak));
extern const struct exception_entry __stop___ex_table[] __attribute__((weak));

bool assay_survives_faults(void)
{
	return &__start___ex_table[0] != &__stop___ex_table[0];
}

/* Moves the program counter of a faulting instruction to its fixup, if it has one. */
static bool fixed_up(uintptr_t *pc)
{
	for (const struct exception_entry *entry = __start___ex_table; entry < __stop___ex_table; entry++) {
		if (entry->instruction == *pc) {
			*pc = entry->fixup;
			return true;
		}
	}
	return false;
}

ASSAY_SIGNAL_HANDLER static void crashed(int number, struct signal_info *info, void *context)
{
	struct assay_text text = { .used = 0 };
	long at;

	if ((number == SIGNAL_SEGV || number == SIGNAL_BUS) && fixed_up(assay_context_pc(context)))
		return;
	if (number == SIGNAL_SEGV && assay_read_only_at(info->address, &at))
		assay_fail("wrote into its input: byte %ld of the memory that holds it", at);
	assay_text_add(&text, "crash: %s at 0x%lx, case ", signal_name(number), (unsigned long)info->address);
	assay_case_add(&text);
	assay_text_add(&text, "\n");
	assay_text_write(1, &text);
	if (describe_last)
		describe_last();
	assay_exit(EXIT_CRASHED);
}

static void catch (int number, void (*handler)(int, struct signal_info *, void *))
{
	struct signal_action action = { .handler = handler, .flags = FLAG_SIGINFO | FLAG_ON_STACK };

#if ASSAY_NEEDS_SIGRETURN
	action.flags |= FLAG_RESTORER;
	action.restorer = assay_sigreturn;
#endif
	if (assay_syscall(ASSAY_SYS_RT_SIGACTION, (uintptr_t)number, (uintptr_t)&action, 0, 8, 0, 0) != 0)
		assay_die("rt_sigaction failed for signal %d", number);
}

/* The handler gets a stack of its own: a variant may have lost the stack pointer. */
void assay_crash_handler_install(void)
{
	static const int caught[] = { SIGNAL_ILL, SIGNAL_TRAP, SIGNAL_BUS, SIGNAL_FPE, SIGNAL_SEGV };
	static const size_t stack_bytes = 1 << 18;
	struct signal_stack stack = { .start = assay_pages(stack_bytes), .bytes = stack_bytes };

	if (assay_syscall(ASSAY_SYS_SIGALTSTACK, (uintptr_t)&stack, 0, 0, 0, 0, 0) != 0)
		assay_die("sigaltstack failed");
	for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
		catch (caught[i], crashed);
}

/* ------------------------------------------------------------------ what never ends */

/* Of processor time, not of the clock: a loaded machine must not fail a variant. No check's step takes a second. */
enum { ENDLESS_SECONDS = 3, TIMER_PROFILE = 2 };

struct interval_timer {
	struct {
		long seconds, microseconds;
	} interval, value;
};

ASSAY_SIGNAL_HANDLER static void endless(int number, struct signal_info *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	assay_fail("nothing came back in %d s of processor time: an endless loop?", ENDLESS_SECONDS);
}

static void watchdog_arm(void)
{
	struct interval_timer timer = { .value.seconds = ENDLESS_SECONDS };

	if (assay_syscall(ASSAY_SYS_SETITIMER, TIMER_PROFILE, (uintptr_t)&timer, 0, 0, 0, 0) != 0)
		assay_die("setitimer failed");
}

void assay_watchdog_start(void)
{
	catch (SIGNAL_PROF, endless);
	watchdog_arm();
}
