// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Process groups: those that run now, so that an interrupted run leaves none, and the one that gets the terminal's keys.

use std::sync::{Mutex, MutexGuard};

/// The process groups that run now.
static RUNNING: Mutex<Vec<i32>> = Mutex::new(Vec::new());

/// Kills every program that runs now and starts no other, for as long as the value lives: for a run that is interrupted.
pub fn stop_all() -> MutexGuard<'static, Vec<i32>> {
    let running = running();
    running.iter().for_each(|group| kill_group(*group));
    running
}

pub(super) fn running() -> MutexGuard<'static, Vec<i32>> {
    // A thread that panicked has left a list that is whole.
    RUNNING.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

pub(super) fn kill_group(group: i32) {
    signal_group(group, libc::SIGKILL);
}

pub(super) fn signal_group(group: i32, signal: i32) {
    // SAFETY: a system call on integers; the group may be gone already.
    unsafe {
        libc::kill(-group, signal);
    }
}

pub(super) fn own_group() -> i32 {
    // SAFETY: a system call without arguments.
    unsafe { libc::getpgrp() }
}

/// Makes a group the one that the terminal's keys and signals go to. Async-signal-safe.
pub(super) fn take_terminal(group: i32) {
    // SAFETY: system calls on integers. A process in the background is stopped by SIGTTOU for this, unless it is ignored.
    unsafe {
        let before = libc::signal(libc::SIGTTOU, libc::SIG_IGN);
        libc::tcsetpgrp(libc::STDIN_FILENO, group);
        libc::signal(libc::SIGTTOU, before);
    }
}
