// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `vdso bench`: nanoseconds per call on this machine of the kernel's image, of ours and of the system call, interleaved in
//! each of several processes; intervals are over processes. The floor beside them is the cost of an ordered counter read
//! alone, or of a call that returns at once.

use super::program::Program;
use crate::context::{Context, Outcome};
use lab::{host, Problem, Result};
use report::{Measured, Report, Table, Text, Tone};
use serde::Serialize;
use stats::{compare, median, median_interval, Comparison, Sampling, Verdict};
use std::collections::BTreeMap;

/// Options of `vdso bench`.
#[derive(clap::Args)]
pub struct Args {
    /// Processes
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u64).range(10..=1000))]
    processes: u64,
    /// Milliseconds of a slice; each of the four takes one in turn
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=1000))]
    milliseconds: u64,
    /// Slices of each in a process
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=1000))]
    rounds: u64,
    /// Exit status 1 if one of our calls is slower than the kernel's, by more than a percent
    #[arg(long)]
    judge: bool,
}

/// The ratio that `--judge` allows: the placement of code and data alone moves it by a percent.
const MARGIN: f64 = 1.01;

/// One call and clock by one of the four. Kind `measurement`.
#[derive(Serialize)]
struct BenchRecord {
    kind: &'static str,
    library: &'static str,
    call: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    clock: String,
    /// `kernel`, `ours`, `syscall` or `floor`.
    image: String,
    arch: &'static str,
    median_ns: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval_ns: Option<[f64; 2]>,
    processes_count: usize,
    /// Time of ours over the kernel's, only in the records of ours.
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio_to_kernel: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio_interval: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'static str>,
    assay_version: &'static str,
}

/// For each call and clock, by image: medians in ns, one per process.
type Times = BTreeMap<(String, String), BTreeMap<String, Vec<f64>>>;

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let arch = host::native_arch().ok_or_else(|| {
        Problem::new("this machine's architecture is none of ours")
            .remedy("time under QEMU is no time; run it on such a machine")
    })?;
    let program = Program::new(context, arch)?;
    let mut times = Times::new();
    for process in 1..=args.processes {
        context.progress(&format!("process {process} of {}", args.processes));
        let words = ["bench".to_owned(), args.milliseconds.to_string(), args.rounds.to_string()];
        let run = program.run(context, &words)?;
        if run.failed > 0 || run.slices.is_empty() {
            run.tell_failures();
            return Err(Problem::new("the bench did not come to its end")
                .remedy("run ./assay vdso verify, which says what is wrong"));
        }
        let mut slices = Times::new();
        for (call, clock, who, picoseconds) in run.slices {
            slices.entry((call, clock)).or_default().entry(who).or_default().push(picoseconds / 1000.0);
        }
        for (call, by_image) in slices {
            for (image, values) in by_image {
                let value = median(&values).expect("a slice has a time");
                times.entry(call.clone()).or_default().entry(image).or_default().push(value);
            }
        }
    }
    let records = records(&times, arch.name());
    context.tell(records.iter(), || report(&times));
    let slower =
        times.values().filter_map(against_kernel).filter(|result| result.interval.low > MARGIN).count();
    Ok(if args.judge && slower > 0 { Outcome::Failed } else { Outcome::Fine })
}

/// Ours against the kernel's, paired: both ran in each process.
fn against_kernel(by_image: &BTreeMap<String, Vec<f64>>) -> Option<Comparison> {
    compare(by_image.get("ours")?, by_image.get("kernel")?, Sampling::Rounds, 1).ok()
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster => "faster",
        Verdict::Slower => "slower",
        Verdict::NoDifferenceShown => "no difference shown",
    }
}

fn records(times: &Times, arch: &'static str) -> Vec<BenchRecord> {
    let mut records = Vec::new();
    for ((call, clock), by_image) in times {
        for (image, values) in by_image {
            let compared = against_kernel(by_image).filter(|_| image == "ours");
            records.push(BenchRecord {
                kind: "measurement",
                library: "vdso",
                call: call.clone(),
                clock: clock.clone(),
                image: image.clone(),
                arch,
                median_ns: median(values).expect("there is a process"),
                interval_ns: median_interval(values).ok().map(|interval| [interval.low, interval.high]),
                processes_count: values.len(),
                ratio_to_kernel: compared.as_ref().map(|result| result.ratio),
                ratio_interval: compared.as_ref().map(|result| [result.interval.low, result.interval.high]),
                verdict: compared.map(|result| word(result.verdict)),
                assay_version: env!("CARGO_PKG_VERSION"),
            });
        }
    }
    records
}

fn report(times: &Times) -> Report {
    let mut table = Table::new(
        "Nanoseconds a call",
        "medians over processes of the median of slices, of each its undisturbed batches of calls; the four take turns; floor: the counter read in order (rdtscp) and stored, or, where no \
         counter is read, a function that returns at once; through a pointer, as vdsotest calls",
    );
    let call = table.text_column("call");
    let clock = table.text_column("clock");
    let columns =
        ["floor", "kernel", "ours", "syscall"].map(|name| (name, table.measured_column(name, "ns", 1)));
    let ratio = table.text_column("ours / kernel");
    let verdict = table.text_column("ours is");
    for ((name, of_clock), by_image) in times {
        let row = table.row();
        table.set(row, call, name.as_str()).set(row, clock, of_clock.as_str());
        for (image, column) in columns {
            if let Some(value) = by_image.get(image).and_then(|values| median(values)) {
                let interval = by_image.get(image).and_then(|values| median_interval(values).ok());
                table.set(row, column, measured(value, interval.map(|one| [one.low, one.high])));
            }
        }
        if let Some(result) = against_kernel(by_image) {
            let text =
                format!("{:.2} [{:.2}, {:.2}]", result.ratio, result.interval.low, result.interval.high);
            table.set(row, ratio, text.as_str());
            let tone = if result.verdict == Verdict::Slower { Tone::Bad } else { Tone::Plain };
            table.set(row, verdict, Text { text: word(result.verdict).to_owned(), tone });
        }
    }
    let mut report = Report::new("vDSO, timed");
    report.section("").table(table);
    report
}

fn measured(value: f64, interval: Option<[f64; 2]>) -> Measured {
    Measured { median: value, interval }
}
