// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The test program of libs/vdso and its image: built by the library's Makefile, run here or under QEMU.

use super::is_native;
use super::result::{parse, Run};
use crate::context::Context;
use arch::Arch;
use lab::emulator::{qemu_engine, Engine};
use lab::process::{Command, Ending, Output};
use lab::target::{Qemu, Target};
use lab::{Problem, Result};
use std::path::PathBuf;
use std::time::Duration;

/// Slack beyond the time that a run was asked to take.
const PATIENCE: Duration = Duration::from_secs(120);

/// What one millisecond, page or case of a verb may take: milliseconds are those of each call and clock by each image.
const MILLISECONDS_EACH: u64 = 40;

/// Slices of a round of `bench`: 17 calls and clocks by four, and half as many more for what disturbs them.
const BENCH_SLICES: u64 = 100;

/// How long a run may take. The numbers of `bench` are the milliseconds of a slice and the rounds.
fn patience(words: &[String]) -> Duration {
    let numbers = words.iter().skip(1).filter_map(|word| word.parse::<u64>().ok());
    let milliseconds = match words[0].as_str() {
        "bench" => numbers.product::<u64>() * BENCH_SLICES,
        _ => numbers.max().unwrap_or(0) * MILLISECONDS_EACH,
    };
    PATIENCE + Duration::from_millis(milliseconds)
}

/// One architecture's program and what runs it.
pub struct Program {
    arch: Arch,
    engine: Engine,
}

impl Program {
    /// Native if possible; otherwise under QEMU as the oldest processor that the images are for.
    pub fn new(context: &Context, arch: Arch) -> Result<Program> {
        let engine = if is_native(arch) { Engine::Native } else { emulated(context, arch)? };
        Ok(Program { arch, engine })
    }

    /// The image's file, built.
    pub fn image(&self, context: &Context) -> Result<PathBuf> {
        self.build(context, "vdso.so")
    }

    /// Runs a verb of the program and parses its output.
    pub fn run(&self, context: &Context, words: &[String]) -> Result<Run> {
        let image = self.image(context)?;
        let name = if words[0] == "reader" { "reader-test" } else { "vdso-test" };
        let program = self.build(context, name)?;
        // Not `Engine::command`, which forbids starting other processes: this program has to start some.
        let command = match &self.engine {
            Engine::Native => Command::new(&program),
            Engine::Qemu { program: qemu, cpu, .. } => Command::new(qemu).args(["-cpu", cpu]).arg(&program),
        };
        let emulated = matches!(self.engine, Engine::Qemu { .. }) && name == "vdso-test";
        let command = command.arg(&image).args(words).args(emulated.then_some("emulated"));
        let output = command.timeout(patience(words)).run()?;
        let engine = self.engine.describe();
        match output.ending {
            Ending::Exited(0 | 1) => parse(&output.stdout, self.arch, &engine),
            Ending::Exited(2) => Err(Problem::new(output.tail(2)).at(self.title())),
            _ => Ok(Run::broken(self.arch, &engine, &words[0], &ended(&output))),
        }
    }

    fn build(&self, context: &Context, name: &str) -> Result<PathBuf> {
        lab::make::build(&context.workspace, "vdso", self.arch, name)
    }

    fn title(&self) -> String {
        format!("the vDSO on {}", self.arch)
    }
}

fn emulated(context: &Context, arch: Arch) -> Result<Engine> {
    let baseline = Target::of(arch).requirement(Target::of(arch).baseline).expect("a test holds it");
    match arch {
        // The 603 is e300's ancestor: neither AltiVec nor anything newer.
        Arch::Powerpc => qemu_engine(&context.workspace, arch, Qemu::Packaged, "603"),
        Arch::Loongarch64 => qemu_engine(&context.workspace, arch, Qemu::Built, baseline.qemu_cpu),
        _ => qemu_engine(&context.workspace, arch, baseline.qemu, baseline.qemu_cpu),
    }
}

fn ended(output: &Output) -> String {
    let tail = output.tail(3);
    match output.ending {
        Ending::TimedOut => format!("a call hangs: no result in {} s: {tail}", output.elapsed.as_secs()),
        ending => format!("{ending} without a verdict: {tail}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bench_may_take_all_slices_of_all_rounds() {
        let of = |line: &str| patience(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        // Seven clocks by two calls, and three calls; each by four.
        assert!(of("bench 100 100") > Duration::from_millis(100 * 100 * 17 * 4));
        assert!(of("bench 1000 1000") > Duration::from_secs(1000 * 17 * 4));
        assert_eq!(of("torture 10000 10000"), PATIENCE + Duration::from_secs(400));
        assert_eq!(of("list"), PATIENCE);
    }
}
