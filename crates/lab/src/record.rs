// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Recording: one run of a program under QEMU with the tracer, as a trace file that every cpu can be judged on.

use crate::build::{digest, Runner};
use crate::cache::{holds_elf, read_text, Scratch, Workspace};
use crate::case::Case;
use crate::discover::Variant;
use crate::emulator::Engine;
use crate::plain_name::PlainName;
use crate::problem::{Problem, Result};
use crate::process::{signal_name, Command, Ending, Output, Printing, BARE_VARIABLES};
use crate::toolchain::require_program;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A recorded case is a few dozen calls; only a broken variant takes this long.
const CASE_TIMEOUT: Duration = Duration::from_secs(120);

/// A runner's exit status that says: the machine held it up, so that what was recorded is not the case; see `runner/assay.h`.
const HELD_UP: i32 = 4;

/// Recordings until one is not held up. A busy machine holds up some, not so many in a row.
const RECORDINGS_MAX: usize = 8;

/// The symbol of the runner's loop of calls, which is what predictions time.
pub const BENCH_SYMBOL: &str = "assay_bench";

/// What of a runner is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// Each call of the hot path by itself: what `count` counts.
    Calls,
    /// The loop that makes the calls, so that one call's end overlaps the next one's start as it does when measured.
    Loop,
}

fn tracer_sources(workspace: &Workspace) -> Result<Vec<PathBuf>> {
    let folder = workspace.root.join("tracer");
    let entries = fs::read_dir(&folder).map_err(|error| Problem::io("read the folder", &folder, &error))?;
    let is_code = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "c" || ending == "h");
    let mut sources: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_code).collect();
    sources.sort();
    Ok(sources)
}

/// Tells one version of the tracer from another: it stands in the names of the plugin and of every trace, so a trace
/// of an older tracer is not taken for one of today's.
pub fn tracer_digest(workspace: &Workspace) -> Result<String> {
    let texts: Vec<String> =
        tracer_sources(workspace)?.iter().map(|path| read_text(path)).collect::<Result<_>>()?;
    let parts: Vec<&str> = texts.iter().map(String::as_str).collect();
    Ok(digest(&parts)[..8].to_owned())
}

/// The tracer plugin, built when its sources have changed.
pub fn tracer(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.root.join("tracer");
    let sources = tracer_sources(workspace)?;
    let digest = tracer_digest(workspace)?;
    let plugin = workspace.folder("tracer")?.join(format!("assay-tracer-{digest}.so"));
    if holds_elf(&plugin) {
        return Ok(plugin);
    }
    // Recordings run in parallel: the first to come builds it for all.
    let _lock = workspace.lock("tracer")?;
    if holds_elf(&plugin) {
        return Ok(plugin);
    }
    let scratch = workspace.scratch(".so")?;
    let is_c = |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "c");
    let command = Command::new(require_program("clang-19", "clang-19")?)
        .args(["-std=gnu11", "-O2", "-Wall", "-Wextra", "-fvisibility=hidden", "-shared", "-fPIC"])
        .args(sources.iter().filter(is_c))
        .arg("-lzstd")
        .arg("-o")
        .arg(scratch.path())
        .env("TMPDIR", scratch.folder())
        .bare_environment();
    let output = command.run_supplied().map_err(|problem| problem.at(scratch.path().display()))?;
    if !output.success() {
        return Err(Problem::new(format!("the tracer does not compile:\n{}", output.head(12)))
            .at(folder.display())
            .remedy("run ./setup; the Debian package libzstd-dev is needed"));
    }
    scratch.keep_as(&plugin)
}

/// Records `calls` calls of a variant on a case and returns the finished trace file.
///
/// The file has a name in the cache that says what it is, so that a user can find it and hand it on.
pub fn record_case(
    workspace: &Workspace,
    engine: &Engine,
    variant: &Variant,
    runner: &Runner,
    case: &Case,
    region: Region,
    calls: u64,
) -> Result<PathBuf> {
    let function = |name: &str| {
        runner.elf.function(name).ok_or_else(|| {
            Problem::new(format!("the runner has no function '{name}'")).at(runner.path.display())
        })
    };
    let hot = function(&variant.hotpath.symbol)?;
    let (name, entered) = match region {
        Region::Calls => (variant.hotpath.symbol.as_str(), hot),
        Region::Loop => (BENCH_SYMBOL, function(BENCH_SYMBOL)?),
    };
    let roi = format!("roi={name}:{:#x}:{:#x}", entered.address, entered.local_entry);
    let mark = format!("mark={}:{:#x}", variant.hotpath.symbol, hot.local_entry);
    let kind = if region == Region::Calls { "calls" } else { "loop" };
    let stem = runner.path.file_name().unwrap_or_default().to_string_lossy();
    let tracer = tracer_digest(workspace)?;
    // A trace of another QEMU, or of another of its cpus, is not taken for this one's.
    let machine = &digest(&[&engine.describe()])[..8];
    let name = format!("{stem}-{kind}{calls}-{case}-{machine}-{tracer}.trace");
    let finished = workspace.folder("traces")?.join(name);
    if finished.is_file() {
        return Ok(finished);
    }
    let arguments = ["run".to_owned(), case.to_string(), calls.to_string()];
    let recording = Recording {
        engine,
        emulator_arguments: &[],
        program: &runner.path,
        arguments: &arguments,
        plugin_arguments: &[roi, mark, format!("note=compiler:{}", runner.compiler)],
        timeout: CASE_TIMEOUT,
        printing: Printing::Kept,
    };
    recording.run(workspace)?.keep_as(&finished)
}

/// Whether a hot path has a case: its runner makes the case's data and calls nothing.
///
/// # Errors
/// The runner's refusal, or that it did not answer in time. What else may go wrong is told where the case is worked on.
pub fn accepts(engine: &Engine, runner: &Runner, case: &Case) -> Result<()> {
    let command = engine.command(&runner.path).args(["run", &case.to_string(), "0"]).timeout(CASE_TIMEOUT);
    answer(&command.run()?, &runner.path, case)
}

/// What a runner that was asked for a case says. One that is ended at its limit has said nothing: whoever took that for a yes
/// would let every variant of the hot path wait as long again. No call was made, so no variant is to blame.
fn answer(output: &Output, runner: &Path, case: &Case) -> Result<()> {
    match output.ending {
        Ending::Exited(2) if output.stderr.starts_with("error: ") => Err(refused(output)),
        Ending::TimedOut => Err(Problem::new(format!(
            "the runner was still making the data of case {case} after {} s, before any call",
            CASE_TIMEOUT.as_secs()
        ))
        .at(runner.display())
        .remedy("choose a smaller case, or see what the hot path's test.c does for this one")),
        _ => Ok(()),
    }
}

/// A runner's refusal, which begins with `error: `, as a problem of whoever named the case.
pub fn refused(output: &Output) -> Problem {
    let text = output.stderr.lines().next().unwrap_or_default();
    Problem::new(text.trim_start_matches("error: "))
        .remedy("the hot path's hotpath.toml and test.c tell which cases there are")
}

/// As much of a text as the tracer keeps in a line of the header (TEXT_MAX in `tracer/stream.c`). The line is a part of one
/// word of QEMU's command line, which Linux limits to 128 KiB: far less than a program's arguments together may have.
fn as_noted(mut text: String) -> String {
    const BYTES_MAX: usize = 4096;
    let end = (0..=BYTES_MAX.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    text.truncate(end.unwrap_or(0));
    text
}

/// One program to record.
pub struct Recording<'a> {
    /// The QEMU.
    pub engine: &'a Engine,
    /// Further options of QEMU.
    pub emulator_arguments: &'a [String],
    /// The program.
    pub program: &'a Path,
    /// Its arguments.
    pub arguments: &'a [String],
    /// The tracer's arguments besides the output file, as in docs/trace-format.md.
    pub plugin_arguments: &'a [String],
    /// How long it may take.
    pub timeout: Duration,
    /// Where the output of a user's program goes; that of ours is kept.
    pub printing: Printing,
}

/// How a recorded program of the user's ended.
pub struct Recorded {
    /// The trace, if there is one: of all that ran until the program ended, however it did.
    pub trace: Option<Scratch>,
    /// How it ended.
    pub ending: Ending,
    /// What it printed, unless that was shown.
    pub printed: String,
    /// QEMU with all its options, for the log.
    pub line: String,
}

impl Recording<'_> {
    /// Runs a program of the user's, which may do as it likes, fail, crash or be ended.
    pub fn run_foreign(&self, workspace: &Workspace) -> Result<Recorded> {
        let scratch = workspace.scratch(".trace")?;
        let command = self.command(workspace, &scratch)?.arg(self.program).args(self.arguments);
        // The tracer sees signals that end the program only if it is preloaded; it gives the guest our LD_PRELOAD.
        let ours = PlainName::to_preload(&tracer(workspace)?)?;
        let users = std::env::var_os("LD_PRELOAD").unwrap_or_default();
        let mut both = ours.path().as_os_str().to_owned();
        if !users.is_empty() {
            both.push(":");
            both.push(&users);
        }
        let command = command.printing(self.printing).ended_gently();
        let command = command.env("LD_PRELOAD", both).env("ASSAY_PRELOAD", users);
        let output = command.run()?;
        let trace = scratch.path().is_file().then_some(scratch);
        Ok(Recorded { trace, ending: output.ending, printed: output.stdout, line: command.line() })
    }

    /// QEMU with its options, to which the program and its arguments are to be added.
    fn command(&self, workspace: &Workspace, scratch: &Scratch) -> Result<Command> {
        let Engine::Qemu { program: qemu, cpu, version } = self.engine else {
            return Err(Problem::new("a native run cannot be recorded").remedy("choose what a QEMU can run"));
        };
        let mut plugin = vec![
            format!("file={}", tracer(workspace)?.display()),
            format!("out={}", scratch.path().display()),
        ];
        plugin.extend(self.plugin_arguments.iter().cloned());
        plugin.push(format!("note=qemu_version:{version}"));
        plugin.push(format!("note=qemu_cpu:{cpu}"));
        plugin
            .push(format!("note=program:{}", self.program.file_name().unwrap_or_default().to_string_lossy()));
        plugin.push(format!("note=arguments:{}", as_noted(self.arguments.join(" "))));
        // QEMU splits the option at commas and takes two of them for one.
        let escaped: Vec<String> = plugin.iter().map(|part| part.replace(',', ",,")).collect();
        Ok(Command::new(qemu)
            .args(["-cpu", cpu.as_str()])
            .args(self.emulator_arguments)
            .args(["-plugin", &escaped.join(",")])
            .timeout(self.timeout))
    }

    /// The same for a program that is to find its stack at the same address on every machine, so that the caches of a prediction
    /// hold the same lines: above the stack are the program's path, its arguments and the environment. So it is started from its
    /// own folder, and no variable of the user's is passed on.
    fn command_alike(&self, workspace: &Workspace, scratch: &Scratch) -> Result<Command> {
        let (Some(folder), Some(name)) = (self.program.parent(), self.program.file_name()) else {
            return Err(Problem::new("is no file").at(self.program.display()).remedy("name a program"));
        };
        let unset = BARE_VARIABLES.iter().flat_map(|name| ["-U", name]);
        let command = self.command(workspace, scratch)?.bare_environment().folder(folder).args(unset);
        Ok(command.arg(Path::new(".").join(name)).args(self.arguments))
    }

    /// Runs a program of ours, which starts no other, and returns the trace, which is whole: that of the first run that the
    /// machine did not hold up.
    pub fn run(&self, workspace: &Workspace) -> Result<Scratch> {
        for _ in 0..RECORDINGS_MAX {
            if let Some(trace) = self.run_once(workspace)? {
                return Ok(trace);
            }
        }
        let program = self.program.file_name().unwrap_or_default().to_string_lossy();
        Err(Problem::new(format!(
            "{program} was held up in each of {RECORDINGS_MAX} recordings, and what it executes depends on the time"
        ))
        .remedy("try again when the machine is less busy"))
    }

    /// `None` if the machine held up the program.
    fn run_once(&self, workspace: &Workspace) -> Result<Option<Scratch>> {
        let scratch = workspace.scratch(".trace")?;
        let command = self.command_alike(workspace, &scratch)?.alone();
        let output = command.run_supplied().map_err(|problem| problem.at(scratch.path().display()))?;
        let failed = |what: String| {
            let log = workspace.log("run.log", &command.line())?;
            let remedy = format!("./assay check tells more; QEMU's command line is in {}", log.display());
            Err(Problem::new(what).remedy(remedy).of_variant())
        };
        match output.ending {
            Ending::Exited(status) if scratch.path().is_file() && status == 0 => Ok(Some(scratch)),
            Ending::Exited(HELD_UP) => Ok(None),
            Ending::Exited(0) => failed("the run left no trace: was the function ever called?".to_owned()),
            // The runner's own way to say that the case makes no sense; see `runner/assay.h`.
            Ending::Exited(2) if output.stderr.starts_with("error: ") => Err(refused(&output)),
            Ending::Exited(status) => {
                failed(format!("the run exited with status {status}: {}", output.tail(4)))
            }
            Ending::Killed(signal) => failed(format!("the run was ended by {}", signal_name(signal))),
            Ending::TimedOut => failed(format!("the run took longer than {} s", self.timeout.as_secs())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_runner_that_answers_accepts_a_case() {
        let case: Case = "size=40".parse().expect("it is a case");
        let said = |ending, stderr: &str| {
            let stderr = stderr.to_owned();
            let output = Output { ending, stdout: String::new(), stderr, elapsed: Duration::ZERO };
            answer(&output, Path::new("build/runner-of-mine"), &case).map_err(|problem| problem.to_string())
        };
        assert_eq!(said(Ending::Exited(0), ""), Ok(()));
        let refusal = said(Ending::Exited(2), "error: no such size\n").unwrap_err();
        assert!(refusal.starts_with("no such size"), "{refusal}");
        let late = said(Ending::TimedOut, "").unwrap_err();
        for part in ["build/runner-of-mine", "size=40", "120 s"] {
            assert!(late.contains(part), "{late}");
        }
    }
}
