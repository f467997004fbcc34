// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The limits that a shell has set (`ulimit`): each ends a run with a message that names it, not with a signal or a panic.

use lab::Problem;
use std::alloc::{GlobalAlloc, Layout, System};

/// A verb needs less than 384 KiB of the first thread's stack, and so do the compilers and QEMU for what they are given here.
const STACK_MIN: libc::rlim_t = 512 << 10;
/// What Linux gives a program whose user has set no limit.
const STACK_USUAL: libc::rlim_t = 8 << 20;

/// Raises the limit on the stack to the usual one where it is lower, as far as we may, for us and for what we start.
pub fn raise_stack() -> Result<(), Problem> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: it points to a local.
    if unsafe { libc::getrlimit(libc::RLIMIT_STACK, &mut limit) } != 0 || limit.rlim_cur >= STACK_USUAL {
        return Ok(());
    }
    let before = limit.rlim_cur;
    limit.rlim_cur = STACK_USUAL.min(limit.rlim_max);
    // SAFETY: it points to a local. The stack of the first thread grows up to the limit as it is when it grows.
    let raised = unsafe { libc::setrlimit(libc::RLIMIT_STACK, &limit) } == 0;
    let now = if raised { limit.rlim_cur } else { before };
    if now >= STACK_MIN {
        return Ok(());
    }
    let (now, least) = (now >> 10, STACK_MIN >> 10);
    Err(Problem::new(format!("the limit on the stack is {now} KiB, and {least} KiB are needed"))
        .remedy("raise the limit on the stack (ulimit -s)"))
}

/// Lets a write beyond the limit on the size of files (`ulimit -f`) fail with its reason, as on a full disk.
///
/// A handler, because programs that we start would inherit that the signal is ignored.
pub fn survive_too_long_files() {
    extern "C" fn nothing(_: libc::c_int) {}
    // SAFETY: the handler does nothing, so it may run at any time; no thread is started yet.
    unsafe {
        libc::signal(libc::SIGXFSZ, nothing as extern "C" fn(libc::c_int) as libc::sighandler_t);
    }
}

/// What to do where a thread cannot be started. The standard library shows the system's reason with its words in quotes.
pub fn no_thread(reason: &str) -> Problem {
    let reason = reason.split('"').nth(1).unwrap_or(reason);
    Problem::new(format!("cannot start a thread: {reason}")).remedy(
        "raise the limits on processes (ulimit -u) and on memory (ulimit -v, ulimit -d), or try again when the machine has more",
    )
}

/// The system's allocator. Where it has no memory left, the run ends with a message and status 2: the standard library's own
/// answer is a signal, behind a message that needs memory again.
pub struct Allocator;

impl Allocator {
    fn checked(memory: *mut u8) -> *mut u8 {
        if memory.is_null() {
            end_without_memory();
        }
        memory
    }
}

// SAFETY: the system's allocator does all of the work and keeps the contract.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's layout is passed on.
        Self::checked(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        Self::checked(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the memory is the system's, as all that this allocator gives.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        Self::checked(unsafe { System.realloc(memory, layout, size) })
    }
}

/// Needs no memory itself. The kernel kills what we have started, and the next run removes our scratch files, as after a kill.
#[cold]
fn end_without_memory() -> ! {
    let told = b"assay: there is no memory left\n  \
        remedy: raise the limits on memory (ulimit -v, ulimit -d), or try again when the machine has more\n";
    // SAFETY: the pointer and the length are those of a constant; _exit runs no handler that might ask for memory.
    unsafe {
        libc::write(libc::STDERR_FILENO, told.as_ptr().cast(), told.len());
        libc::_exit(2)
    }
}
