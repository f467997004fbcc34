// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Checking: whether a variant is right, as its runner says under the oldest CPU that the variant claims.

use crate::build::Builder;
use crate::cache::Workspace;
use crate::discover::Variant;
use crate::emulator::{self, CannotRun, Engine};
use crate::problem::{Blame, Problem, Result};
use crate::process::{quoted, signal_name, Ending, Output};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::path::Path;
use std::time::Duration;

/// A full check that takes longer is stuck; the slowest reference takes a tenth of it.
const FULL_TIMEOUT: Duration = Duration::from_secs(600);
/// The same for the short form.
const QUICK_TIMEOUT: Duration = Duration::from_secs(90);
/// The same for a variant that is expected to fail, which may be one that never ends.
const EXPECTED_FAILURE_TIMEOUT: Duration = Duration::from_secs(20);

/// What came of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every case was right.
    Right {
        /// How many there were.
        cases_count: u64,
    },
    /// It failed, in these words.
    Wrong(String),
    /// It was expected to fail and did, in these words.
    Caught(String),
    /// It could not be run here, for this reason.
    Skipped(String),
}

impl Verdict {
    /// Whether this fails the run.
    pub fn is_failure(&self) -> bool {
        matches!(self, Verdict::Wrong(_))
    }
}

/// A finished check.
#[derive(Clone, Debug)]
pub struct Checked {
    /// What came of it.
    pub verdict: Verdict,
    /// What it ran on; empty if it never ran.
    pub engine: String,
    /// The compiler; empty if it never compiled.
    pub compiler: String,
    /// Time in the runner.
    pub elapsed: Duration,
    /// How to have the wrong call again; none if it is right or never called.
    pub repeat: Option<Repeat>,
}

/// The checked call that went wrong: checks are the same in every run, so its number is enough to have it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// Counted from 1.
    pub call: u64,
    /// The seed of the random data.
    pub seed: u64,
    /// The line that runs the check up to this call; a debugger is put before it or waits for it.
    pub runner: Vec<String>,
    /// What it runs on.
    pub engine: Engine,
    /// The function that is judged.
    pub symbol: String,
}

/// Where the runner stops for a debugger before the wanted call.
const BREAKPOINT: &str = "assay_wanted_call_follows";

impl Repeat {
    /// A line for a shell that stops in a debugger where the function is entered by the call.
    pub fn debugger_line(&self) -> String {
        let runner = self.runner.iter().map(|word| quoted(word.as_ref())).collect::<Vec<_>>().join(" ");
        let into = format!("-ex 'tbreak {}' -ex continue", self.symbol);
        match &self.engine {
            Engine::Native => format!("gdb -q -ex 'break {BREAKPOINT}' -ex run {into} --args {runner}"),
            Engine::Qemu { program, cpu, .. } => {
                let program = quoted(program.as_os_str());
                let file = quoted(self.runner[0].as_ref());
                format!(
                    "{program} -g 1234 -cpu {cpu} {runner} & gdb-multiarch -q {file} -ex 'target remote :1234' \
                     -ex 'break {BREAKPOINT}' -ex continue {into}"
                )
            }
        }
    }
}

impl Checked {
    fn without_a_run(verdict: Verdict) -> Checked {
        Checked {
            verdict,
            engine: String::new(),
            compiler: String::new(),
            elapsed: Duration::ZERO,
            repeat: None,
        }
    }
}

/// How a check is done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manner {
    /// The short form, on fewer lengths and offsets.
    pub quick: bool,
    /// How long a variant may take, where it is not ten minutes (90 s in the short form, 20 s for one that is
    /// expected to fail).
    pub timeout: Option<Duration>,
    /// The seed of the random data, where it is not the usual one.
    pub seed: Option<u64>,
    /// The checked call behind which to stop.
    pub call: Option<u64>,
}

impl Manner {
    fn timeout_for(self, variant: &Variant) -> Duration {
        let usual = match (&variant.keys.expect_fail, self.quick) {
            (Some(_), _) => EXPECTED_FAILURE_TIMEOUT,
            (None, true) => QUICK_TIMEOUT,
            (None, false) => FULL_TIMEOUT,
        };
        self.timeout.unwrap_or(usual)
    }

    /// The runner's words behind the token.
    fn words(self) -> Vec<String> {
        let quick = self.quick.then(|| "quick".to_owned());
        let seed = self.seed.map(|seed| format!("seed={seed}"));
        quick.into_iter().chain(seed).chain(self.call.map(|call| format!("call={call}"))).collect()
    }
}

/// Builds and checks a variant in the usual manner, in its full or its short form.
pub fn check(workspace: &Workspace, builder: &Builder, variant: &Variant, quick: bool) -> Result<Checked> {
    check_in(workspace, builder, variant, Manner { quick, ..Manner::default() })
}

/// Builds and checks a variant. One that does not compile is wrong; a [`Problem`](crate::Problem) means that it could not
/// be judged.
pub fn check_in(
    workspace: &Workspace,
    builder: &Builder,
    variant: &Variant,
    manner: Manner,
) -> Result<Checked> {
    if let Some(defect) = &variant.defect {
        if defect.blame == Blame::Surroundings {
            return Err(defect.clone());
        }
        return Ok(Checked::without_a_run(Verdict::Wrong(defect.to_string())));
    }
    if let Some(reason) = builder.cannot_build_for(variant.arch) {
        return Ok(Checked::without_a_run(Verdict::Skipped(reason)));
    }
    let (engines, reasons) = engines(workspace, variant)?;
    let mut checked = Checked::without_a_run(Verdict::Skipped(reasons.join("; ")));
    checked.engine = engines.iter().map(Engine::describe).collect::<Vec<_>>().join("; ");
    if engines.is_empty() {
        return Ok(checked);
    }
    let expected = variant.keys.expect_fail.as_deref();
    let runner = match builder.runner(variant) {
        Ok(runner) => runner,
        Err(problem) if problem.blame == Blame::Surroundings => return Err(problem),
        Err(problem) => {
            checked.verdict = judged(Verdict::Wrong(problem.to_string()), expected);
            return Ok(checked);
        }
    };
    let timeout = manner.timeout_for(variant);
    let mut verdict = Verdict::Right { cases_count: 0 };
    for engine in &engines {
        let token = token();
        let command = engine.command(&runner.path).args(["check", &token]).args(manner.words());
        let output = command.timeout(timeout).run()?;
        checked.elapsed += output.elapsed;
        refuse_stopped(&output)?;
        refuse_unreached(&output, &token, manner)?;
        verdict = both(verdict, interpret(&output, &token, timeout));
        if verdict.is_failure() {
            verdict = with_prototype(verdict, builder, variant)?;
            checked.engine = engine.describe();
            checked.repeat = repeat(&output, engine, &runner.path, manner, &variant.hotpath.symbol);
            break;
        }
    }
    checked.compiler = runner.compiler;
    checked.verdict = judged(verdict, expected);
    Ok(checked)
}

/// The engines that a variant is checked on, as far as they are available, and why the others are not.
pub fn engines(workspace: &Workspace, variant: &Variant) -> Result<(Vec<Engine>, Vec<String>)> {
    let mut engines = vec![emulator::for_check(workspace, variant)?];
    engines.extend(emulator::for_dispatch(workspace, variant)?);
    Ok(split(engines))
}

/// A runner that could not go on (`assay_die`: no memory, a machine without what the test needs) has judged nothing.
fn refuse_stopped(output: &Output) -> Result<()> {
    let stopped = matches!(output.ending, Ending::Exited(2));
    let Some(text) = output.stderr.lines().find_map(|line| line.strip_prefix("error: ")).filter(|_| stopped)
    else {
        return Ok(());
    };
    Err(Problem::new(format!("the check could not go on: {text}")).remedy(
        "the runner or the hot path's test.c says so, and not of the variant; it may want more memory or another machine",
    ))
}

/// If the check ended before the wanted call, that says nothing about the variant. The runner tells how many calls there are.
fn refuse_unreached(output: &Output, token: &str, manner: Manner) -> Result<()> {
    let told = |line: &str| line.strip_prefix("calls ")?.strip_suffix(token)?.trim().parse::<u64>().ok();
    let (Some(wanted), Some(count)) = (manner.call, output.stdout.lines().find_map(told)) else {
        return Ok(());
    };
    let form = if manner.quick { "the quick check" } else { "the check" };
    Err(Problem::new(format!("--call {wanted}: {form} makes {count} calls")).remedy(format!(
        "name one from 1 to {count}; a wrong verdict tells which call it was and how to repeat it"
    )))
}

/// Adds to a failure that the file declares the function otherwise than it is called, which is most often why.
fn with_prototype(verdict: Verdict, builder: &Builder, variant: &Variant) -> Result<Verdict> {
    let Verdict::Wrong(text) = verdict else { return Ok(verdict) };
    Ok(Verdict::Wrong(match builder.has_another_prototype(variant)? {
        true => format!("{text}\nits types are others; the contract says: {}", variant.hotpath.prototype),
        false => text,
    }))
}

fn split(engines: Vec<Result<Engine, CannotRun>>) -> (Vec<Engine>, Vec<String>) {
    let mut there: Vec<Engine> = Vec::new();
    let mut reasons = Vec::new();
    for engine in engines {
        match engine {
            Ok(engine) if !there.contains(&engine) => there.push(engine),
            Ok(_) => {}
            Err(CannotRun(reason)) => reasons.push(reason),
        }
    }
    (there, reasons)
}

/// Two right verdicts add up; otherwise the later one counts.
fn both(first: Verdict, second: Verdict) -> Verdict {
    match (first, second) {
        (Verdict::Right { cases_count: a }, Verdict::Right { cases_count: b }) => {
            Verdict::Right { cases_count: a + b }
        }
        (_, second) => second,
    }
}

/// Turns an expected failure into a catch, and an expected failure that did not come into a failure.
fn judged(verdict: Verdict, expected: Option<&str>) -> Verdict {
    let Some(text) = expected else { return verdict };
    match verdict {
        Verdict::Wrong(message) if message.contains(text) => Verdict::Caught(message),
        Verdict::Wrong(message) => {
            Verdict::Wrong(format!("was to fail with '{text}' in the message, but failed with: {message}"))
        }
        Verdict::Right { .. } => Verdict::Wrong("was to fail, but passed: the checker has a hole".to_owned()),
        other => other,
    }
}

/// A word that a variant cannot know: it shares its process with the runner, and what it prints must not pass for the
/// runner's verdict.
fn token() -> String {
    format!("{:016x}", RandomState::new().build_hasher().finish())
}

/// Reads what a runner left: see `runner/main.c` for its side of this.
fn interpret(output: &Output, token: &str, timeout: Duration) -> Verdict {
    let line = |mark: &str| {
        output
            .stdout
            .lines()
            .rev()
            .find_map(|line| line.strip_prefix(mark))
            .map(|text| text.trim().to_owned())
    };
    match output.ending {
        Ending::Exited(0) => {
            match line("checked ").and_then(|text| text.strip_suffix(token)?.trim().parse().ok()) {
                Some(cases_count) if cases_count > 0 => Verdict::Right { cases_count },
                _ => Verdict::Wrong("ended well without having said what it checked".to_owned()),
            }
        }
        Ending::Exited(status) => {
            let text = line("failure:").or_else(|| line("crash:").map(|text| format!("crashed with {text}")));
            Verdict::Wrong(match text {
                Some(text) => {
                    details(output).into_iter().fold(text, |text, detail| format!("{text}\n{detail}"))
                }
                None => format!("exited with status {status}: {}", output.tail(3)),
            })
        }
        Ending::Killed(signal) => Verdict::Wrong(format!("ended by {}", signal_name(signal))),
        Ending::TimedOut => {
            let last = line("checking ").map(|text| format!(", last in {text}")).unwrap_or_default();
            Verdict::Wrong(format!("still running after {} s: an endless loop?{last}", timeout.as_secs()))
        }
    }
}

/// What the runner says about the last call behind its verdict.
fn details(output: &Output) -> Vec<String> {
    output.stdout.lines().filter_map(|line| line.strip_prefix("detail: ").map(str::to_owned)).collect()
}

/// The call that the runner was at, as it says: `call 7 of the check, seed 3`.
fn repeat(output: &Output, engine: &Engine, runner: &Path, manner: Manner, symbol: &str) -> Option<Repeat> {
    let said = details(output).into_iter().find(|line| line.starts_with("call "))?;
    let number = |mark: &str| {
        let rest = &said[said.find(mark)? + mark.len()..];
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    let (call, seed) = (number("call ")?, number("seed ")?);
    let words = Manner { call: Some(call), ..manner }.words();
    let mut line = vec![runner.display().to_string(), "check".to_owned(), "again".to_owned()];
    line.extend(words);
    Some(Repeat { call, seed, runner: line, engine: engine.clone(), symbol: symbol.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(ending: Ending, stdout: &str) -> Output {
        Output { ending, stdout: stdout.to_owned(), stderr: String::new(), elapsed: Duration::ZERO }
    }

    #[test]
    fn a_runner_has_to_say_what_it_checked() {
        let limit = Duration::from_secs(1);
        let right = interpret(&output(Ending::Exited(0), "checked 42 abc\n"), "abc", limit);
        assert_eq!(right, Verdict::Right { cases_count: 42 });
        for text in
            ["", "checked 0 abc\n", "checked many abc\n", "checked 42\n", "checked 42 abd\n", "checked abc\n"]
        {
            assert!(interpret(&output(Ending::Exited(0), text), "abc", limit).is_failure(), "{text:?}");
        }
        let wrong = interpret(&output(Ending::Exited(1), "failure: size=3 is off\n"), "abc", limit);
        assert_eq!(wrong, Verdict::Wrong("size=3 is off".to_owned()));
        assert!(interpret(&output(Ending::TimedOut, ""), "abc", limit).is_failure());
        let Verdict::Wrong(text) = interpret(&output(Ending::Killed(libc::SIGILL), ""), "abc", limit) else {
            panic!()
        };
        assert!(text.contains("illegal instruction"), "{text}");
    }

    #[test]
    fn a_runner_that_could_not_go_on_is_no_verdict() {
        let stopped = |status, stderr: &str| {
            refuse_stopped(&Output { stderr: stderr.to_owned(), ..output(Ending::Exited(status), "") })
        };
        let text = stopped(2, "error: no memory\n").unwrap_err().to_string();
        assert!(text.contains("could not go on: no memory"), "{text}");
        assert!(stopped(2, "").is_ok() && stopped(1, "error: no memory\n").is_ok());
    }

    #[test]
    fn an_announced_failure_has_to_come_and_to_say_why() {
        let wrong = || Verdict::Wrong("reads past the end".to_owned());
        assert_eq!(judged(wrong(), Some("past the end")), Verdict::Caught("reads past the end".to_owned()));
        assert!(judged(wrong(), Some("clobbers r14")).is_failure());
        assert!(judged(Verdict::Right { cases_count: 1 }, Some("")).is_failure());
        let skipped = Verdict::Skipped("no AVX-512".to_owned());
        assert_eq!(judged(skipped.clone(), Some("x")), skipped);
    }
}
