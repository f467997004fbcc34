// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// Signals that end the program, in user mode. None may end QEMU before the trace is written.
//
// Two kinds of QEMU have to be met. Up to 9.0 QEMU catches every signal that could end the program, and ends itself in
// order, by libc's kill(). From 9.1 on it catches only those that dump core; the others, SIGINT and SIGTERM among them, end
// the process without a callback (linux-user/signal.c). Preloaded, the plugin stands in front of libc for both: it sees
// kill(), and where QEMU leaves such a signal to the kernel it has a handler of its own.
//
// A handler may interrupt anything, so it only wakes a thread that waits for it. That thread has the trace finished by
// the recorded one, at its next block, and then lets the signal do what it was sent for.

#define _GNU_SOURCE
#include "tracer.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

// ---- The end by a signal ----------------------------------------------------------------------------------------

// Why the program is about to end with its threads running.
static _Atomic(const char *) reason_to_end;

// A second signal would end the process in the middle of writing.
static void finish_undisturbed(void (*finish)(const char *, enum leave_how))
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	finish(atomic_load(&reason_to_end), LEAVE_EXIT);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void signals_finish_among_running(const char *reason)
{
	atomic_store(&reason_to_end, reason);
	finish_undisturbed(trace_finish_among_running);
}

void signals_answer(void)
{
	finish_undisturbed(trace_finish);
}

// QEMU ends itself by this function; a kill by the guest is a plain system call.
EXPORT int kill(pid_t process, int number)
{
	bool stops = number == 0 || number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU ||
		     number == SIGCONT;

	if (process == getpid() && target && !stops)
		signals_finish_among_running("signal");
	return (int)syscall(SYS_kill, process, number);
}

// ---- Signals that QEMU leaves to the kernel ---------------------------------------------------------------------

static sem_t caught;
static atomic_int caught_number;
static bool watching;

static int sigaction_of_libc(int number, const struct sigaction *action, struct sigaction *before)
{
	// libc's own name for it, which needs no look-up by dlsym in a handler.
	extern int __sigaction(int, const struct sigaction *, struct sigaction *);

	return __sigaction(number, action, before);
}

// Of those that end a program, the ones that dump no core.
static bool ends_the_program(int number)
{
	switch (number) {
	case SIGHUP:
	case SIGINT:
	case SIGPIPE:
	case SIGALRM:
	case SIGTERM:
	case SIGUSR1:
	case SIGUSR2:
	case SIGPOLL:
	case SIGPROF:
	case SIGVTALRM:
	case SIGSTKFLT:
	case SIGPWR:
		return true;
	}
	return number >= SIGRTMIN && number <= SIGRTMAX;
}

static void die_of(int number)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t only;

	sigaction_of_libc(number, &action, NULL);
	sigemptyset(&only);
	sigaddset(&only, number);
	pthread_sigmask(SIG_UNBLOCK, &only, NULL);
	syscall(SYS_kill, getpid(), number);
}

// The interrupted thread may hold a lock that the recorded one needs, so it does not stand still for ever.
static void on_signal(int number)
{
	int saved = errno, none = 0;
	struct timespec while_writing = { 2, 0 };

	if (trace_finished) {
		die_of(number);
	} else if (atomic_compare_exchange_strong(&caught_number, &none, number)) {
		sem_post(&caught);
	}
	if (!region_thread_is_recorded() || record_is_parked())
		nanosleep(&while_writing, NULL);
	errno = saved;
}

static void *wait_for_signals(void *nothing)
{
	(void)nothing;
	while (sem_wait(&caught))
		;
	signals_finish_among_running("signal");
	die_of(atomic_load(&caught_number));
	return NULL;
}

static bool is_ours(const struct sigaction *action)
{
	return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == on_signal;
}

static void catch_instead_of_default(int number)
{
	struct sigaction ours = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	sigfillset(&ours.sa_mask);
	sigaction_of_libc(number, &ours, NULL);
}

// QEMU asks for the default: it gets the handler, and is told that it has the default.
EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
	bool left = watching && !trace_finished && ends_the_program(number);
	int result = sigaction_of_libc(number, action, before);

	if (!result && before && is_ours(before))
		before->sa_handler = SIG_DFL;
	if (!result && left && action && !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL)
		catch_instead_of_default(number);
	return result;
}

// QEMU is about to deliver signals to the calling thread, which is between two blocks: QEMU blocks all signals first.
EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	if (target)
		region_signals();
	int problem = pthread_sigmask(how, set, old);

	if (problem)
		errno = problem;
	return problem ? -1 : 0;
}

// ---- Preloading -------------------------------------------------------------------------------------------------

static bool preloaded;

// The guest's programs must not preload this plugin: they get the user's LD_PRELOAD, which ASSAY_PRELOAD keeps.
__attribute__((constructor)) static void restore_preload(void)
{
	const char *users = getenv("ASSAY_PRELOAD");

	if (!users)
		return;
	preloaded = true;
	if (*users)
		setenv("LD_PRELOAD", users, 1);
	else
		unsetenv("LD_PRELOAD");
	unsetenv("ASSAY_PRELOAD");
}

void signals_watch(void)
{
	sigset_t all, before;
	pthread_t thread;

	if (!preloaded)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before); // the new thread blocks all of them
	if (sem_init(&caught, 0, 0) || pthread_create(&thread, NULL, wait_for_signals, NULL))
		tracer_fatal("no thread can be made");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	watching = true;
	for (int number = 1; number <= SIGRTMAX; number++) {
		struct sigaction now;

		if (ends_the_program(number) && !sigaction_of_libc(number, NULL, &now) && now.sa_handler == SIG_DFL)
			catch_instead_of_default(number);
	}
}
