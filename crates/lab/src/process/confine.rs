// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Prepares a child before it becomes the program: a group of its own, limits, and a kill by the kernel when we die.

use super::group::take_terminal;
use super::Limits;
use crate::alone::Filter;
use std::os::unix::process::CommandExt;

/// Gives the child a group and limits of its own, and makes the kernel kill it when we die.
pub(super) fn confine(
    command: &mut std::process::Command,
    limits: Limits,
    filter: Option<Filter>,
    terminal: bool,
) {
    command.process_group(0);
    // SAFETY: all of these are async-signal-safe calls on integers and locals.
    unsafe {
        command.pre_exec(move || {
            // The command blocks the signals that end it, to answer them in a thread of its own; a child that inherited
            // the mask could not be interrupted.
            let mut none: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&mut none);
            if libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut()) != 0 {
                return Err(std::io::Error::last_os_error());
            }
            if terminal {
                take_terminal(libc::getpid());
            }
            if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
                return Err(std::io::Error::last_os_error());
            }
            // A variant that crashes leaves no core file in the user's folder.
            limit(libc::RLIMIT_CORE, 0)?;
            limit(libc::RLIMIT_DATA, limits.memory_bytes)?;
            limit(libc::RLIMIT_FSIZE, limits.file_bytes)?;
            filter.as_ref().map_or(Ok(()), Filter::apply)
        });
    }
}

/// Lowers a limit of this process; one that is lower already stays.
fn limit(resource: libc::__rlimit_resource_t, value: u64) -> std::io::Result<()> {
    let mut current = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: both calls get a valid pointer to a local.
    unsafe {
        if libc::getrlimit(resource, &mut current) != 0 {
            return Err(std::io::Error::last_os_error());
        }
        current.rlim_cur = current.rlim_cur.min(value);
        if libc::setrlimit(resource, &current) != 0 {
            return Err(std::io::Error::last_os_error());
        }
    }
    Ok(())
}
