// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `vdso`: builds and lists the vDSO images of libs/vdso, checks them against the system calls and on hostile pages, under
//! QEMU or natively, and times them beside the kernel's own image. libs/vdso/README.md is the manual.

mod bench;
mod program;
mod result;

use crate::context::{Context, Outcome};
use crate::verbs::check::Tally;
use crate::work::Stops;
use arch::Arch;
use lab::output::Output;
use lab::{host, pool, Problem, Result};
use program::Program;
use result::{Export, Finding, Run};
use std::fs::File;
use std::path::PathBuf;

/// Options of `vdso`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Build the images into a folder, as ARCH.so
    Build(BuildArgs),
    /// What each image exports, under which version; here also what the kernel's does
    List(ArchArgs),
    /// Each call against the system call, by turns; here the kernel's image, too
    Verify(TimedArgs),
    /// Each call with pointers and clocks that are none: vdsotest's 468 cases
    Abi(ArchArgs),
    /// Readers in several processes against a writer that commits every few microseconds
    Torture(TortureArgs),
    /// Pages that no writer wrote: no call may hang or crash
    Hostile(HostileArgs),
    /// Arithmetic, order and limits, with a counter that the test moves, against exact integers
    Reader(ReaderArgs),
    /// Nanoseconds a call on this machine: the kernel's image, ours, the system call, the counter alone
    Bench(bench::Args),
}

#[derive(clap::Args)]
struct ArchArgs {
    /// Architecture, by GNU name (repeatable or separated by commas; default: all)
    #[arg(short, long = "arch", value_name = "ARCH", value_delimiter = ',')]
    archs: Vec<Arch>,
}

#[derive(clap::Args)]
struct BuildArgs {
    #[command(flatten)]
    archs: ArchArgs,
    /// Where to
    folder: PathBuf,
}

#[derive(clap::Args)]
struct TimedArgs {
    #[command(flatten)]
    archs: ArchArgs,
    /// Milliseconds for each call and clock
    #[arg(long, default_value_t = 100, value_parser = crate::numbers::whole::<u64>(1..=3_600_000))]
    milliseconds: u64,
}

#[derive(clap::Args)]
struct TortureArgs {
    #[command(flatten)]
    archs: ArchArgs,
    /// Seconds
    #[arg(long, default_value_t = 10, value_parser = crate::numbers::whole::<u64>(1..=86_400))]
    seconds: u64,
    /// Microseconds between commits
    #[arg(long, default_value_t = 10, value_parser = crate::numbers::whole::<u64>(1..=1_000_000))]
    every: u64,
}

#[derive(clap::Args)]
struct HostileArgs {
    #[command(flatten)]
    archs: ArchArgs,
    /// Pages of rubbish, after each byte of a good page that readers use was changed
    #[arg(long, default_value_t = 2000, value_parser = crate::numbers::whole::<u64>(1..=10_000_000))]
    pages: u64,
}

#[derive(clap::Args)]
struct ReaderArgs {
    #[command(flatten)]
    archs: ArchArgs,
    /// Random cases of each kind
    #[arg(long, default_value_t = 100_000, value_parser = crate::numbers::whole::<u64>(1..=1_000_000_000))]
    cases: u64,
}

impl ArchArgs {
    fn archs(&self) -> Vec<Arch> {
        if self.archs.is_empty() {
            Arch::ALL.to_vec()
        } else {
            self.archs.clone()
        }
    }
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    match &args.action {
        Action::Build(args) => build(context, args),
        Action::List(args) => list(context, args),
        Action::Verify(args) => {
            checked(context, &args.archs, &["verify".to_owned(), args.milliseconds.to_string()])
        }
        Action::Abi(args) => checked(context, args, &["abi".to_owned()]),
        Action::Torture(args) => {
            let words =
                ["torture".to_owned(), (args.seconds * 1000).to_string(), (args.every * 1000).to_string()];
            checked(context, &args.archs, &words)
        }
        Action::Hostile(args) => {
            checked(context, &args.archs, &["hostile".to_owned(), args.pages.to_string()])
        }
        Action::Reader(args) => checked(context, &args.archs, &["reader".to_owned(), args.cases.to_string()]),
        Action::Bench(args) => bench::run(context, args),
    }
}

/// For `./assay test`: every check, briefly, on every architecture.
pub fn check(context: &Context) -> Result<Tally> {
    let mut tally = Tally::default();
    for words in [
        &["verify", "6"][..],
        &["abi"],
        &["torture", "400", "10000"],
        &["hostile", "100"],
        &["reader", "2000"],
    ] {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let runs = runs(context, &Arch::ALL, &words)?;
        for run in &runs {
            run.tell_failures();
            // A finding is one call and clock, or a group of cases; a run that failed without a wrong finding counts as one
            // wrong.
            let wrong = wrong(&run.findings).count();
            tally.right += run.findings.len() - wrong;
            tally.wrong += wrong.max(usize::from(run.failed > 0));
            tally.skipped += run.skipped;
        }
    }
    Ok(tally)
}

/// Runs a verb of the test program on each architecture and shows records or a table.
fn checked(context: &Context, archs: &ArchArgs, words: &[String]) -> Result<Outcome> {
    let runs = runs(context, &archs.archs(), words)?;
    context.tell(runs.iter().flat_map(Run::records), || result::report(&words[0], &runs));
    runs.iter().for_each(Run::tell_failures);
    let sum = |of: fn(&Run) -> usize| runs.iter().map(of).sum::<usize>();
    eprintln!(
        "{} passed, {} failed, {} skipped",
        sum(|run| run.passed),
        sum(|run| run.failed),
        sum(|run| run.skipped)
    );
    Ok(if runs.iter().all(|run| run.failed == 0) { Outcome::Fine } else { Outcome::Failed })
}

fn runs(context: &Context, archs: &[Arch], words: &[String]) -> Result<Vec<Run>> {
    let mut runs = Vec::new();
    let mut stops = Stops::default();
    // One at a time: a run that compares clocks must not compete for the processors with that of another architecture.
    for arch in archs {
        match Program::new(context, *arch).and_then(|program| program.run(context, words)) {
            Ok(run) => runs.push(run),
            Err(problem) => stops.add(format!("the vDSO on {arch}"), problem),
        }
    }
    stops.outcome().map(|()| runs)
}

fn build(context: &Context, args: &BuildArgs) -> Result<Outcome> {
    std::fs::create_dir_all(&args.folder)
        .map_err(|error| Problem::io("make the folder", &args.folder, &error))?;
    for arch in args.archs.archs() {
        let image = Program::new(context, arch)?.image(context)?;
        let to = Output::new(&args.folder.join(format!("{arch}.so")))?;
        // Replaced, not written over: a process that maps the old image keeps it intact.
        let mut image = File::open(&image).map_err(|error| Problem::io("read the image", &image, &error))?;
        to.copy(&mut image)?;
        eprintln!("{}", to.name());
    }
    Ok(Outcome::Fine)
}

fn list(context: &Context, args: &ArchArgs) -> Result<Outcome> {
    let archs = args.archs();
    let mut exports: Vec<Export> = Vec::new();
    let mut stops = Stops::default();
    pool::in_order(
        &archs,
        |arch| Program::new(context, *arch)?.run(context, &["list".to_owned()]),
        |index, result| match result {
            Ok(run) => exports.extend(run.exports),
            Err(problem) => stops.add(format!("the vDSO on {}", archs[index]), problem),
        },
    );
    stops.outcome()?;
    context.tell(exports.iter(), || result::exports(&exports));
    Ok(Outcome::Fine)
}

/// Whether this machine is of that architecture, so that the kernel's own image can be examined, too.
fn is_native(arch: Arch) -> bool {
    host::native_arch() == Some(arch)
}

/// The findings that failed.
fn wrong(findings: &[Finding]) -> impl Iterator<Item = &Finding> {
    findings.iter().filter(|finding| !finding.ok)
}
