// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What a finished program left: its ending and what it said.

use super::{Limits, MEMORY_REMEDY};
use crate::problem::{Problem, STORAGE_FULL_REMEDY};
use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It exited with this status.
    Exited(i32),
    /// This signal ended it.
    Killed(i32),
    /// It was still running at its time limit and was killed by us.
    TimedOut,
}

/// For messages, behind the program's name.
impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Exited(status) => write!(f, "exited with status {status}"),
            Ending::Killed(signal) => write!(f, "was ended by {}", signal_name(*signal)),
            Ending::TimedOut => f.write_str("was still running at its time limit"),
        }
    }
}

/// What a finished program left.
#[derive(Clone, Debug)]
pub struct Output {
    /// How it ended.
    pub ending: Ending,
    /// Standard output, invalid UTF-8 replaced.
    pub stdout: String,
    /// Standard error, invalid UTF-8 replaced.
    pub stderr: String,
    /// Wall-clock time.
    pub elapsed: Duration,
}

impl Output {
    /// Whether it exited with status 0.
    pub fn success(&self) -> bool {
        self.ending == Ending::Exited(0)
    }

    /// Whether it failed because a disk is full, as far as it says so.
    pub fn found_no_space(&self) -> bool {
        !self.success() && self.stderr.contains("No space left on device")
    }

    /// What it was not given and failed for, where it says so: room on a disk, the length of a file, memory. That tells nothing
    /// of what it worked on. `limits` are those that it ran with; a longer file than these allow is its own fault.
    pub(super) fn lacked(&self, limits: Limits) -> Option<Problem> {
        if self.found_no_space() {
            return Some(Problem::new("the disk is full").remedy(STORAGE_FULL_REMEDY));
        }
        let says = |words: &&str| self.stderr.contains(*words);
        if !self.success() && OUT_OF_MEMORY.iter().any(says) {
            return Some(Problem::new(self.tail(1)).remedy(MEMORY_REMEDY));
        }
        // Neither we nor a limit of ours sends this signal to a program that still has time.
        if self.ending == Ending::Killed(libc::SIGKILL) {
            let told = "somebody killed the program, or the kernel because memory ran out";
            return Some(
                Problem::new(told)
                    .remedy("try again when more memory is free; dmesg tells what the kernel killed"),
            );
        }
        self.found_no_length(longest_file().unwrap_or(u64::MAX), limits)
    }

    /// Whether a limit on the size of files that is not ours stopped it, or what it had started: a compiler that starts the linker
    /// only says so.
    fn found_no_length(&self, longest: u64, limits: Limits) -> Option<Problem> {
        let told = ["File size limit exceeded", "File too large"];
        let is_cut = self.ending == Ending::Killed(libc::SIGXFSZ)
            || !self.success() && told.iter().any(|words| self.stderr.contains(words));
        (is_cut && longest < limits.file_bytes).then(|| {
            let told = format!(
                "the limit on the size of files is {} KiB, and a longer one is needed",
                longest >> 10
            );
            Problem::new(told).remedy("raise the limit on the size of files (ulimit -f)")
        })
    }

    /// The last lines of what it said, for a message.
    pub fn tail(&self, lines_max: usize) -> String {
        let text = if self.stderr.trim().is_empty() { &self.stdout } else { &self.stderr };
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        lines[lines.len().saturating_sub(lines_max)..].join("\n")
    }

    /// The first lines of what it said: compilers put the cause there.
    pub fn head(&self, lines_max: usize) -> String {
        let text = if self.stderr.trim().is_empty() { &self.stdout } else { &self.stderr };
        text.lines().filter(|line| !line.trim().is_empty()).take(lines_max).collect::<Vec<_>>().join("\n")
    }
}

/// How the C library's loader and QEMU say that they get no memory.
const OUT_OF_MEMORY: [&str; 3] =
    ["failed to map segment", "cannot map zero-fill pages", "annot allocate memory"];

/// The limit on the size of files that our shell has set, in bytes.
pub fn longest_file() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: it points to a local. If the call fails, no limit is known.
    unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) };
    (limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

/// The ending that a status tells.
pub(super) fn ending_of(status: ExitStatus) -> Ending {
    match status.code() {
        Some(code) => Ending::Exited(code),
        None => Ending::Killed(status.signal().unwrap_or(0)),
    }
}

/// The signal's name where it is one that runners meet, else its number.
pub fn signal_name(signal: i32) -> String {
    let name = match signal {
        libc::SIGILL => "SIGILL (illegal instruction)",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGABRT => "SIGABRT",
        libc::SIGKILL => "SIGKILL",
        libc::SIGINT => "SIGINT",
        libc::SIGSYS => "SIGSYS (it tried to start a process)",
        libc::SIGXFSZ => "SIGXFSZ (it wrote too long a file)",
        other => return format!("signal {other}"),
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linker_that_a_compiler_started_is_stopped_by_a_limit_too() {
        let failed = |stderr: &str, ending| Output {
            ending,
            stdout: String::new(),
            stderr: stderr.to_owned(),
            elapsed: Duration::ZERO,
        };
        let limits = Limits { memory_bytes: u64::MAX, file_bytes: 1 << 30 };
        let linker = "ld.lld-19: error: failed to open a.out: File too large";
        for (stderr, ending, found) in [
            (linker, Ending::Exited(1), true),
            ("clang: error: unable to execute command: File size limit exceeded", Ending::Exited(254), true),
            ("", Ending::Killed(libc::SIGXFSZ), true),
            ("error: undefined symbol: f", Ending::Exited(1), false),
            (linker, Ending::Exited(0), false),
        ] {
            let told = failed(stderr, ending).found_no_length(100 << 10, limits).map(|problem| problem.what);
            let wanted = "the limit on the size of files is 100 KiB, and a longer one is needed";
            assert_eq!(told.as_deref(), found.then_some(wanted), "{stderr}");
        }
        // A limit of ours is the program's own fault, and so is what an unlimited one says.
        assert_eq!(failed(linker, Ending::Exited(1)).found_no_length(1 << 30, limits), None);
    }
}
