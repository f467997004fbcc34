// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `regcheck`: does a context switch keep what the ABI says a call keeps? Fills every such register on both sides of a
//! switch, crosses it, compares, and names what was lost: for our own switch, for the C library's and Boost's, and for
//! any that a user brings an adapter for. libs/vector_state/switch/README.md is the manual.

mod library;
mod program;
mod result;

use crate::context::{Context, Outcome};
use crate::progress::in_order;
use crate::verbs::check::Tally;
use crate::work::Stops;
use arch::Arch;
use lab::Result;
use library::Library;
use program::{Program, Subject};
use result::Finding;
use std::path::PathBuf;

/// Options of `regcheck`.
#[derive(clap::Args)]
pub struct Args {
    /// Architecture, by GNU name (repeatable or separated by commas; default: all)
    #[arg(short, long = "arch", value_name = "ARCH", value_delimiter = ',')]
    archs: Vec<Arch>,
    /// Only this library (repeatable; default: all); one that is named and loses a register makes the status 1
    #[arg(short, long = "library", value_name = "LIBRARY", value_enum)]
    libraries: Vec<Library>,
    /// Put another library to the test: a C file like libs/vector_state/switch/regcheck/adapters/ucontext.c
    #[arg(long, value_name = "FILE", conflicts_with = "libraries")]
    adapter: Option<PathBuf>,
    /// What the adapter is linked with: a file, or -lNAME and the like (repeatable)
    #[arg(long, value_name = "ARG", requires = "adapter", allow_hyphen_values = true)]
    link: Vec<String>,
    /// Rounds of two crossings each, with new random values
    #[arg(long, default_value_t = 64, value_parser = crate::numbers::whole::<u32>(1..=1_000_000))]
    rounds: u32,
    /// Start of the random values
    #[arg(long, default_value_t = 1, value_parser = crate::numbers::whole::<u32>(1..=99_999_999))]
    seed: u32,
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let archs = if args.archs.is_empty() { Arch::ALL.to_vec() } else { args.archs.clone() };
    let subjects: Vec<Subject> = match &args.adapter {
        Some(file) => vec![Subject::adapter(file, &args.link)?],
        None if args.libraries.is_empty() => Library::ALL.map(Subject::Known).to_vec(),
        None => args.libraries.iter().copied().map(Subject::Known).collect(),
    };
    let named = args.adapter.is_some() || !args.libraries.is_empty();
    let findings = findings(context, &archs, &subjects, args.rounds, args.seed)?;
    context.tell(findings.iter().flat_map(Finding::records), || result::report(&findings));
    let judged = |finding: &&Finding| named || finding.is_ours();
    let tally = tally(findings.iter().filter(judged));
    let skipped = findings.iter().filter(|finding| finding.skipped().is_some()).count();
    eprintln!(
        "{} switches keep all, {} lose registers, {skipped} skipped",
        findings.iter().filter(|finding| finding.keeps_all()).count(),
        findings.iter().filter(|finding| finding.loses()).count(),
    );
    Ok(if tally.wrong == 0 { Outcome::Fine } else { Outcome::Failed })
}

/// For `./assay test`: our own switch has to keep everything on every machine, and regcheck has to catch Boost's on
/// powerpc64le, which is known to lose every floating-point register. What other libraries lose is shown and not judged.
pub fn check(context: &Context) -> Result<Tally> {
    let subjects = Library::ALL.map(Subject::Known);
    let findings = findings(context, &Arch::ALL, &subjects, 16, 1)?;
    let mut tally = tally(findings.iter().filter(|finding| finding.is_ours()));
    for finding in findings.iter().filter(|finding| finding.loses() && finding.is_ours()) {
        eprintln!("WRONG  {}", finding.summary());
    }
    for finding in findings.iter().filter(|finding| !finding.is_ours()) {
        match finding.skipped() {
            Some(reason) => {
                eprintln!("skip   {}: {reason}", finding.summary());
                tally.skipped += 1;
            }
            None if finding.must_be_caught() => match finding.loses_all("fpr") {
                true => tally.right += 1,
                false => {
                    eprintln!(
                        "WRONG  {}: keeps floating-point registers, or so regcheck says",
                        finding.summary()
                    );
                    tally.wrong += 1;
                }
            },
            None => eprintln!("told   {}", finding.summary()),
        }
    }
    Ok(tally)
}

/// Runs all programs: one finding per library, policy, architecture and machine.
fn findings(
    context: &Context,
    archs: &[Arch],
    subjects: &[Subject],
    rounds: u32,
    seed: u32,
) -> Result<Vec<Finding>> {
    let mut programs = Vec::new();
    for subject in subjects {
        for arch in archs {
            programs.extend(Program::all(context, subject, *arch)?);
        }
    }
    let mut findings = Vec::new();
    let mut stops = Stops::default();
    in_order(
        "crossing",
        &programs,
        |program| program.run(context, rounds, seed),
        |index, result| match result {
            Ok(found) => findings.extend(found),
            Err(problem) => stops.add(programs[index].title(), problem),
        },
    );
    stops.outcome().map(|()| findings)
}

fn tally<'a>(findings: impl Iterator<Item = &'a Finding>) -> Tally {
    let mut tally = Tally::default();
    for finding in findings {
        match (finding.skipped(), finding.loses()) {
            (Some(_), _) => tally.skipped += 1,
            (None, true) => tally.wrong += 1,
            (None, false) => tally.right += 1,
        }
    }
    tally
}
