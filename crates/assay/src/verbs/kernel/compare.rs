// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `kernel compare`: makes the table of a patch. The kernels without and with it are built, booted and traced under the same
//! workload on each cpu; the traces are counted and predicted, with the interval of the ratio of cycles and the verdict that
//! it allows.

use super::build::Which;
use super::trace::unpatched_and_patched;
use super::tracing::{booted, entries, usual, Kernel, What};
use crate::context::{Context, Outcome};
use crate::coverage;
use crate::winners::interval_text;
use crate::{cpus, judge};
use kernel::{boot, Run};
use lab::{pool, Problem, Result};
use predict::doubt::{interval, ratio_interval, ModelError};
use predict::draws::{draws, Draws};
use predict::trace_source::TraceSource;
use predict::{Cpu, Options};
use report::record::Record;
use report::{Count, Derived, Predicted, Report, Table};
use serde::Serialize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Options of `kernel compare`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    which: Which,
    /// The cpus to boot on and to predict for (repeatable or separated by commas)
    #[arg(short, long = "cpu", value_name = "CPU", value_delimiter = ',', required = true)]
    cpus: Vec<String>,
    #[command(flatten)]
    what: What,
    /// Form: terminal, mail (72 columns, survives git am), markdown or html
    #[arg(long, default_value = "terminal", value_parser = ["terminal", "mail", "markdown", "html"])]
    format: String,
}

impl Args {
    /// Each cpu with QEMU's name of it, and their descriptions.
    pub fn look(&self, context: &Context) -> Result<(Vec<(&str, &'static str)>, Vec<Cpu>)> {
        if self.which.patches.is_empty() && self.which.series.is_empty() {
            return Err(Problem::new("there is nothing to compare the baseline with")
                .remedy("name --patch FILE or --series FOLDER"));
        }
        let machines = booted(self.which.machine()?, &self.cpus)?;
        let described = cpus::cpus(context, &self.cpus)?;
        self.what.look(self.which.arch)?;
        self.which.look(None)?;
        Ok((machines, described))
    }
}

/// The function in one kernel on one cpu.
pub struct Side {
    calls: u64,
    usual_calls: u64,
    /// Of the most frequent call.
    instructions: u64,
    /// Of all calls, the mean.
    pub mean_instructions: f64,
    loads: u64,
    stores: u64,
    /// Mean cycles of a call.
    pub cycles: f64,
    /// 90 % interval for a real core.
    pub interval: [f64; 2],
    /// How much of the executed code the cpu's file describes.
    pub coverage_percent: f64,
    draws: Draws,
}

/// Before and after on one cpu. Kind `kernel_compare`.
#[derive(Serialize)]
struct CompareRecord {
    kind: &'static str,
    arch: &'static str,
    cpu: String,
    region: String,
    workload: String,
    patches: Vec<String>,
    calls: [u64; 2],
    usual_calls: [u64; 2],
    instructions: [u64; 2],
    loads: [u64; 2],
    stores: [u64; 2],
    cycles: [f64; 2],
    interval_cycles: [[f64; 2]; 2],
    ratio: f64,
    interval: [f64; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'static str>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_verdict: Option<String>,
    coverage_percent: [f64; 2],
    /// `None` for code that the kernel generates when it runs, and for the workload's.
    #[serde(skip_serializing_if = "Option::is_none")]
    function_bytes: Option<[u64; 2]>,
    text_bytes: [u64; 2],
    assay_version: &'static str,
}

/// Runs the action.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let (machines, described) = args.look(context)?;
    let machine = args.which.machine()?;
    boot::qemu_program(&context.workspace, machine, true)?;
    let run = args.what.run(context, args.which.arch)?;
    let kernels = unpatched_and_patched(context, &args.which)?;
    let cpus: Vec<(&str, &str, &Cpu)> =
        machines.iter().zip(&described).map(|((ours, theirs), cpu)| (*ours, *theirs, cpu)).collect();
    let sides = sides(context, args, &run, &cpus, &kernels)?;
    let lengths = [args.what.bytes(&kernels[0])?, args.what.bytes(&kernels[1])?];
    let pairs = sides.chunks(2).zip(&described);
    let records: Vec<CompareRecord> =
        pairs.map(|(pair, cpu)| record(args, cpu, &kernels, lengths, [&pair[0], &pair[1]])).collect();
    if context.json {
        records.iter().for_each(|record| println!("{}", record.to_line()));
    } else {
        show(context, args, &records);
    }
    Ok(match records.iter().any(|record| record.verdict == Some("slower")) {
        true => Outcome::Failed,
        false => Outcome::Fine,
    })
}

/// Boots, traces and predicts each cpu's unpatched and patched kernel. A boot and most of a prediction are single-threaded,
/// so as many run at a time as there are processors.
fn sides(
    context: &Context,
    args: &Args,
    run: &Run,
    cpus: &[(&str, &str, &Cpu)],
    kernels: &[Kernel; 2],
) -> Result<Vec<Side>> {
    let both = [(&kernels[0], "unpatched"), (&kernels[1], "patched")];
    let jobs: Vec<_> =
        cpus.iter().flat_map(|cpu| both.iter().map(move |(kernel, which)| (cpu, *kernel, *which))).collect();
    let side = |(ours, theirs, cpu): &(&str, &str, &Cpu), kernel: &Kernel, which: &str| {
        context
            .progress(&format!("{which} kernel on {ours}: boots, runs {} and is traced", args.what.work()));
        let trace = args.what.cached(context, kernel, run, theirs);
        Side::of(&trace.map_err(|problem| problem_of(problem, which, ours))?, cpu)
    };
    let failed = AtomicBool::new(false);
    let mut sides = Vec::new();
    pool::in_order(
        &jobs,
        |(cpu, kernel, which)| {
            // Results after a failure would be thrown away.
            if failed.load(Ordering::Relaxed) {
                return None;
            }
            let side = side(cpu, kernel, which);
            failed.fetch_or(side.is_err(), Ordering::Relaxed);
            Some(side)
        },
        |_, side| sides.extend(side),
    );
    sides.into_iter().collect()
}

fn problem_of(mut problem: Problem, which: &str, cpu: &str) -> Problem {
    problem.what = format!("the {which} kernel on {cpu}: {}", problem.what);
    problem
}

impl Side {
    /// Counts a trace and predicts it.
    pub fn of(trace: &Path, cpu: &Cpu) -> Result<Side> {
        let (entries, _) = entries(trace)?;
        let mut source = TraceSource::open(trace).map_err(|error| judge::of_trace(trace, &error))?;
        let options = Options::default();
        let prediction = predict::predict(&mut source, &[cpu], &options)
            .map_err(|error| judge::of_trace(trace, &error))?
            .remove(0);
        let cycles = prediction.cycles_per_call.ok_or_else(|| {
            Problem::new("the function was called too seldom to tell a steady state from")
                .remedy("give the workload more rounds, behind --")
        })?;
        let draws = draws(&mut judge::opener(trace), cpu, &options)
            .map_err(|error| judge::of_trace(trace, &error))?;
        let usual = usual(&entries);
        let calls: u64 = entries.iter().map(|entry| entry.entries).sum();
        let instructions: u64 = entries.iter().map(|entry| entry.entries * entry.counts.instructions).sum();
        Ok(Side {
            calls,
            mean_instructions: instructions as f64 / calls as f64,
            usual_calls: usual.entries,
            instructions: usual.counts.instructions,
            loads: usual.counts.loads,
            stores: usual.counts.stores,
            cycles,
            interval: interval(ModelError::of(cpu), cycles, &draws, &[]),
            coverage_percent: prediction.coverage_percent,
            draws,
        })
    }
}

/// Cycles after over cycles before, and the interval of that for a real core.
pub fn ratio_of(before: &Side, after: &Side, cpu: &Cpu) -> (f64, [f64; 2]) {
    let ratio = after.cycles / before.cycles;
    let draws = after.draws.over(&before.draws);
    let model = ModelError::of(cpu);
    (ratio, ratio_interval(model, ratio, &draws, [&[], &[]], [after.cycles, before.cycles]))
}

fn record(
    args: &Args,
    cpu: &Cpu,
    kernels: &[Kernel; 2],
    lengths: [Option<u64>; 2],
    [before, after]: [&Side; 2],
) -> CompareRecord {
    let (ratio, interval) = ratio_of(before, after, cpu);
    let both = |number: fn(&Side) -> u64| [number(before), number(after)];
    let patches = args.which.series.iter().chain(&args.which.patches);
    let coverage_percent = [before.coverage_percent, after.coverage_percent];
    let (verdict, no_verdict) = judged(cpu, interval, coverage_percent);
    CompareRecord {
        kind: "kernel_compare",
        arch: args.which.arch.name(),
        cpu: cpu.name.clone(),
        region: args.what.all_regions().join(","),
        workload: args.what.work(),
        patches: patches.map(|path| path.display().to_string()).collect(),
        calls: both(|side| side.calls),
        usual_calls: both(|side| side.usual_calls),
        instructions: both(|side| side.instructions),
        loads: both(|side| side.loads),
        stores: both(|side| side.stores),
        cycles: [before.cycles, after.cycles],
        interval_cycles: [before.interval, after.interval],
        ratio,
        interval,
        verdict,
        no_verdict,
        coverage_percent,
        function_bytes: lengths[0].zip(lengths[1]).map(|(before, after)| [before, after]),
        text_bytes: [kernels[0].symbols.text_bytes, kernels[1].symbols.text_bytes],
        assay_version: env!("CARGO_PKG_VERSION"),
    }
}

/// The verdict that the interval of the ratio allows, or why there is none.
fn judged(
    cpu: &Cpu,
    interval: [f64; 2],
    [before, after]: [f64; 2],
) -> (Option<&'static str>, Option<String>) {
    let sides = [("the unpatched kernel", before), ("the patched kernel", after)];
    match (coverage::no_verdict(cpu, sides), interval) {
        (Some(why), _) => (None, Some(why)),
        (None, [_, high]) if high < 1.0 => (Some("faster"), None),
        (None, [low, _]) if low > 1.0 => (Some("slower"), None),
        (None, _) => (Some("no difference shown"), None),
    }
}

fn show(context: &Context, args: &Args, records: &[CompareRecord]) {
    let names: Vec<String> = records[0].patches.iter().map(|path| file_name(path)).collect();
    let mut report =
        Report::new(&format!("{} under {}: {}", records[0].region, args.what.work(), names.join(", ")));
    let section = report.section("");
    section.table(counts(records)).table(predictions(records)).table(sizes(&records[0]));
    match args.format.as_str() {
        "terminal" => context.show(&report),
        "mail" => print!("{}", report::mail(&report)),
        "markdown" => print!("{}", report::markdown(&report)),
        _ => print!("{}", report::html(&report)),
    }
}

fn file_name(path: &str) -> String {
    Path::new(path).file_name().map_or(path.to_owned(), |name| name.to_string_lossy().into_owned())
}

fn counts(records: &[CompareRecord]) -> Table {
    let mut table = Table::new(
        "Executed by the most frequent call",
        "counted in a kernel that runs under QEMU, from the function's entry to its return, callees included, interrupts as --interrupts says (left out); loads and stores are accesses",
    );
    let (cpu, which) = (table.text_column("cpu"), table.text_column("kernel"));
    let (calls, alike) = (table.count_column("calls", ""), table.count_column("alike", ""));
    let instructions = table.count_column("instructions", "");
    let (loads, stores) = (table.count_column("loads", ""), table.count_column("stores", ""));
    for record in records {
        for (side, name) in ["unpatched", "patched"].iter().enumerate() {
            let row = table.row();
            table.set(row, cpu, record.cpu.as_str()).set(row, which, *name);
            table.set(row, calls, Count(record.calls[side])).set(row, alike, Count(record.usual_calls[side]));
            table.set(row, instructions, Count(record.instructions[side]));
            table.set(row, loads, Count(record.loads[side])).set(row, stores, Count(record.stores[side]));
        }
    }
    table
}

fn predictions(records: &[CompareRecord]) -> Table {
    let mut table = Table::new(
        "Cycles of a call, the mean of all that were traced",
        "predicted from the traces and the cpus' descriptions, not measured; the ratio is patched over unpatched, below 1 is faster; 90 %: intervals for a real core",
    );
    let cpu = table.text_column("cpu");
    let before = table.predicted_column("unpatched", "cycles", 1);
    let before_interval = table.text_column("90 %");
    let after = table.predicted_column("patched", "cycles", 1);
    let after_interval = table.text_column("90 %");
    let ratio = table.derived_column("ratio", "", 3);
    let ratio_interval = table.text_column("90 %");
    let verdict = table.text_column("verdict");
    for record in records {
        let row = table.row();
        table.set(row, cpu, record.cpu.as_str()).set(row, before, Predicted(record.cycles[0]));
        table.set(row, before_interval, interval_text(record.interval_cycles[0]));
        table.set(row, after, Predicted(record.cycles[1]));
        table.set(row, after_interval, interval_text(record.interval_cycles[1]));
        table.set(row, ratio, Derived::from(record.ratio));
        for (column, percent) in [before, after].into_iter().zip(record.coverage_percent) {
            coverage::mark(&mut table, row, column, percent);
        }
        let [low, high] = record.interval;
        table.set(row, ratio_interval, format!("{low:.2}..{high:.2}"));
        table.set(row, verdict, record.verdict.unwrap_or("none"));
        if let Some(why) = &record.no_verdict {
            table.mark(row, verdict, why);
        }
    }
    table
}

fn sizes(record: &CompareRecord) -> Table {
    let mut table = Table::new("Bytes of code", "from the symbol tables and sections of both vmlinux");
    let what = table.text_column("what");
    let (before, after) = (table.count_column("unpatched", "bytes"), table.count_column("patched", "bytes"));
    let of_function = record.function_bytes.map(|bytes| (record.region.as_str(), bytes));
    for (name, bytes) in of_function.into_iter().chain([("all code", record.text_bytes)]) {
        let row = table.row();
        table.set(row, what, name).set(row, before, Count(bytes[0])).set(row, after, Count(bytes[1]));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(cpu: &Cpu, unpatched_percent: f64) -> CompareRecord {
        let (interval, coverage_percent) = ([1.5, 2.5], [unpatched_percent, 100.0]);
        let (verdict, no_verdict) = judged(cpu, interval, coverage_percent);
        CompareRecord {
            kind: "kernel_compare",
            arch: "powerpc64le",
            cpu: cpu.name.clone(),
            region: "do_csum".to_owned(),
            workload: "udp".to_owned(),
            patches: vec!["a.patch".to_owned()],
            calls: [100; 2],
            usual_calls: [100; 2],
            instructions: [50; 2],
            loads: [10; 2],
            stores: [0; 2],
            cycles: [100.0, 200.0],
            interval_cycles: [[90.0, 110.0], [180.0, 220.0]],
            ratio: 2.0,
            interval,
            verdict,
            no_verdict,
            coverage_percent,
            function_bytes: None,
            text_bytes: [1000; 2],
            assay_version: "",
        }
    }

    #[test]
    fn code_that_the_cpu_file_does_not_know_is_marked_and_has_no_verdict() {
        let cpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cpus");
        let cpu = Cpu::load(&cpus, "power9").unwrap_or_else(|error| panic!("{error}"));
        for (percent, notes) in [(41.2, 1), (100.0, 0)] {
            let record = record(&cpu, percent);
            assert_eq!(record.verdict, if notes == 0 { Some("slower") } else { None });
            let mut report = Report::new("");
            report.section("").table(predictions(&[record]));
            let told = report::markdown(&report);
            let why = "the cpu's file does not know 58.8 % of the code of the unpatched kernel";
            for note in ["41.2 % of its instructions have a class in the cpu's file", why] {
                assert_eq!(told.matches(note).count(), notes, "{told}");
            }
        }
    }
}
