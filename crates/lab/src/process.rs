// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The one way in which Assay starts another program: bounded in time and in output, never outliving us.

use crate::problem::{Problem, Result};
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};
use wait_timeout::ChildExt;

/// The most that is kept of one stream; a program that prints more is cut, and that is said.
const OUTPUT_BYTES_MAX: u64 = 4 << 20;

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

/// A program to run, with its arguments and limits.
#[derive(Clone, Debug)]
pub struct Command {
    program: PathBuf,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    folder: Option<PathBuf>,
    timeout: Duration,
    inherit_stdout: bool,
}

impl Command {
    /// A program, with a limit of ten minutes until another is set.
    pub fn new(program: impl AsRef<Path>) -> Command {
        Command {
            program: program.as_ref().to_path_buf(),
            args: Vec::new(),
            env: Vec::new(),
            folder: None,
            timeout: Duration::from_secs(600),
            inherit_stdout: false,
        }
    }

    /// Adds an argument.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Command {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Command {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, key: &str, value: impl AsRef<OsStr>) -> Command {
        self.env.push((key.into(), value.as_ref().to_owned()));
        self
    }

    /// Runs it in this folder.
    pub fn folder(mut self, folder: &Path) -> Command {
        self.folder = Some(folder.to_path_buf());
        self
    }

    /// Kills it after this long.
    pub fn timeout(mut self, timeout: Duration) -> Command {
        self.timeout = timeout;
        self
    }

    /// Lets its output and its errors through to ours instead of keeping them.
    pub fn show(mut self) -> Command {
        self.inherit_stdout = true;
        self
    }

    /// The command as a line that a user can paste into a shell.
    pub fn line(&self) -> String {
        let quote = |text: &OsStr| {
            let text = text.to_string_lossy();
            let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "-_=./,:+@%".contains(c));
            if plain && !text.is_empty() {
                text.into_owned()
            } else {
                format!("'{}'", text.replace('\'', "'\\''"))
            }
        };
        let mut words = vec![quote(self.program.as_os_str())];
        words.extend(self.args.iter().map(|arg| quote(arg)));
        words.join(" ")
    }

    /// Runs it to its end or to its limit.
    ///
    /// A program that cannot be started is a [`Problem`]; one that fails is an [`Output`].
    pub fn run(&self) -> Result<Output> {
        let started = Instant::now();
        let mut command = std::process::Command::new(&self.program);
        command.args(&self.args).stdin(Stdio::null());
        if self.inherit_stdout {
            command.stdout(Stdio::inherit()).stderr(Stdio::inherit());
        } else {
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
        }
        command.envs(self.env.iter().map(|(key, value)| (key, value)));
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        die_with_us(&mut command);
        let mut child = command.spawn().map_err(|error| {
            Problem::new(format!("cannot start the program: {error}"))
                .at(self.program.display())
                .remedy("./assay doctor tells which programs are missing; ./setup installs them")
        })?;
        let stdout = child.stdout.take().map(keep_reading);
        let stderr = child.stderr.take().map(keep_reading);
        let waited = child
            .wait_timeout(self.timeout)
            .map_err(|error| Problem::io("wait for the program", &self.program, &error))?;
        let ending = match waited {
            Some(status) => ending_of(status),
            None => {
                // Both fail only if it ended in this very moment.
                let _ = child.kill();
                let _ = child.wait();
                Ending::TimedOut
            }
        };
        Ok(Output {
            ending,
            stdout: collected(stdout),
            stderr: collected(stderr),
            elapsed: started.elapsed(),
        })
    }
}

fn ending_of(status: ExitStatus) -> Ending {
    match status.code() {
        Some(code) => Ending::Exited(code),
        None => Ending::Killed(status.signal().unwrap_or(0)),
    }
}

/// Makes the kernel kill the child when we die: a Ctrl-C or a kill leaves no QEMU behind.
fn die_with_us(command: &mut std::process::Command) {
    // SAFETY: prctl with PR_SET_PDEATHSIG is a single system call on integers and is async-signal-safe.
    unsafe {
        command.pre_exec(|| {
            if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
                return Err(std::io::Error::last_os_error());
            }
            Ok(())
        });
    }
}

type Reading = std::thread::JoinHandle<Vec<u8>>;

fn keep_reading(stream: impl Read + Send + 'static) -> Reading {
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        let mut limited = stream.take(OUTPUT_BYTES_MAX);
        // A read error ends the text as an end of file does; the exit status tells the rest.
        let _ = limited.read_to_end(&mut kept);
        let cut = kept.len() as u64 == OUTPUT_BYTES_MAX;
        // Go on emptying the pipe, so that the program does not block on it.
        let _ = std::io::copy(&mut limited.into_inner(), &mut std::io::sink());
        if cut {
            kept.extend_from_slice(b"\n[output cut here: more than 4 MiB]\n");
        }
        kept
    })
}

fn collected(reading: Option<Reading>) -> String {
    let bytes = reading.and_then(|thread| thread.join().ok()).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
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
        other => return format!("signal {other}"),
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_output_are_told_apart() {
        let done = Command::new("/bin/sh").args(["-c", "echo out; echo err >&2; exit 7"]).run().unwrap();
        assert_eq!(done.ending, Ending::Exited(7));
        assert_eq!((done.stdout.as_str(), done.stderr.as_str()), ("out\n", "err\n"));
        let killed = Command::new("/bin/sh").args(["-c", "kill -SEGV $$"]).run().unwrap();
        assert_eq!(killed.ending, Ending::Killed(libc::SIGSEGV));
        let missing = Command::new("/nonexistent/program").run().unwrap_err();
        assert!(missing.to_string().contains("doctor"), "{missing}");
    }

    #[test]
    fn an_endless_program_is_killed_and_an_endless_output_is_cut() {
        let slow = Command::new("/bin/sleep").arg("60").timeout(Duration::from_millis(50)).run().unwrap();
        assert_eq!(slow.ending, Ending::TimedOut);
        let loud =
            Command::new("/bin/sh").args(["-c", "head -c 9000000 /dev/zero | tr '\\0' x"]).run().unwrap();
        assert!(loud.stdout.len() < (OUTPUT_BYTES_MAX as usize) + 100);
        assert!(loud.stdout.contains("output cut here"));
    }

    #[test]
    fn the_line_can_be_pasted() {
        let line = Command::new("qemu-ppc64").args(["-cpu", "it's"]).line();
        assert_eq!(line, r"qemu-ppc64 -cpu 'it'\''s'");
    }
}
