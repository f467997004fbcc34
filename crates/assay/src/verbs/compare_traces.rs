// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `compare A.trace B.trace`: which of several recorded programs takes fewer cycles on CPUs that need not be here, with the
//! interval of the ratio and the verdict that it allows.

use crate::context::{Context, Outcome};
use crate::coverage;
use crate::cpus;
use crate::judge;
use crate::progress::Progress;
use crate::winners::interval_text;
use arch::Arch;
use lab::{Problem, Result};
use predict::doubt::{interval, ratio_interval, ModelError};
use predict::draws::{draws, Draws};
use predict::{Cpu, Options, Source};
use report::record::{Common, CompareRecord, Record};
use report::{Count, Derived, Predicted, Report, Table};
use std::path::{Path, PathBuf};
use trace::Held;

/// A trace on one cpu.
struct Side {
    name: String,
    /// In the whole run; 0 if none is told apart.
    calls: u64,
    instructions: u64,
    /// Of a call in steady state where there are calls, else of the whole run.
    cycles: f64,
    draws: Draws,
    coverage_percent: f64,
    /// What the cpu's file does not know of it.
    unknown: Option<String>,
}

/// Compares all traces with the one named `against`, or with the last.
pub fn run(
    context: &Context,
    words: &[String],
    cpus: &[Cpu],
    named: bool,
    against: Option<&str>,
) -> Result<Outcome> {
    let paths: Vec<PathBuf> = words.iter().map(PathBuf::from).collect();
    if paths.len() < 2 {
        return Err(Problem::new("one trace is not compared with anything")
            .at(&words[0])
            .remedy("name the other behind it; ./assay predict judges one"));
    }
    let baseline = match against {
        None => paths.len() - 1,
        Some(name) => words.iter().position(|word| word == name).ok_or_else(|| {
            Problem::new(format!("'{name}' is none of the traces that are compared"))
                .remedy(format!("--against takes one of {}", words.join(" ")))
        })?,
    };
    let traces = paths.iter().map(|path| judge::hold(path)).collect::<Result<Vec<Held>>>()?;
    let mut sources = Vec::new();
    for trace in &traces {
        sources.push(judge::source_of(trace)?.arch());
    }
    let able = cpus::for_trace(cpus, named, |cpu| sources.iter().all(|arch| cpu.runs(*arch)));
    if able.is_empty() {
        let archs: Vec<&str> = sources.iter().map(|arch| arch.name()).collect();
        return Err(Problem::new(format!("no chosen cpu runs all of {}", archs.join(", ")))
            .remedy("compare traces of one architecture, with cpus that have it; ./assay cpu lists them"));
    }
    let mut report = Report::new("Compared by prediction");
    for trace in &traces {
        for text in judge::gaps_of(trace)? {
            let text = format!("{}: {text}", trace.path().display());
            if context.json {
                context.progress(&text);
            } else {
                report.section("").paragraph(&text);
            }
        }
    }
    let (is_one, mut compared) = (able.len() == 1, 0);
    for cpu in able {
        let (per_call, sides) = match sides(&traces, &paths, cpu)? {
            Ok(sides) => sides,
            Err(reason) if is_one => return Err(reason),
            Err(reason) => {
                cpus::leave_out(context, named, &reason);
                continue;
            }
        };
        compared += 1;
        let judged = |index: usize| {
            let other = index != baseline;
            other.then(|| record(cpu, sources[index], per_call, &sides[index], &sides[baseline]))
        };
        let records: Vec<Option<CompareRecord>> = (0..sides.len()).map(judged).collect();
        if context.json {
            records.iter().flatten().for_each(|record| println!("{}", record.to_line()));
        } else {
            report.section("").table(table(cpu, per_call, &sides, baseline, &records));
        }
    }
    if compared == 0 {
        return Err(Problem::new("none of the cpus runs all of the programs")
            .remedy("choose another cpu with -c, or build the programs for one of these"));
    }
    if !context.json {
        context.show(&report);
    }
    Ok(Outcome::Fine)
}

/// All traces on a cpu, and whether their cycles are per call; or why that cpu does not run one of them.
fn sides(traces: &[Held], paths: &[PathBuf], cpu: &Cpu) -> Result<Result<(bool, Vec<Side>)>> {
    let mut found = Vec::new();
    let progress = Progress::of(&format!("predicting on {}", cpu.name), paths.len());
    for trace in traces {
        let path = trace.path();
        let failed = |error: &dyn std::fmt::Display| judge::of_trace(path, error);
        let mut source = judge::source_of(trace)?;
        let prediction = match predict::predict(&mut source, &[cpu], &Options::default()) {
            Err(error) if error.of_one_cpu().is_some() => return Ok(Err(failed(&error))),
            told => told.map_err(|error| failed(&error))?.remove(0),
        };
        let draws =
            draws(&mut judge::opener_of(trace), cpu, &Options::default()).map_err(|error| failed(&error))?;
        found.push((prediction, draws, name_of(path, paths)));
        progress.step();
    }
    let per_call = found.iter().all(|(prediction, _, _)| prediction.cycles_per_call.is_some());
    let side = |(prediction, draws, name): (predict::Prediction, Draws, String)| Side {
        name,
        calls: prediction.calls,
        instructions: prediction.counters.instructions / if per_call { prediction.calls.max(1) } else { 1 },
        cycles: prediction.cycles_per_call.filter(|_| per_call).unwrap_or(prediction.cycles as f64),
        draws,
        coverage_percent: prediction.coverage_percent,
        unknown: coverage::text(&prediction),
    };
    Ok(Ok((per_call, found.into_iter().map(side).collect())))
}

/// The file's name, or its path if several traces share the name.
fn name_of(path: &Path, all: &[PathBuf]) -> String {
    let alike = all.iter().filter(|other| other.file_name() == path.file_name()).count();
    if alike > 1 {
        path.display().to_string()
    } else {
        path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

fn record(cpu: &Cpu, arch: Arch, per_call: bool, a: &Side, b: &Side) -> CompareRecord {
    let ratio = a.cycles / b.cycles;
    let draws = a.draws.over(&b.draws);
    let interval = ratio_interval(ModelError::of(cpu), ratio, &draws, [&[], &[]], [a.cycles, b.cycles]);
    let no_verdict = if !per_call && a.calls != b.calls {
        Some(format!(
            "whole runs of {} and {} calls are not the same work; cycles per call need traces of one region, entered more than a few times",
            a.calls, b.calls
        ))
    } else {
        coverage::no_verdict(cpu, [a, b].map(|side| (&side.name[..], side.coverage_percent)))
    };
    let verdict = match interval {
        _ if no_verdict.is_some() => None,
        [_, high] if high < 1.0 => Some("faster"),
        [low, _] if low > 1.0 => Some("slower"),
        _ => Some("no difference shown"),
    };
    CompareRecord {
        common: Common::new("compare", "", &a.name, arch.name()),
        a: a.name.clone(),
        b: b.name.clone(),
        quantity: format!(
            "predicted cycles {} on {}",
            if per_call { "per call" } else { "of the whole run" },
            cpu.name
        ),
        ratio,
        interval: Some(interval),
        verdict: verdict.map(str::to_owned),
        no_verdict,
        cpu: Some(cpu.name.clone()),
        cycles: Some([a.cycles, b.cycles]),
        time_ns: None,
        coverage_percent: Some([a.coverage_percent, b.coverage_percent]),
        rests_on: None,
    }
}

fn table(
    cpu: &Cpu,
    per_call: bool,
    sides: &[Side],
    baseline: usize,
    records: &[Option<CompareRecord>],
) -> Table {
    let unit = if per_call { "per call" } else { "whole run" };
    let mut table = Table::new(
        &format!("{}: cycles of each trace over those of {}", cpu.name, sides[baseline].name),
        "predicted from the traces and the cpu's description, not measured, each code at its own place; below 1 is faster; 90 %: \
         intervals for a real core; a verdict only where that of the ratio holds no 1",
    );
    let name = table.text_column("trace");
    let instructions = table.count_column(unit, "instr");
    let cycles = table.predicted_column(unit, "cycles", 1);
    let of_cycles = table.text_column("90 %");
    let ratio = table.derived_column("ratio of cycles", "", 3);
    let of_ratio = table.text_column("90 %");
    let verdict = table.text_column("verdict");
    for (side, record) in sides.iter().zip(records) {
        let row = table.row();
        table.set(row, name, side.name.as_str()).set(row, instructions, Count(side.instructions));
        table.set(row, cycles, Predicted(side.cycles));
        if let Some(text) = &side.unknown {
            table.mark(row, cycles, text);
        }
        let [low, high] = interval(ModelError::of(cpu), side.cycles, &side.draws, &[]);
        table.set(row, of_cycles, interval_text([low, high]));
        let Some(record) = record else {
            table.set(row, verdict, "compared with");
            continue;
        };
        table.set(row, ratio, Derived::from(record.ratio));
        if let Some([low, high]) = record.interval {
            table.set(row, of_ratio, format!("{low:.2}..{high:.2}"));
        }
        match &record.no_verdict {
            Some(why) => {
                table.set(row, verdict, "none");
                table.mark(row, verdict, why);
            }
            None => {
                table.set(row, verdict, record.verdict.as_deref().unwrap_or_default());
            }
        }
    }
    table
}
