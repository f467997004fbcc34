// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Whether standard output can be written at all. Where it cannot, Rust's library drops what is printed without an error: it
//! opens /dev/null in place of a closed descriptor before `main` runs, and takes a failed write to one that is open for reading
//! only as done.

use lab::{Problem, Result};
use std::sync::atomic::{AtomicI32, Ordering};

/// The descriptor's flags as we were started with it; -1 if it was closed.
static FLAGS: AtomicI32 = AtomicI32::new(libc::O_RDWR);

/// Runs before Rust's own start, which hides a closed descriptor.
// SAFETY: the C library calls what stands in this section once, before `main`, with arguments that a C function may ignore.
#[used]
#[link_section = ".init_array"]
static LOOK: extern "C" fn() = {
    extern "C" fn look() {
        // SAFETY: a system call on integers.
        let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFL) };
        FLAGS.store(flags, Ordering::Relaxed);
    }
    look
};

/// Refuses to work for results that nobody would see.
pub fn check() -> Result<()> {
    let flags = FLAGS.load(Ordering::Relaxed);
    let what = match flags & libc::O_ACCMODE {
        _ if flags < 0 => "standard output is closed, so the results would be lost",
        libc::O_RDONLY => "standard output is open for reading only, so the results would be lost",
        _ => return Ok(()),
    };
    Err(Problem::new(what).remedy("send it to a file, or to /dev/null if nobody needs them"))
}
