// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `vdso bench`: nanoseconds per call on this machine of the kernel's image, of ours and of the system call, interleaved in
//! each of several processes; intervals are over processes. The floor beside them is the cost of an ordered counter read
//! alone, or of a call that returns at once.

use super::program::Program;
use crate::context::{Context, Outcome};
use lab::{host, Problem, Result};
use report::{Measured, Report, Table, Text, Tone};
use serde::Serialize;
use stats::{compare, median, median_interval, Comparison, Interval, NoInterval, Sampling, Verdict};
use std::collections::BTreeMap;

/// Options of `vdso bench`.
#[derive(clap::Args)]
pub struct Args {
    /// Processes
    #[arg(long, default_value_t = 12, value_parser = crate::numbers::whole::<u64>(10..=1000))]
    processes: u64,
    /// Milliseconds of a slice; each of the four takes one in turn
    #[arg(long, default_value_t = 2, value_parser = crate::numbers::whole::<u64>(1..=1000))]
    milliseconds: u64,
    /// Slices of each in a process
    #[arg(long, default_value_t = 4, value_parser = crate::numbers::whole::<u64>(1..=1000))]
    rounds: u64,
    /// Exit status 1 if one of our calls is slower than the kernel's, by more than a percent
    #[arg(long)]
    judge: bool,
}

/// The ratio that is no difference: the placement of code and data alone moves it by a percent.
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
    /// Why there is no verdict, where both images have the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_verdict: Option<String>,
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
    Ok(if args.judge { judge(&times) } else { Outcome::Fine })
}

/// Fails if a call of ours is slower, or if that cannot be told although both images have it. Names what is not judged.
fn judge(times: &Times) -> Outcome {
    let mut outcome = Outcome::Fine;
    for ((call, clock), by_image) in times {
        let why = match against_kernel(by_image) {
            Some(Ok(result)) if result.verdict == Verdict::Slower => {
                outcome = Outcome::Failed;
                continue;
            }
            Some(Ok(_)) => continue,
            Some(Err(reason)) => {
                outcome = Outcome::Failed;
                reason.to_string()
            }
            None => "not in both images".to_owned(),
        };
        eprintln!("not judged: {}: {why}", format!("{call} {clock}").trim_end());
    }
    outcome
}

/// Ours against the kernel's, paired: both ran in each process. Nothing if one of the images lacks the call.
fn against_kernel(by_image: &BTreeMap<String, Vec<f64>>) -> Option<Result<Comparison, NoInterval>> {
    let (ours, kernel) = (by_image.get("ours")?, by_image.get("kernel")?);
    let compared = match compare(ours, kernel, Sampling::Rounds, 1) {
        // Times that repeat leave nothing to chance. They are means of batches of thousands of calls, so the counter's ticks
        // move their ratio by the margin at most.
        Err(NoInterval::NoSpread) => {
            let [ours, kernel] = [ours, kernel].map(|times| median(times).expect("there are processes"));
            let ratio = ours / kernel;
            let verdict = if ratio < 1.0 { Verdict::Faster } else { Verdict::Slower };
            Ok(Comparison { ratio, interval: Interval { low: ratio, high: ratio }, verdict })
        }
        compared => compared,
    };
    Some(compared.map(beyond_margin))
}

/// Takes a ratio that placement may have made for no difference.
fn beyond_margin(compared: Comparison) -> Comparison {
    let Interval { low, high } = compared.interval;
    let beyond = low > MARGIN || high < 1.0 / MARGIN;
    Comparison { verdict: if beyond { compared.verdict } else { Verdict::NoDifferenceShown }, ..compared }
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
            let result = against_kernel(by_image).filter(|_| image == "ours");
            let compared = result.as_ref().and_then(|result| result.as_ref().ok());
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
                ratio_to_kernel: compared.map(|compared| compared.ratio),
                ratio_interval: compared.map(|compared| [compared.interval.low, compared.interval.high]),
                verdict: compared.map(|compared| word(compared.verdict)),
                no_verdict: result.and_then(|result| result.err()).map(|reason| reason.to_string()),
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
         counter is read, a function that returns at once; through a pointer, as vdsotest calls; a ratio within a percent is no \
         difference, since placement alone makes one",
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
        match against_kernel(by_image) {
            Some(Ok(result)) => {
                let text =
                    format!("{:.2} [{:.2}, {:.2}]", result.ratio, result.interval.low, result.interval.high);
                table.set(row, ratio, text.as_str());
                let tone = if result.verdict == Verdict::Slower { Tone::Bad } else { Tone::Plain };
                table.set(row, verdict, Text { text: word(result.verdict).to_owned(), tone });
            }
            Some(Err(reason)) => {
                table.set(row, verdict, format!("none: {reason}"));
            }
            None => {}
        }
    }
    let mut report = Report::new("vDSO, timed");
    report.section("").table(table);
    report
}

fn measured(value: f64, interval: Option<[f64; 2]>) -> Measured {
    Measured { median: value, interval }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One call, of 12 processes by each image.
    fn of(ours: impl Fn(usize) -> f64, kernel: impl Fn(usize) -> f64) -> Times {
        let values = |time: &dyn Fn(usize) -> f64| (0..12).map(time).collect::<Vec<f64>>();
        let by_image = [("ours", values(&ours)), ("kernel", values(&kernel))];
        let by_image = by_image.map(|(image, values)| (image.to_owned(), values)).into();
        [(("time".to_owned(), "realtime".to_owned()), by_image)].into()
    }

    fn verdict_of(times: &Times) -> Option<&'static str> {
        records(times, "x86_64").into_iter().find(|record| record.image == "ours")?.verdict
    }

    fn scattered(time: f64) -> impl Fn(usize) -> f64 {
        move |process| time * (1.0 + 1e-4 * (process * 7 % 12) as f64)
    }

    #[test]
    fn times_without_spread_are_judged() {
        let slower = of(|_| 2.24, |_| 2.0);
        assert_eq!((judge(&slower), verdict_of(&slower)), (Outcome::Failed, Some("slower")));
        let ours = records(&slower, "x86_64").pop().unwrap();
        assert_eq!((ours.image.as_str(), ours.ratio_interval), ("ours", Some([1.12; 2])));
        let faster = of(|_| 2.0, |_| 2.24);
        assert_eq!((judge(&faster), verdict_of(&faster)), (Outcome::Fine, Some("faster")));
        let same = of(|_| 2.0, |_| 2.0);
        assert_eq!((judge(&same), verdict_of(&same)), (Outcome::Fine, Some("no difference shown")));
    }

    #[test]
    fn a_difference_that_placement_makes_is_none() {
        for ratio in [0.9995, 1.0005, 1.008] {
            for times in [of(|_| ratio, |_| 1.0), of(scattered(ratio), |_| 1.0)] {
                assert_eq!((judge(&times), verdict_of(&times)), (Outcome::Fine, Some("no difference shown")));
            }
        }
        let (slower, faster) = (of(scattered(1.02), |_| 1.0), of(scattered(0.98), |_| 1.0));
        assert_eq!((judge(&slower), verdict_of(&slower)), (Outcome::Failed, Some("slower")));
        assert_eq!((judge(&faster), verdict_of(&faster)), (Outcome::Fine, Some("faster")));
    }

    #[test]
    fn what_cannot_be_judged_does_not_pass() {
        let broken = of(|_| 0.0, |_| 1.0);
        assert_eq!((judge(&broken), verdict_of(&broken)), (Outcome::Failed, None));
        assert!(records(&broken, "x86_64").pop().unwrap().no_verdict.unwrap().contains("no time"));
        let mut lacking = of(|_| 1.0, |_| 1.0);
        lacking.values_mut().for_each(|by_image| drop(by_image.remove("kernel")));
        assert_eq!((judge(&lacking), verdict_of(&lacking)), (Outcome::Fine, None));
    }
}
