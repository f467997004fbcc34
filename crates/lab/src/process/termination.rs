// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! How a program is made to end: one that leaves something when it ends is asked by a signal first, and killed if that does not
//! help.

use super::group::signal_group;
use super::output::{ending_of, Ending};
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};
use wait_timeout::ChildExt;

/// The group of a program that is asked to end before it is killed, while it runs; 0 if there is none.
static GENTLE: AtomicI32 = AtomicI32::new(0);

/// Hands a signal that was meant for us to the program that runs, if it is one that is ended gently. Then we live on and keep
/// what it has done.
pub fn hand_on(signal: i32) -> bool {
    let group = GENTLE.load(Ordering::SeqCst);
    if group > 0 {
        signal_group(group, signal);
    }
    group > 0
}

/// Notes that this program is one that is ended gently: signals meant for us are handed on to it.
pub(super) fn ends_gently(child: &Child) {
    GENTLE.store(child.id() as i32, Ordering::SeqCst);
}

/// The program has ended: signals are meant for us again.
pub(super) fn has_ended() {
    GENTLE.store(0, Ordering::SeqCst);
}

/// How long the group of a program that is ended gently may take after each signal.
const GROUP_GRACE: Duration = Duration::from_secs(5);

/// Asks a program's group to end by SIGTERM, then SIGINT; whether it did.
pub(super) fn ask_group_to_end(child: &mut Child) -> bool {
    [libc::SIGTERM, libc::SIGINT].iter().any(|signal| {
        signal_group(child.id() as i32, *signal);
        child.wait_timeout(GROUP_GRACE).ok().flatten().is_some()
    })
}

/// How long a watched program may take after SIGTERM.
const GRACE: Duration = Duration::from_secs(10);

/// How often we look whether the time at which it has to end has changed.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Waits until a moment that may move; `None` if it has come.
pub(super) fn wait_until(
    child: &mut Child,
    ends: impl Fn() -> Instant,
) -> std::io::Result<Option<ExitStatus>> {
    loop {
        let left = ends().saturating_duration_since(Instant::now());
        if left.is_zero() {
            return child.try_wait();
        }
        if let Some(status) = child.wait_timeout(left.min(LOOK_EVERY))? {
            return Ok(Some(status));
        }
    }
}

/// Sends SIGTERM and waits. `None`, the time limit, if it was late already or does not listen.
pub(super) fn ask_to_end(child: &mut Child, late: bool) -> Option<Ending> {
    // SAFETY: a system call on integers; the program may be gone already.
    unsafe {
        libc::kill(child.id() as i32, libc::SIGTERM);
    }
    let status = child.wait_timeout(GRACE).ok().flatten()?;
    (!late).then(|| ending_of(status))
}
