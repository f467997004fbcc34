// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * abi, as vdsotest defines it: each call with invalid arguments, once as a system call and once from the image, each in
 * a process of its own. The system call has to return EFAULT or EINVAL; for a bad pointer code of the image may also be killed
 * by SIGSEGV, as a function of a library would be. 468 cases in all:
 *
 *   clock_gettime, clock_getres   for each of seven clocks 6 cases twice: no pointer, a pointer to nowhere, to memory that cannot
 *                                 be read, to memory that cannot be written, a clock that is none, and such a clock and no pointer
 *   gettimeofday                  5 * 5 pairs of such pointers and a good one, twice
 *   getcpu                        5 * 5 * 5 triples, twice
 */
#include "vdsotest.h"
#include "vdso_read.h"

enum { MAY_SUCCEED = 1, MAY_FAULT = 2, MAY_BE_INVALID = 4, MAY_BE_KILLED = 8 };
enum { STATUS_KILLED = 111, STATUS_CONVENTION = 112, STATUS_OTHER = 113, BOGUS_CLOCK = -1 };
enum { POINTERS = 5 };

/* As the kernel has it, on each of our architectures. */
struct signal_action {
	void (*handler)(int number);
	unsigned long flags;
#if ASSAY_SIGACTION_HAS_RESTORER
	void (*restorer)(void);
#endif
	uint64_t mask;
};

static ASSAY_SIGNAL_HANDLER void killed(int number)
{
	(void)number;
	assay_exit(STATUS_KILLED);
}

static void catch (int number)
{
	struct signal_action action = { .handler = killed };

#if ASSAY_NEEDS_SIGRETURN
	action.flags |= 0x04000000;
	action.restorer = assay_sigreturn;
#endif
	bare_call(ASSAY_SYS_RT_SIGACTION, (uintptr_t)number, (uintptr_t)&action, 0, 8);
}

/* One interface: either a system call or a function of an image. */
struct interface {
	const char *name;
	const char *whose;
	void *function; /* NULL: the system call */
	long number;
	unsigned int cases, right;
	_Bool judged, told;
};

static long call(const struct interface *interface, uintptr_t a, uintptr_t b, uintptr_t c)
{
	if (interface->function)
		return (int)machine_call(interface->function, a, b, c);
	return bare_call(interface->number, a, b, c);
}

static int outcome_of(const struct interface *interface, uintptr_t a, uintptr_t b, uintptr_t c)
{
	long child = bare_fork(), result;

	if (child)
		return bare_wait(child);
	catch (SIGSEGV);
	catch (SIGBUS);
	result = call(interface, a, b, c);
	if (interface->function && machine_convention())
		assay_exit(STATUS_CONVENTION);
	assay_exit(result == 0		    ? 0 :
		   result == -ERROR_FAULT   ? ERROR_FAULT :
		   result == -ERROR_INVALID ? ERROR_INVALID :
					      STATUS_OTHER);
}

static void one_case(struct interface *interface, uintptr_t a, uintptr_t b, uintptr_t c, int allowed)
{
	int status = outcome_of(interface, a, b, c);
	_Bool ok = (status == 0 && allowed & MAY_SUCCEED) || (status == ERROR_FAULT && allowed & MAY_FAULT) ||
		   (status == ERROR_INVALID && allowed & MAY_BE_INVALID) ||
		   ((status == STATUS_KILLED || status == 128 + SIGSEGV) && allowed & MAY_BE_KILLED && interface->function);

	interface->cases++;
	interface->right += ok;
	/* Without a vDSO from the kernel this is an emulator, whose system calls are reported, not judged: QEMU 7.2's clock_getres
	 * returns 0 for a bad pointer. */
	if (!interface->function && !interface->judged) {
		interface->told = 1;
		return;
	}
	bare_expect(ok, "abi %s %s(%lx, %lx, %lx): outcome %d", interface->function ? interface->whose : "system call",
		    interface->name, (unsigned long)a, (unsigned long)b, (unsigned long)c, status);
}

static void finish(const struct interface *interface, const char *clock)
{
	assay_print("abi\t%s\t%s\t%s\t%s\t%u\t%u\n", interface->function ? interface->whose : "system call", interface->name,
		    clock,
		    interface->right == interface->cases ? "ok" :
		    interface->told			 ? "told" :
							   "FAILED",
		    interface->cases, interface->right);
}

/* A good one, none, one to nowhere, memory that cannot be read, memory that cannot be written. */
static uintptr_t pointers[POINTERS];
enum { GOOD, NONE, NOWHERE, FORBIDDEN, READ_ONLY };

static void make_pointers(void)
{
	size_t page = assay_page_bytes();

	pointers[GOOD] = (uintptr_t)bare_map(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	pointers[NONE] = 0;
	pointers[NOWHERE] = UINTPTR_MAX;
	pointers[FORBIDDEN] = (uintptr_t)bare_map(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	pointers[READ_ONLY] = (uintptr_t)bare_map(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

static void clock_cases(struct interface interface, int32_t clock, _Bool getres)
{
	int bad = MAY_FAULT | MAY_BE_KILLED;
	uintptr_t bogus = (uintptr_t)(intptr_t)BOGUS_CLOCK;

	one_case(&interface, (uintptr_t)clock, pointers[NONE], 0, getres ? MAY_SUCCEED : bad);
	one_case(&interface, (uintptr_t)clock, pointers[NOWHERE], 0, bad);
	one_case(&interface, (uintptr_t)clock, pointers[FORBIDDEN], 0, bad);
	one_case(&interface, (uintptr_t)clock, pointers[READ_ONLY], 0, bad);
	one_case(&interface, bogus, pointers[GOOD], 0, MAY_BE_INVALID);
	one_case(&interface, bogus, pointers[NONE], 0, MAY_BE_INVALID | (getres ? 0 : MAY_FAULT));
	finish(&interface, machine_clock_name(clock));
}

/* Bad pointers among good ones and NULL. */
static int expected(int a, int b)
{
	return a > NONE || b > NONE ? MAY_FAULT | MAY_BE_KILLED : MAY_SUCCEED;
}

static void gettimeofday_cases(struct interface interface)
{
	for (int tv = 0; tv < POINTERS; tv++)
		for (int tz = 0; tz < POINTERS; tz++)
			one_case(&interface, pointers[tv], pointers[tz], 0, expected(tv, tz));
	finish(&interface, "");
}

/* The third argument has been ignored since Linux 2.6.24. */
static void getcpu_cases(struct interface interface)
{
	for (int cpu = 0; cpu < POINTERS; cpu++)
		for (int node = 0; node < POINTERS; node++)
			for (int cache = 0; cache < POINTERS; cache++)
				one_case(&interface, pointers[cpu], pointers[node], pointers[cache], expected(cpu, node));
	finish(&interface, "");
}

/* A function of the image, where it has one; the kernel's system call. */
#define BOTH(run, title, entry, call_number, ...) \
	do { \
		run((struct interface){ title, calls->name, NULL, call_number, 0, 0, real_kernel, 0 }, ##__VA_ARGS__); \
		if (calls->entry) \
			run((struct interface){ title, calls->name, calls->entry, 0, 0, 0, 1, 0 }, ##__VA_ARGS__); \
		else \
			bare_skip("abi %s: the image of this architecture does not export it", title); \
	} while (0)

void test_abi(struct machine *machine, const struct vdso_calls *calls)
{
	struct vdso_image image;
	struct vdso_calls kernel;
	_Bool real_kernel = machine_kernel(&kernel, &image);

	(void)machine;
	make_pointers();
	for (unsigned int i = 0; i < 7; i++) {
		BOTH(clock_cases, "clock_gettime", clock_gettime, VDSO_SYS_CLOCK_GETTIME, machine_clocks[i], 0);
		BOTH(clock_cases, "clock_getres", clock_getres, VDSO_SYS_CLOCK_GETRES, machine_clocks[i], 1);
	}
	BOTH(gettimeofday_cases, "gettimeofday", gettimeofday, VDSO_SYS_GETTIMEOFDAY);
	BOTH(getcpu_cases, "getcpu", getcpu, VDSO_SYS_GETCPU);
}
