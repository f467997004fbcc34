// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `pingpong`: the context-switch benchmark of the 2016 AltiVec thread, natively; under QEMU the same program only checks
//! that every token comes back right.

mod program;
mod record;
mod table;

use crate::context::{Context, Outcome};
use arch::Arch;
use lab::{host, Problem, Result};
use program::Program;
use record::{judge_baseline, read_baseline, PingpongRecord};
use std::path::PathBuf;

/// Rounds under QEMU, and before each native measurement: enough to see that tokens come back.
const CHECKED_ROUNDS: u64 = 1000;

/// Options of `pingpong`.
#[derive(clap::Args)]
pub struct Args {
    /// Another architecture: runs under QEMU, and says only whether it is right
    #[arg(short, long = "arch", value_name = "ARCH")]
    arch: Option<Arch>,
    /// How the token is handed over
    #[arg(long, default_value = "pipe", value_parser = ["pipe", "futex", "switch"])]
    via: String,
    /// Who hands it over (default: process; over a switch it is two contexts of one thread)
    #[arg(long, value_parser = ["process", "thread", "context"])]
    between: Option<String>,
    /// Facilities to touch, like FPU+AVX or none (repeatable; default: every combination that the machine has)
    #[arg(long, value_name = "FACILITIES")]
    touch: Vec<String>,
    /// Seconds for each combination
    #[arg(long, value_name = "N", default_value_t = 52, value_parser = crate::numbers::whole::<u64>(1..=86400))]
    seconds: u64,
    /// Seconds at the start that do not count
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = crate::numbers::whole::<u64>(0..))]
    drop: u64,
    /// Records of an earlier run (`--json`), to compare with
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
}

impl Args {
    /// Who hands the token over.
    fn between(&self) -> Result<&str> {
        let switch = self.via == "switch";
        match self.between.as_deref() {
            None => Ok(if switch { "context" } else { "process" }),
            Some(between) if (between == "context") == switch => Ok(between),
            Some(between) => {
                Err(Problem::new(format!("--via {} is not between two of '{between}'", self.via))
                    .remedy("a switch is between contexts, a pipe and a futex between processes or threads"))
            }
        }
    }
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    if args.drop >= args.seconds {
        return Err(Problem::new(format!(
            "--drop {} leaves nothing of --seconds {}",
            args.drop, args.seconds
        ))
        .remedy("drop fewer seconds, or run longer"));
    }
    let between = args.between()?;
    // Read before minutes are spent measuring, in case the file is refused.
    let baseline = args.baseline.as_deref().map(read_baseline).transpose()?;
    let native = host::native_arch();
    let arch = args.arch.or(native).ok_or_else(|| {
        Problem::new("this machine is of no architecture that Assay knows").remedy("name one with -a")
    })?;
    let emulated = native != Some(arch);
    if emulated && baseline.is_some() {
        return Err(Problem::new(format!("{arch} runs under QEMU here, and time under QEMU is no time"))
            .remedy("leave out --baseline, or run it on such a machine"));
    }
    let program = Program::build(context, arch, emulated)?;
    let combinations = program.combinations(&args.touch)?;
    let mut records = Vec::new();
    let mut wrong = false;
    for (index, combination) in combinations.iter().enumerate() {
        let rounds = program.count(&args.via, between, combination.mask, CHECKED_ROUNDS)?;
        if let Err(failure) = rounds {
            context.tell_failure(&format!("{}: {failure}", combination.name));
            wrong = true;
            continue;
        }
        let mut record = PingpongRecord::new(arch, &args.via, between, &combination.name, &program.engine());
        if emulated {
            record.checked_rounds = Some(CHECKED_ROUNDS);
        } else {
            let (number, left) = (index + 1, (combinations.len() - index) as u64 * args.seconds);
            let of = combinations.len();
            context.progress(&format!(
                "{} ({number} of {of}): {} s, {left} s to go",
                combination.name, args.seconds
            ));
            let rates = program.time(&args.via, between, combination.mask, args.seconds)?;
            record.fill(&rates[args.drop as usize..]);
            if let Some(baseline) = &baseline {
                judge_baseline(&mut record, baseline)?;
            }
        }
        records.push(record);
    }
    context.tell(records.iter(), || table::report(&records, args, &program.engine(), emulated));
    Ok(if wrong { Outcome::Failed } else { Outcome::Fine })
}
