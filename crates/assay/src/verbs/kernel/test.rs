// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `kernel test`: the kernel's own tests and ours in a booted kernel, each in a boot of its own, on each cpu; a failure is
//! reported with the test, the cpu and the console's log.

use super::build::Which;
use super::tracing::booted;
use crate::context::{Context, Outcome};
use kernel::suite::{Test, Verdict};
use kernel::{Boot, Machine};
use lab::{Problem, Result};
use report::record::Record;
use serde::Serialize;
use std::time::Duration;

/// Options of `kernel test`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    which: Which,
    /// The cpus to boot on (repeatable or separated by commas; default: the machine's first)
    #[arg(short, long = "cpu", value_name = "CPU", value_delimiter = ',')]
    cpus: Vec<String>,
    /// Tests, of those that docs/kernel.md lists (default: all that the architecture has)
    #[arg(value_name = "TEST")]
    tests: Vec<String>,
    /// Processors of the machine
    #[arg(long, default_value_t = 1, value_parser = crate::numbers::whole::<u32>(1..=8))]
    smp: u32,
    /// Seconds after which a test is not waited for any more
    #[arg(long, default_value_t = 600, value_name = "SECONDS", value_parser = crate::numbers::whole::<u64>(1..=86_400))]
    timeout: u64,
    /// Also the console's log of each test, and what the kernel refused and has to refuse, a line a reason
    #[arg(short, long)]
    verbose: bool,
}

impl Args {
    /// The machine, and each cpu with QEMU's name of it.
    pub fn look(&self) -> Result<(&'static Machine, Vec<(&str, &'static str)>)> {
        let machine = self.which.machine()?;
        let cpus = booted(machine, &self.cpus)?;
        Test::named(machine, &self.tests)?;
        self.which.look(None)?;
        Ok((machine, cpus))
    }
}

/// One test on one cpu. Kind `kernel_test`.
#[derive(Serialize)]
struct TestRecord {
    kind: &'static str,
    arch: &'static str,
    cpu: String,
    patches: Vec<String>,
    test: &'static str,
    /// Cases, where the test counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    passed: Option<u64>,
    failed: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
    /// What the kernel refused, as it has to, if the test has such cases.
    refused: Vec<String>,
    /// A remark on the result, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    log: String,
    /// Under QEMU: no measurement.
    emulated_s: f64,
    assay_version: &'static str,
}

/// Runs the action.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let workspace = &context.workspace;
    let (machine, cpus) = args.look()?;
    let (tests, skipped) = those_that_can_run(context, args)?;
    kernel::boot::qemu_program(workspace, machine, false)?;
    let request = args.which.request()?;
    let built = kernel::build(workspace, &request, &|text| context.progress(text))?;
    let mut wrong = 0;
    for (ours, theirs) in &cpus {
        for test in &tests {
            let boot = Boot {
                cpu: theirs,
                processors: args.smp,
                timeout: Duration::from_secs(args.timeout),
                ..Boot::new(machine, &built.image, test.run(workspace, &built, &request.patches)?)
            };
            let found = kernel::boot(workspace, &boot)?;
            let verdict = test.verdict(workspace, built.arch, &found)?;
            wrong += usize::from(verdict.failure.is_some());
            let record = TestRecord {
                kind: "kernel_test",
                arch: built.arch.name(),
                cpu: (*ours).to_owned(),
                patches: request.patches.iter().map(|patch| patch.path.display().to_string()).collect(),
                test: test.name,
                passed: verdict.passed,
                failed: verdict.failed.clone(),
                failure: verdict.failure.clone(),
                refused: verdict.refused.clone(),
                note: verdict.note.clone(),
                log: workspace.display(&found.log),
                emulated_s: found.elapsed.as_secs_f64(),
                assay_version: env!("CARGO_PKG_VERSION"),
            };
            if context.json {
                println!("{}", record.to_line());
            } else {
                tell(&record, &verdict, args.verbose);
            }
        }
    }
    if !context.json {
        let skipped = match skipped * cpus.len() {
            0 => String::new(),
            count => format!(", {count} skipped"),
        };
        println!("{} passed, {wrong} failed{skipped}", cpus.len() * tests.len() - wrong);
    }
    Ok(if wrong == 0 { Outcome::Fine } else { Outcome::Failed })
}

/// The tests that have what they need, and how many do not. A test that was named must have it.
fn those_that_can_run(context: &Context, args: &Args) -> Result<(Vec<&'static Test>, usize)> {
    let all = Test::named(args.which.machine()?, &args.tests)?;
    let mut tests = Vec::new();
    for test in &all {
        match test.lacks(&context.workspace) {
            Some(problem) if !args.tests.is_empty() => return Err(problem),
            Some(problem) => eprintln!("skip   {}: {problem}", test.name),
            None => tests.push(*test),
        }
    }
    let skipped = all.len() - tests.len();
    Ok((tests, skipped))
}

fn tell(record: &TestRecord, verdict: &Verdict, verbose: bool) {
    let word = if verdict.failure.is_none() { "passed" } else { "FAILED" };
    let cases = verdict.passed.map(|count| format!("{count} cases")).unwrap_or_default();
    println!(
        "{:<8} {:<22} {word}  {cases:<12} {:.0} s under QEMU",
        record.cpu, record.test, record.emulated_s
    );
    verdict.note.iter().for_each(|line| println!("         {line}"));
    if verbose {
        verdict.refused.iter().for_each(|line| println!("         {line}"));
        println!("         console: {}", record.log);
    }
    if let Some(failure) = &verdict.failure {
        let problem = Problem::new(format!("{} on {}: {failure}", record.test, record.cpu));
        eprintln!("assay: {}", problem.at(&record.log).remedy("the console's log has the rest"));
        verdict.failed.iter().for_each(|name| eprintln!("  {name}"));
    }
}
