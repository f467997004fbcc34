// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Measurements of variants on this machine: what `measure`, `compare`, `report` and `demo` share.

use crate::context::Context;
use crate::cpus;
use crate::judge::Judge;
use crate::progress::Progress;
use lab::case::Case;
use lab::discover::Variant;
use lab::emulator;
use lab::measure::{interleaved, Effort, ProcessSample, Subject};
use lab::problem::Blame;
use lab::{host, Problem, Result};
use report::record::MeasurementRecord;
use std::collections::{BTreeMap, BTreeSet};

/// One variant on one case, with the figures of every process, in the order of the rounds.
pub struct Measured<'a> {
    /// The variant.
    pub variant: &'a Variant,
    /// The case.
    pub case: Case,
    /// The record.
    pub record: MeasurementRecord,
    /// Per process, nanoseconds per call.
    pub ns: Vec<f64>,
}

/// Measures every variant that this machine can run on every case, case by case, all variants interleaved.
///
/// Variants that cannot run here are reported on stderr, with the reason.
pub fn measure<'a>(
    context: &Context,
    judge: &Judge,
    variants: &'a [Variant],
    wanted: &[Case],
    effort: Effort,
) -> Result<Vec<Measured<'a>>> {
    let mut by_case: BTreeMap<(String, Case), Vec<&Variant>> = BTreeMap::new();
    let mut skipped: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for variant in variants {
        match emulator::native_for(variant) {
            Err(reason) => {
                skipped.entry(reason.0).or_default().push(format!("{} {}", variant.title(), variant.arch))
            }
            Ok(_) => {
                for case in variant.hotpath.select_cases(wanted) {
                    by_case.entry((variant.hotpath.name.clone(), case)).or_default().push(variant);
                }
            }
        }
    }
    for (reason, titles) in &skipped {
        eprintln!("not measured, {}: {reason}", count_of(titles));
    }
    let mut measured = Vec::new();
    for ((hotpath, case), able) in by_case {
        let (able, subjects) = build(context, judge, &able, &case)?;
        context.progress(&format!(
            "measuring {hotpath} {case}: {} variants in {} rounds",
            able.len(),
            effort.processes_count
        ));
        // A fixed seed: the order is random, but the same in every run.
        let progress = Progress::of(&format!("measuring {hotpath} {case}: rounds"), effort.processes_count);
        let samples = interleaved(&subjects, effort, 0x0a55_a7ed, |round, _| {
            // Called before each round.
            if round > 0 {
                progress.step();
            }
        });
        drop(progress);
        for ((variant, subject), processes) in able.into_iter().zip(&subjects).zip(samples) {
            let Some(processes) = unless_its_fault(context, variant, processes)? else { continue };
            let record = record(variant, &case, &subject.runners[0].compiler, &processes);
            let ns = processes.iter().map(|process| process.ns).collect();
            measured.push(Measured { variant, case: case.clone(), record, ns });
        }
    }
    Ok(measured)
}

/// Refuses a run that measured nothing because no variant is for this machine. If a variant failed, that was reported
/// and is the result.
pub fn refuse_if_none(context: &Context, measured: &[Measured], variants: &[Variant]) -> Result<()> {
    if !measured.is_empty() || context.failed_in_passing() {
        return Ok(());
    }
    let foreign: BTreeSet<_> = variants.iter().map(|variant| variant.arch).collect();
    let mut able: Vec<String> = Vec::new();
    for cpu in cpus::cpus(context, &[])? {
        if foreign.iter().any(|arch| cpu.runs(*arch)) {
            able.push(cpu.name);
        }
    }
    let remedy = if able.is_empty() {
        "./assay list shows what each variant needs".to_owned()
    } else {
        format!("predict it for a cpu that does: -c {}", able.join(","))
    };
    Err(Problem::new("nothing in this selection can run on this machine").remedy(remedy))
}

/// Builds and checks the runners; variants that fail are reported and left out.
fn build<'a>(
    context: &Context,
    judge: &Judge,
    variants: &[&'a Variant],
    case: &Case,
) -> Result<(Vec<&'a Variant>, Vec<Subject>)> {
    let mut built = (Vec::new(), Vec::new());
    let progress = Progress::of("building and checking", variants.len());
    for variant in variants {
        progress.step();
        if let Some(runners) = unless_its_fault(context, variant, judge.placed_runners(variant))? {
            built.0.push(*variant);
            built.1.push(Subject { runners, case: case.clone() });
        }
    }
    Ok(built)
}

/// Reports a failure that is the variant's own fault, or of a file in a folder that cannot be read, and returns `None`, so that
/// the others are still measured.
fn unless_its_fault<R>(context: &Context, variant: &Variant, result: Result<R>) -> Result<Option<R>> {
    let is_unread = variant.defect.is_some() && !variant.foreign;
    match result {
        Err(problem) if problem.blame == Blame::Variant || is_unread => {
            context.tell_failure(&format!("{} on {}: {problem}", variant.title(), variant.arch));
            Ok(None)
        }
        result => result.map(Some),
    }
}

fn count_of(titles: &[String]) -> String {
    match titles {
        [one] => one.clone(),
        many => format!("{} variants", many.len()),
    }
}

fn record(variant: &Variant, case: &Case, compiler: &str, processes: &[ProcessSample]) -> MeasurementRecord {
    let ns: Vec<f64> = processes.iter().map(|process| process.ns).collect();
    let cycles: Vec<f64> = processes.iter().filter_map(|process| process.cycles).collect();
    let median_cycles = if cycles.len() == processes.len() { stats::median(&cycles) } else { None };
    let interval = stats::median_interval(&ns);
    MeasurementRecord {
        common: Judge::common("measurement", variant, case, compiler),
        machine: host::machine(),
        median_ns: stats::median(&ns).unwrap_or(f64::NAN),
        interval_ns: interval.as_ref().ok().map(|interval| [interval.low, interval.high]),
        no_interval: interval.err().map(|reason| reason.to_string()),
        median_cycles,
        bytes_per_cycle: median_cycles
            .and_then(|cycles| case.size_bytes().map(|bytes| bytes as f64 / cycles)),
        processes_count: processes.len(),
        process_ns: ns,
        process_cycles: cycles,
        process_place_bytes: processes.iter().map(|process| process.place_bytes).collect(),
    }
}
