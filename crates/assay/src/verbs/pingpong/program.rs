// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! libs/vector_state/pingpong as a program: built without a C library, run on the machine or under QEMU.

use crate::context::Context;
use arch::Arch;
use kernel::workload::pingpong as build;
use lab::emulator::{qemu_engine, Engine};
use lab::process::{Command, Ending, Output};
use lab::target::{Qemu, Target};
use lab::{Problem, Result};
use std::path::PathBuf;
use std::time::Duration;

/// How much longer than asked the program may take before it counts as hung.
const PATIENCE: Duration = Duration::from_secs(30);

/// The built program and what runs it.
pub struct Program {
    file: PathBuf,
    engine: Engine,
}

/// Facilities that are touched together.
pub struct Combination {
    /// As in the thread: `FPU + VEC`, `None`.
    pub name: String,
    /// As the program takes them.
    pub mask: u32,
}

impl Program {
    /// Builds it for an architecture.
    pub fn build(context: &Context, arch: Arch, emulated: bool) -> Result<Program> {
        let target = Target::of(arch);
        let file = build(&context.workspace, target)?;
        let engine = if emulated { widest_qemu(context, target)? } else { Engine::Native };
        Ok(Program { file, engine })
    }

    /// What runs it, for records.
    pub fn engine(&self) -> String {
        self.engine.describe()
    }

    /// The combinations that were asked for, or all that the machine has.
    pub fn combinations(&self, wanted: &[String]) -> Result<Vec<Combination>> {
        let output = self.command().arg("list").timeout(PATIENCE).run()?;
        if !output.success() {
            return Err(self.broken(&output));
        }
        let names: Vec<&str> = output.stdout.lines().collect();
        if wanted.is_empty() {
            return Ok((0..1 << names.len())
                .map(|mask| Combination { name: title(&names, mask), mask })
                .collect());
        }
        wanted
            .iter()
            .map(|word| {
                let mask = mask_of(&names, word)?;
                Ok(Combination { name: title(&names, mask), mask })
            })
            .collect()
    }

    /// Hands the token over so many times; the inner error is what the program found wrong.
    pub fn count(
        &self,
        via: &str,
        between: &str,
        mask: u32,
        rounds: u64,
    ) -> Result<std::result::Result<(), String>> {
        let words = ["count", via, between, &mask.to_string(), &rounds.to_string()];
        let output = self.command().args(words).timeout(PATIENCE).run()?;
        if output.success() && output.stdout == format!("rounds {rounds}\n") {
            return Ok(Ok(()));
        }
        match output.ending {
            Ending::Exited(1) => Ok(Err(output.tail(2))),
            Ending::TimedOut => Ok(Err(format!("{rounds} rounds were not done in {} s", PATIENCE.as_secs()))),
            _ => Err(self.broken(&output)),
        }
    }

    /// Ping-pongs per second, second by second.
    pub fn time(&self, via: &str, between: &str, mask: u32, seconds: u64) -> Result<Vec<f64>> {
        let words = ["time", via, between, &mask.to_string(), &seconds.to_string()];
        let limit = Duration::from_secs(seconds) + PATIENCE;
        let output = self.command().args(words).timeout(limit).run()?;
        let rates: Vec<f64> = output.stdout.lines().filter_map(rate).collect();
        if !output.success() || rates.len() as u64 != seconds {
            return Err(self.broken(&output));
        }
        Ok(rates)
    }

    /// Not `Engine::command`, which forbids starting other processes: this program has to start some.
    fn command(&self) -> Command {
        match &self.engine {
            Engine::Native => Command::new(&self.file),
            Engine::Qemu { program, cpu, .. } => Command::new(program).args(["-cpu", cpu]).arg(&self.file),
        }
    }

    fn broken(&self, output: &Output) -> Problem {
        Problem::new(format!("ended without its result: {}", output.tail(4)))
            .at(format!("the ping-pong on {}", self.engine()))
            .remedy("see that the system allows clone, futex, pipes and setitimer here")
    }
}

/// QEMU with the most facilities: as the CPU of the architecture's newest claim that a QEMU can run.
fn widest_qemu(context: &Context, target: &'static Target) -> Result<Engine> {
    let widest = target.requirements.iter().rev().find(|requirement| requirement.qemu != Qemu::None);
    let widest = widest.expect("every architecture has a baseline that a QEMU runs");
    qemu_engine(&context.workspace, target.arch, widest.qemu, widest.qemu_cpu)
}

/// `second N ROUNDS NANOSECONDS`, as ping-pongs per second.
fn rate(line: &str) -> Option<f64> {
    let mut words = line.strip_prefix("second ")?.split(' ').skip(1);
    let rounds: f64 = words.next()?.parse().ok()?;
    let nanoseconds: f64 = words.next()?.parse().ok()?;
    (nanoseconds > 0.0).then(|| rounds * 1e9 / nanoseconds)
}

fn title(names: &[&str], mask: u32) -> String {
    let touched: Vec<&str> =
        names.iter().enumerate().filter(|(index, _)| mask >> index & 1 == 1).map(|(_, name)| *name).collect();
    if touched.is_empty() {
        "None".to_owned()
    } else {
        touched.join(" + ")
    }
}

fn mask_of(names: &[&str], word: &str) -> Result<u32> {
    if word.eq_ignore_ascii_case("none") {
        return Ok(0);
    }
    word.split('+').map(str::trim).try_fold(0, |mask, part| {
        let index = names.iter().position(|name| name.eq_ignore_ascii_case(part)).ok_or_else(|| {
            Problem::new(format!("there is no facility '{part}' here"))
                .remedy(format!("known: none {}", names.join(" ")))
        })?;
        Ok(mask | 1 << index)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facilities_are_named_in_any_order_and_case() {
        let names = ["FPU", "VEC", "VSX"];
        assert_eq!(mask_of(&names, "vsx+FPU").unwrap(), 0b101);
        assert_eq!(mask_of(&names, "None").unwrap(), 0);
        assert_eq!(title(&names, 0b101), "FPU + VSX");
        assert_eq!(title(&names, 0), "None");
        assert!(mask_of(&names, "FPU+").is_err());
        assert!(mask_of(&names, "SPE").unwrap_err().to_string().contains("SPE"));
    }

    #[test]
    fn a_second_is_as_long_as_the_clock_says() {
        assert_eq!(rate("second 3 1000 2000000000"), Some(500.0));
        for line in ["second 3 1000", "second 3 x 1", "failure: a token", "second 1 1 0"] {
            assert_eq!(rate(line), None, "{line}");
        }
    }
}
