// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Ends a run early without leaving files or processes behind: on Ctrl-C and similar signals, when standard output
//! cannot be written, and on a panic.

use crate::limits;
use lab::cache::Workspace;
use lab::process::{hand_on, stop_all};
use lab::Problem;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::OnceLock;

/// The workspace that is tidied up; known as soon as the checkout is found.
static WORKSPACE: OnceLock<Workspace> = OnceLock::new();

/// The signals that users and their tools end programs with.
const SIGNALS: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// Starts a thread that waits for the signals that end us. To be called before any other thread is started, so that all
/// threads block them.
///
/// A thread, because a signal handler may neither take a lock nor allocate memory.
pub fn watch() {
    let mut awaited = std::mem::MaybeUninit::uninit();
    // SAFETY: the set is initialised by sigemptyset before anything reads it. Signals that our parent has us ignore
    // (`nohup`, a shell's background job) stay ignored. `lab::process` gives programs that we start an empty mask.
    let awaited = unsafe {
        libc::sigemptyset(awaited.as_mut_ptr());
        for signal in SIGNALS {
            let mut action = std::mem::MaybeUninit::<libc::sigaction>::uninit();
            if libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
                && action.assume_init().sa_sigaction != libc::SIG_IGN
            {
                libc::sigaddset(awaited.as_mut_ptr(), signal);
            }
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, awaited.as_ptr(), std::ptr::null_mut());
        awaited.assume_init()
    };
    std::thread::spawn(move || loop {
        let mut signal = 0;
        // SAFETY: both point to locals. sigwait fails only if the set has an invalid signal number.
        while unsafe { libc::sigwait(&awaited, &mut signal) } != 0 {}
        // The first signal goes to the program that is being recorded, if there is one, so that its recording is kept;
        // a second signal ends us at once.
        let first = ASKED_BY.swap(signal, Ordering::SeqCst) == 0;
        if !(first && hand_on(signal)) {
            end_by(signal);
        }
    });
}

/// The last signal received; 0 if none was.
static ASKED_BY: AtomicI32 = AtomicI32::new(0);

/// Whether the user interrupted the recording.
pub fn was_asked() -> bool {
    ASKED_BY.load(Ordering::SeqCst) != 0
}

/// Ends us by the signal that was passed to the recorded program, if there was one.
pub fn end_if_asked() {
    let signal = ASKED_BY.load(Ordering::SeqCst);
    if signal != 0 {
        let _stopped = tidy_up();
        raise(signal);
    }
}

/// Sets the workspace that is tidied up from now on.
pub fn tidies(workspace: &Workspace) {
    // Set once: there is one workspace in a run.
    let _ = WORKSPACE.set(workspace.clone());
}

fn end_by(signal: libc::c_int) -> ! {
    // Held until we end, so that no thread starts another program or makes another file.
    let _stopped = tidy_up();
    eprintln!(
        "assay: interrupted; what was finished is kept in the cache, so the next run goes on from here"
    );
    raise(signal)
}

fn raise(signal: libc::c_int) -> ! {
    // SAFETY: system calls on integers. The shell has to see that a signal ended us: a loop in a script would go on
    // otherwise.
    unsafe {
        let mut only = std::mem::MaybeUninit::uninit();
        libc::sigemptyset(only.as_mut_ptr());
        libc::sigaddset(only.as_mut_ptr(), signal);
        libc::signal(signal, libc::SIG_DFL);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, only.as_ptr(), std::ptr::null_mut());
        libc::raise(signal);
        libc::_exit(128 + signal)
    }
}

fn tidy_up() -> impl Sized {
    (stop_all(), WORKSPACE.get().map(|workspace| workspace.abandon_scratch()))
}

/// The problem that standard output cannot be written.
pub fn lost_results(reason: &dyn std::fmt::Display) -> Problem {
    Problem::new(format!("cannot write the results to standard output: {reason}"))
        .remedy("free some disk space, or send them elsewhere")
}

/// Turns a panic into a message of our style and status 2.
///
/// `println!` panics if standard output cannot be written, for example on a full disk, and starting a thread if a limit allows
/// none. A lost result must not look like success, but it is not a bug of ours; any other panic is one.
pub fn explain_panics() {
    std::panic::set_hook(Box::new(|info| {
        let payload = info.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or(payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
        if let Some(reason) = text.strip_prefix("failed printing to stdout: ") {
            eprintln!("assay: {}", lost_results(&reason));
        } else if let Some(reason) = text.strip_prefix("failed to spawn thread: ") {
            eprintln!("assay: {}", limits::no_thread(reason));
        } else {
            let place = info.location().map(ToString::to_string).unwrap_or_default();
            eprintln!(
                "assay: a defect of Assay itself, at {place}: {text}\n  remedy: report it with the command line; \
                 other verbs and selections may work"
            );
        }
        let _stopped = tidy_up();
        // SAFETY: ends the process without running exit handlers, which would try to flush standard output again.
        unsafe { libc::_exit(2) }
    }));
}
