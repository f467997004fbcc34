// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The one way in which Assay starts another program: bounded in time, memory and output, never outliving us.
//!
//! A program runs in a process group of its own. When it ends or has to, the whole group is killed, so that what it has
//! forked neither stays nor holds our pipes open. The kernel kills the program itself when we die without warning.

mod confine;
mod group;
mod output;
mod reading;
mod termination;

pub use group::stop_all;
pub use output::{longest_file, signal_name, Ending, Output};
pub use termination::hand_on;

use crate::alone::Filter;
use crate::problem::{Problem, Result};
use confine::confine;
use group::{kill_group, own_group, running, take_terminal};
use output::ending_of;
use reading::{collected, keep_reading, Reading};
use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use termination::{ask_group_to_end, ask_to_end, ends_gently, has_ended, wait_until};
use wait_timeout::ChildExt;

/// The resources that a program may use; a program that exceeds them is broken and ends itself, not the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Memory of its own.
    pub memory_bytes: u64,
    /// The longest file that it may write.
    pub file_bytes: u64,
}

impl Limits {
    /// No limits but inherited ones: for tests of ours, whose sanitizers reserve terabytes of address space.
    pub const INHERITED: Limits = Limits { memory_bytes: u64::MAX, file_bytes: u64::MAX };
}

/// For foreign programs, whose needs we do not know.
const LIMITS_OF_ANY: Limits = Limits { memory_bytes: 8 << 30, file_bytes: 8 << 30 };

/// What to do where there is no memory.
const MEMORY_REMEDY: &str = "raise the limit on memory (ulimit -v), or try again when more is free";

/// The variables of our environment that a program with a bare one gets.
const KEPT_IN_BARE: [&str; 3] = ["PATH", "HOME", "LD_LIBRARY_PATH"];

/// All that a bare environment may have.
pub const BARE_VARIABLES: [&str; 4] = ["PATH", "HOME", "LD_LIBRARY_PATH", "LC_ALL"];

/// Where the output and the errors of a program go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Printing {
    /// Into [`Output`].
    Kept,
    /// Through to ours, and our standard input to it.
    Shown,
    /// Both to our standard error, since our standard output is for something else; and our standard input to it.
    ShownAsErrors,
}

/// A program to run, with its arguments and limits.
#[derive(Clone, Debug)]
pub struct Command {
    program: PathBuf,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    bare: bool,
    alone: bool,
    folder: Option<PathBuf>,
    timeout: Duration,
    limits: Limits,
    printing: Printing,
    gently: bool,
}

impl Command {
    /// A program, with a limit of ten minutes until another is set.
    pub fn new(program: impl AsRef<Path>) -> Command {
        Command {
            program: program.as_ref().to_path_buf(),
            args: Vec::new(),
            env: Vec::new(),
            bare: false,
            alone: false,
            folder: None,
            timeout: Duration::from_secs(600),
            limits: LIMITS_OF_ANY,
            printing: Printing::Kept,
            gently: false,
        }
    }

    /// Asks it to end by SIGTERM, then SIGINT, before it is killed: for a program that leaves something when it ends.
    pub fn ended_gently(mut self) -> Command {
        self.gently = true;
        self
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

    /// Ends it if it tries to start another process.
    pub fn alone(mut self) -> Command {
        self.alone = true;
        self
    }

    /// Keeps our environment from it, but for where programs, libraries and the user's home are. For compilers: more
    /// variables than anybody lists change what they make (`CPATH`, `GCC_EXEC_PREFIX`, `CCC_OVERRIDE_OPTIONS`,
    /// `SOURCE_DATE_EPOCH`), and none of them is in the cache's keys.
    pub fn bare_environment(mut self) -> Command {
        self.bare = true;
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

    /// Lets it take no more than this.
    pub fn limits(mut self, limits: Limits) -> Command {
        self.limits = limits;
        self
    }

    /// Says where its output and its errors go.
    pub fn printing(mut self, printing: Printing) -> Command {
        self.printing = printing;
        self
    }

    /// The program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The command as a line that a user can paste into a shell.
    pub fn line(&self) -> String {
        let mut words = vec![quoted(self.program.as_os_str())];
        words.extend(self.args.iter().map(|arg| quoted(arg)));
        words.join(" ")
    }

    /// Runs it to its end or to its limit.
    ///
    /// A program that cannot be started is a [`Problem`]; one that fails is an [`Output`].
    pub fn run(&self) -> Result<Output> {
        let started = Instant::now();
        let mut child = self.spawn()?;
        let stdout = child.stdout.take().map(|stream| keep_reading(stream, None));
        let stderr = child.stderr.take().map(|stream| keep_reading(stream, None));
        let waited = child
            .wait_timeout(self.timeout)
            .map_err(|error| Problem::io("wait for the program", &self.program, &error))?;
        self.finish(child, waited.map(ending_of), started, [stdout, stderr])
    }

    /// Runs it, and takes a failure for want of room on a disk, of memory or of longer files for a [`Problem`] of the machine, which
    /// tells nothing of what the program worked on.
    pub fn run_supplied(&self) -> Result<Output> {
        let output = self.run()?;
        match output.lacked(self.limits) {
            Some(problem) => Err(problem.at(self.program.display())),
            None => Ok(output),
        }
    }

    /// Runs it while a watcher sees its standard output as it comes. A program that has to end gets SIGTERM first, and time to
    /// write what it still has to: an emulator its plugin's trace.
    pub fn run_watched(&self, mut watcher: impl FnMut(&[u8]) -> Watch + Send + 'static) -> Result<Output> {
        let started = Instant::now();
        let mut child = self.spawn()?;
        let ends = Arc::new(Mutex::new(started + self.timeout));
        let shared = ends.clone();
        let watch = move |chunk: &[u8]| {
            if let Watch::EndWithin(time) = watcher(chunk) {
                let mut ends = shared.lock().expect("nothing panics while it is held");
                *ends = (*ends).min(Instant::now() + time);
            }
        };
        let stdout = child.stdout.take().map(|stream| keep_reading(stream, Some(Box::new(watch))));
        let stderr = child.stderr.take().map(|stream| keep_reading(stream, None));
        let waited = wait_until(&mut child, || *ends.lock().expect("nothing panics while it is held"))
            .map_err(|error| Problem::io("wait for the program", &self.program, &error))?;
        let ending = match waited {
            Some(status) => Some(ending_of(status)),
            None => ask_to_end(&mut child, started.elapsed() >= self.timeout),
        };
        self.finish(child, ending, started, [stdout, stderr])
    }

    /// Its process, with our limits, ready to be waited for.
    fn spawn(&self) -> Result<std::process::Child> {
        let mut command = std::process::Command::new(&self.program);
        command.args(&self.args);
        // A program whose output is shown is the user's, so it also gets what the user types or pipes.
        let shown = self.printing != Printing::Kept;
        command.stdin(if shown { Stdio::inherit() } else { Stdio::null() });
        let terminal = self.at_terminal();
        match self.printing {
            Printing::Kept => command.stdout(Stdio::piped()).stderr(Stdio::piped()),
            Printing::Shown => command.stdout(Stdio::inherit()).stderr(Stdio::inherit()),
            Printing::ShownAsErrors => command.stdout(std::io::stderr()).stderr(Stdio::inherit()),
        };
        if self.bare {
            command.env_clear();
            command.envs(KEPT_IN_BARE.iter().filter_map(|key| Some((key, std::env::var_os(key)?))));
        }
        command.envs(self.env.iter().map(|(key, value)| (key, value)));
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        if self.printing == Printing::Kept {
            // Output that we parse has to be in the language that we know.
            command.env("LC_ALL", "C");
        }
        confine(&mut command, self.limits, self.alone.then(Filter::new), terminal);
        let child = self.start(command)?;
        if self.gently {
            ends_gently(&child);
        }
        Ok(child)
    }

    /// Whether it is the user's program, and the user is at a terminal.
    fn at_terminal(&self) -> bool {
        self.printing != Printing::Kept && std::io::stdin().is_terminal()
    }

    /// Kills the rest of its group and gathers its output. Without an ending, the time limit was reached.
    fn finish(
        &self,
        mut child: std::process::Child,
        ending: Option<Ending>,
        started: Instant,
        [stdout, stderr]: [Option<Reading>; 2],
    ) -> Result<Output> {
        if ending.is_none() {
            if !(self.gently && ask_group_to_end(&mut child)) {
                kill_group(child.id() as i32);
            }
            // Fails only if it ended in this very moment.
            let _ = child.wait();
        }
        let group = child.id() as i32;
        has_ended();
        if self.at_terminal() {
            take_terminal(own_group());
        }
        kill_group(group);
        running().retain(|known| *known != group);
        Ok(Output {
            ending: ending.unwrap_or(Ending::TimedOut),
            stdout: collected(stdout),
            stderr: collected(stderr),
            elapsed: started.elapsed(),
        })
    }
}

/// What a watcher wants after what it has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// Nothing.
    Go,
    /// That the program is asked to end if it has not done so by itself within this time.
    EndWithin(Duration),
}

impl Command {
    /// Starts it and notes its group, in one step as seen by [`stop_all`].
    fn start(&self, mut command: std::process::Command) -> Result<std::process::Child> {
        let mut running = running();
        let child = command.spawn().map_err(|error| {
            Problem::new(format!("cannot start the program: {error}"))
                .at(self.program.display())
                .remedy(start_remedy(&error))
        })?;
        running.push(child.id() as i32);
        Ok(child)
    }
}

/// What to do where a program does not start: with a limit that is too low, none is missing.
fn start_remedy(error: &std::io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EMFILE) => "raise the limit on open files (ulimit -n)",
        Some(libc::EAGAIN) => "raise the limit on processes (ulimit -u), or try again when fewer run",
        Some(libc::ENOMEM) => MEMORY_REMEDY,
        _ => "./assay doctor tells which programs are missing; ./setup installs them",
    }
}

/// A path as a command takes it: one that begins with a dash would be taken for an option.
pub fn operand(path: &Path) -> PathBuf {
    match path.as_os_str().as_encoded_bytes().starts_with(b"-") {
        true => Path::new(".").join(path),
        false => path.to_owned(),
    }
}

/// A word as a shell takes it.
pub fn quoted(word: &OsStr) -> String {
    let Some(text) = word.to_str() else { return escaped(word.as_encoded_bytes()) };
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "-_=./,:+@%".contains(c));
    if plain && !text.is_empty() {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// Bytes that are no text, as bash and the other shells that know `$'...'` take them.
fn escaped(bytes: &[u8]) -> String {
    let escape = |&byte: &u8| match byte {
        b'\'' | b'\\' => format!("\\{}", char::from(byte)),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\{byte:03o}"),
    };
    format!("$'{}'", bytes.iter().map(escape).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_output_are_told_apart() {
        let done = Command::new("/bin/sh").args(["-c", "echo out; echo err >&2; exit 7"]).run().unwrap();
        assert_eq!(done.ending, Ending::Exited(7));
        assert_eq!(done.ending.to_string(), "exited with status 7");
        assert_eq!((done.stdout.as_str(), done.stderr.as_str()), ("out\n", "err\n"));
        let killed = Command::new("/bin/sh").args(["-c", "kill -SEGV $$"]).run().unwrap();
        assert_eq!(killed.ending, Ending::Killed(libc::SIGSEGV));
        assert_eq!(killed.ending.to_string(), "was ended by SIGSEGV");
        let missing = Command::new("/nonexistent/program").run().unwrap_err();
        assert!(missing.to_string().contains("doctor"), "{missing}");
    }

    #[test]
    fn an_endless_program_is_killed_and_an_endless_output_is_cut() {
        let slow = Command::new("/bin/sleep").arg("60").timeout(Duration::from_millis(50)).run().unwrap();
        assert_eq!(slow.ending, Ending::TimedOut);
        let loud =
            Command::new("/bin/sh").args(["-c", "head -c 9000000 /dev/zero | tr '\\0' x"]).run().unwrap();
        assert!(loud.stdout.len() < reading::OUTPUT_BYTES_MAX + 100);
        assert!(loud.stdout.contains("output cut here"));
    }

    #[test]
    fn what_a_program_forks_neither_stays_nor_holds_us_up() {
        let started = Instant::now();
        let script = "sleep 61 & echo $!; exec sleep 62";
        let output = Command::new("/bin/sh").args(["-c", script]).timeout(Duration::from_millis(200)).run();
        let output = output.unwrap();
        assert_eq!(output.ending, Ending::TimedOut);
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
        let forked = output.stdout.trim();
        let state = || std::fs::read_to_string(format!("/proc/{forked}/stat")).unwrap_or_default();
        // Killed at once, and gone or a zombie as soon as the kernel comes to it.
        while !(state().is_empty() || state().contains(") Z ")) {
            assert!(started.elapsed() < Duration::from_secs(20), "{}", state());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    #[test]
    fn a_watched_program_is_asked_to_end_and_then_made_to() {
        let shell = |script: &str| Command::new("/bin/sh").args(["-c", script]);
        let at_word = |chunk: &[u8]| match chunk.windows(4).any(|word| word == b"done") {
            true => Watch::EndWithin(Duration::from_millis(100)),
            false => Watch::Go,
        };
        let polite = "trap 'echo written; exit 3' TERM; echo done; while :; do sleep 0.01; done";
        let output = shell(polite).run_watched(at_word).unwrap();
        assert_eq!((output.ending, output.stdout.as_str()), (Ending::Exited(3), "done\nwritten\n"));
        let by_itself = shell("echo done; exit 4").run_watched(at_word).unwrap();
        assert_eq!(by_itself.ending, Ending::Exited(4));
        let late = shell(polite.replace("echo done", ":").as_str()).timeout(Duration::from_millis(200));
        let late = late.run_watched(at_word).unwrap();
        assert_eq!((late.ending, late.stdout.as_str()), (Ending::TimedOut, "written\n"));
    }

    #[test]
    fn a_full_disk_is_told_from_other_failures() {
        let full = Command::new("/bin/sh").args(["-c", "cat /proc/version >/dev/full"]).run().unwrap();
        assert!(full.found_no_space(), "{full:?}");
        assert!(!Command::new("/bin/false").run().unwrap().found_no_space());
    }

    #[test]
    fn what_the_machine_did_not_give_is_no_fault_of_the_program() {
        let shell = |script: &str| Command::new("/bin/sh").args(["-c", script]);
        let told = |script: &str| shell(script).run_supplied().unwrap_err().to_string();
        assert!(told("cat /proc/version >/dev/full").contains("/bin/sh: the disk is full\n  remedy: free"));
        let memory = told("echo first; echo 'qemu: jit buffer: Cannot allocate memory' >&2; exit 1");
        assert!(memory.contains("jit buffer") && memory.contains("(ulimit -v)"), "{memory}");
        // A limit of ours is for what is too much, whoever wrote it.
        let own = Limits { memory_bytes: 1 << 30, file_bytes: 1000 };
        let path = std::env::temp_dir().join(format!("assay-too-long-{}", std::process::id()));
        let long = shell(&format!("head -c 9000 /dev/zero >'{}'", path.display())).limits(own);
        assert_eq!(long.run_supplied().map(|output| output.success()), Ok(false));
        std::fs::remove_file(&path).unwrap();
        assert!(!shell("echo wrong >&2; exit 1").run_supplied().unwrap().success());
        assert!(told("kill -KILL $$").contains("memory ran out"));
        assert!(!shell("kill -SEGV $$").run_supplied().unwrap().success());
    }

    #[test]
    fn a_child_has_no_signal_blocked_although_we_do() {
        let blocked = || {
            let status = Command::new("/bin/grep").args(["SigBlk", "/proc/self/status"]).run().unwrap();
            status.stdout.split_whitespace().nth(1).unwrap_or_default().to_owned()
        };
        // SAFETY: masks of signals are numbers.
        let (mut term, mut before): (libc::sigset_t, libc::sigset_t) = unsafe { std::mem::zeroed() };
        // SAFETY: a mask of this thread alone, put back before the test ends.
        unsafe {
            libc::sigemptyset(&mut term);
            libc::sigaddset(&mut term, libc::SIGTERM);
            libc::pthread_sigmask(libc::SIG_BLOCK, &term, &mut before);
        }
        let seen = blocked();
        // SAFETY: as above.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
        }
        assert_eq!(seen, "0000000000000000");
    }

    #[test]
    fn a_process_that_has_to_stay_alone_ends_when_it_forks() {
        let shell = |script: &str| Command::new("/bin/sh").args(["-c", script]).alone().run().unwrap();
        assert_eq!(shell("echo alone").stdout, "alone\n");
        let forked = shell("/bin/true; echo not alone");
        assert_eq!((forked.ending, forked.stdout.as_str()), (Ending::Killed(libc::SIGSYS), ""));
    }

    #[test]
    fn a_bare_environment_is_bare() {
        let env = Command::new("/usr/bin/env").env("TMPDIR", "/x").bare_environment().run().unwrap();
        let mut names: Vec<&str> = env.stdout.lines().filter_map(|line| line.split('=').next()).collect();
        names.retain(|name| !["PATH", "HOME", "LD_LIBRARY_PATH"].contains(name));
        names.sort_unstable();
        assert_eq!(names, ["LC_ALL", "TMPDIR"]);
    }

    #[test]
    fn limits_hold_unless_they_are_waived() {
        let of = |limits: Limits| {
            let command = Command::new("/bin/sh").args(["-c", "ulimit -d"]).limits(limits);
            command.run().unwrap().stdout.trim().to_owned()
        };
        assert_eq!(of(Limits { memory_bytes: 1 << 30, file_bytes: 1 << 30 }), "1048576");
        assert_ne!(of(Limits::INHERITED), "1048576");
    }

    #[test]
    fn the_line_can_be_pasted() {
        let line = Command::new("qemu-ppc64").args(["-cpu", "it's"]).line();
        assert_eq!(line, r"qemu-ppc64 -cpu 'it'\''s'");
    }
}
