// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `predict`: cycles per call on CPUs that need not be here; or, of a user's trace file, cycles of the whole run.

use crate::context::{Context, Outcome};
use crate::coverage;
use crate::cpus;
use crate::judge::{self, Judge};
use crate::progress::Progress;
use crate::select::{names_a_trace, only_traces, Cases, Selection};
use crate::verbs::count::{case_text, hotpaths_of, variant_text};
use crate::winners::{self, Row};
use crate::work::{each_case, Skips};
use lab::{Problem, Result};
use predict::doubt::ModelError;
use predict::draws::draws;
use predict::regions::RegionTotal;
use predict::{Cpu, Options, Prediction, Source};
use report::record::{PredictionRecord, Record};
use report::{Count, Derived, Predicted, Report, Table};
use serde::Serialize;
use std::path::Path;
use std::time::{Duration, Instant};

/// Options of `predict`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    cases: Cases,
    /// CPU, by the name of its description (repeatable or separated by commas; default: all that run the variant)
    #[arg(short, long = "cpu", value_name = "CPU", value_delimiter = ',')]
    cpus: Vec<String>,
    /// Find out what bounds the fastest variants even if that takes long
    #[arg(long)]
    bounds: bool,
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let cpus = cpus::cpus_for(context, &args.cpus, &args.selection.archs)?;
    if args.selection.words.first().is_some_and(|word| names_a_trace(word)) {
        return trace_files(context, args, &cpus);
    }
    let began = Instant::now();
    let judge = Judge::new(context, args.selection.compiler()?).unchecked(args.cases.unchecked);
    let mut selection = args.selection.clone();
    let has_own = selection.words.len() > 1 || !selection.dirs.is_empty();
    if has_own && selection.archs.is_empty() && !args.cpus.is_empty() {
        selection.archs = cpus::archs_of(&cpus);
    }
    let variants = selection.for_cpus(selection.competitors(context)?, &cpus, !args.cpus.is_empty())?;
    judge.refuse_unknown_cases(&variants, &args.cases.cases)?;
    let mut skips = Skips::default();
    let mut rows = Vec::new();
    each_case(
        "predicting",
        &variants,
        &args.cases.cases,
        |variant, case| judge.predict(variant, case, &cpus),
        |variant, case, result| {
            let records = skips.take(variant, case, result).unwrap_or_default();
            let row = |record| Row { variant: variant.clone(), case: case.clone(), record };
            rows.extend(records.into_iter().map(row));
        },
    );
    if context.json {
        winners::deepen(&judge, &cpus, &mut rows)?;
        rows.iter().for_each(|row| println!("{}", row.record.to_line()));
    } else if !rows.is_empty() {
        // The cycles first: finding what bounds the fastest takes as long again, or much longer.
        let mut report = Report::new("Predicted cycles per call");
        report.section("").table(table(rows.iter().map(|row| &row.record)));
        context.show(&report);
        let winners = winners::fastest(&rows).len();
        let expected = began.elapsed().mul_f64(2.0 * winners as f64 / rows.len() as f64);
        if args.bounds || expected < SWEEPS_UNASKED {
            let fastest = winners::deepen(&judge, &cpus, &mut rows)?;
            let mut report = Report::new("What bounds the fastest");
            report.section("").table(winners::table(fastest.iter().map(|index| &rows[*index].record)));
            context.show(&report);
        } else {
            context.progress(&format!(
                "--bounds adds what bounds the fastest of {winners} (about {:.0} s)",
                expected.as_secs_f64().ceil()
            ));
        }
    }
    skips.outcome()
}

/// What bounds the fastest is found out without `--bounds` if that is expected to take less than this.
const SWEEPS_UNASKED: Duration = Duration::from_secs(10);

/// Predicts recorded traces, one after the other; options that choose among variants are refused.
fn trace_files(context: &Context, args: &Args, cpus: &[Cpu]) -> Result<Outcome> {
    only_traces(&args.selection, &args.cases)?;
    if args.bounds {
        return Err(Problem::new("--bounds is for variants")
            .at(&args.selection.words[0])
            .remedy("./assay explain TRACE -c CPU tells what bounds a trace"));
    }
    // What is wrong with one of them takes no result from the others.
    let mut first = None;
    for path in &args.selection.words {
        match trace_file(context, Path::new(path), cpus, args.cpus.is_empty()) {
            Err(problem) if first.is_some() => eprintln!("assay: {problem}"),
            Err(problem) => first = Some(problem),
            Ok(_) => {}
        }
    }
    first.map_or(Ok(Outcome::Fine), Err)
}

/// Predicts a recorded trace: for one cpu the events that hardware counters have, for several a table.
fn trace_file(context: &Context, path: &Path, cpus: &[Cpu], all: bool) -> Result<Outcome> {
    let held = judge::hold(path)?;
    let arch = judge::source_of(&held)?.arch();
    let mut able = cpus::for_trace(cpus, !all, |cpu| cpu.runs(arch));
    if able.is_empty() {
        return Err(
            Problem::new(format!("no described cpu runs {arch} programs")).remedy("./assay cpu lists them")
        );
    }
    // Once on all cpus, then the drawn cores of each; those that are left out count as done.
    let (parts, progress) =
        (1 + able.len(), Progress::of(&format!("predicting {}", path.display()), 1 + able.len()));
    let (gaps, unknown, regions);
    let mut open = judge::opener_of(&held);
    let predictions = loop {
        let mut again = judge::source_of(&held)?;
        match predict::predict(&mut again, &able, &Options::default()) {
            Err(error) if error.of_one_cpu().is_some() && able.len() > 1 => {
                cpus::leave_out(context, !all, &judge::of_trace(path, &error));
                let unable = error.of_one_cpu();
                able.retain(|cpu| Some(cpu.name.as_str()) != unable);
            }
            told => {
                gaps = judge::gaps(again.end(), true);
                unknown = again.end().map_or(0, |end| end.total("unknown_addresses"));
                regions = again.header().regions();
                break told.map_err(|error| judge::of_trace(path, &error))?;
            }
        }
    };
    let mut factors = Vec::new();
    for (number, cpu) in able.iter().enumerate() {
        progress.reach(parts - able.len() + number);
        let draws =
            draws(&mut open, cpu, &Options::default()).map_err(|error| judge::of_trace(path, &error))?;
        factors.push(ModelError::of(cpu).factors(&[&draws.0]));
    }
    let predictions: Vec<_> = predictions.into_iter().zip(factors).collect();
    if context.json {
        predictions.iter().for_each(|(prediction, factors)| {
            println!("{}", TraceRecord::of(path, arch, prediction, *factors, unknown).to_line());
            for total in &prediction.regions {
                println!("{}", RegionRecord::of(path, arch, prediction, total, &regions).to_line());
            }
        });
        gaps.iter().for_each(|text| context.progress(text));
        return Ok(Outcome::Fine);
    }
    drop(progress);
    let mut report = Report::new(&format!("{} ({arch})", path.display()));
    gaps.iter().for_each(|text| {
        report.section("").paragraph(text);
    });
    match &predictions[..] {
        [(one, factors)] => {
            report.section("").table(counters_table(one, *factors));
            calls_table(one, *factors).into_iter().for_each(|table| {
                report.section("").table(table);
            });
        }
        several => {
            report.section("").table(several_table(several));
        }
    }
    if predictions.iter().any(|(prediction, _)| !prediction.regions.is_empty()) {
        report.section("").table(regions_table(&predictions, &regions));
    }
    context.show(&report);
    Ok(Outcome::Fine)
}

/// A whole trace on one cpu.
#[derive(Serialize)]
struct TraceRecord {
    kind: &'static str,
    trace: String,
    arch: &'static str,
    cpu: String,
    cycles: u64,
    interval_cycles: [f64; 2],
    clock_mhz: f64,
    time_ns: f64,
    instructions: u64,
    calls: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cycles_cold: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cycles_per_call: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval_cycles_per_call: Option<[f64; 2]>,
    branches: u64,
    branch_misses: u64,
    l1_misses: u64,
    coverage_percent: f64,
    /// Accesses whose address QEMU did not tell.
    unknown_addresses: u64,
}

impl TraceRecord {
    /// `factors`: the ends of the 90 % interval over what it is about.
    fn of(
        path: &Path,
        arch: arch::Arch,
        prediction: &Prediction,
        factors: [f64; 2],
        unknown_addresses: u64,
    ) -> TraceRecord {
        let counters = &prediction.counters;
        TraceRecord {
            kind: "trace_prediction",
            trace: path.display().to_string(),
            arch: arch.name(),
            cpu: prediction.cpu.clone(),
            cycles: prediction.cycles,
            interval_cycles: about(prediction.cycles as f64, factors),
            clock_mhz: prediction.clock_mhz,
            time_ns: prediction.time_ns(),
            instructions: counters.instructions,
            calls: prediction.calls,
            cycles_cold: prediction.cycles_cold,
            cycles_per_call: prediction.cycles_per_call,
            interval_cycles_per_call: prediction.cycles_per_call.map(|cycles| about(cycles, factors)),
            branches: counters.branches,
            branch_misses: counters.branch_misses,
            l1_misses: counters.l1_misses,
            coverage_percent: prediction.coverage_percent,
            unknown_addresses,
        }
    }
}

/// One of several regions of a trace on one cpu.
#[derive(Serialize)]
struct RegionRecord<'a> {
    kind: &'static str,
    trace: String,
    arch: &'static str,
    cpu: &'a str,
    region: &'a str,
    entries: u64,
    instructions: u64,
    cycles: u64,
    cycles_first: u64,
}

impl<'a> RegionRecord<'a> {
    fn of(
        path: &Path,
        arch: arch::Arch,
        prediction: &'a Prediction,
        total: &RegionTotal,
        names: &'a [trace::Region],
    ) -> RegionRecord<'a> {
        RegionRecord {
            kind: "region_prediction",
            trace: path.display().to_string(),
            arch: arch.name(),
            cpu: &prediction.cpu,
            region: region_name(total, names),
            entries: total.entries,
            instructions: total.instructions,
            cycles: total.cycles,
            cycles_first: total.first_cycles,
        }
    }
}

fn region_name<'a>(total: &RegionTotal, names: &'a [trace::Region]) -> &'a str {
    names.get(usize::from(total.number)).map_or("?", |region| &region.name)
}

/// What each of several regions took, on each cpu.
fn regions_table(predictions: &[(Prediction, [f64; 2])], names: &[trace::Region]) -> Table {
    let mut table = Table::new(
        "Regions",
        "each with all that it calls, so one that is inside of another counts in both; predicted, not measured; each: the mean of \
         all entries",
    );
    let cpu = table.text_column("cpu");
    let name = table.text_column("region");
    let entries = table.count_column("entries", "");
    let instructions = table.derived_column("each", "instr", 1);
    let each = table.predicted_column("each", "cycles", 1);
    let first = table.predicted_column("first", "cycles", 0);
    let all = table.predicted_column("all", "cycles", 0);
    let share = table.derived_column("of all cycles", "%", 1);
    for (prediction, _) in predictions {
        for total in &prediction.regions {
            let row = table.row();
            let mean = |sum: u64| sum as f64 / total.entries.max(1) as f64;
            table.set(row, cpu, prediction.cpu.as_str()).set(row, name, region_name(total, names));
            table.set(row, entries, Count(total.entries));
            table.set(row, instructions, Derived::from(mean(total.instructions)));
            table.set(row, each, Predicted(mean(total.cycles)));
            table.set(row, first, Predicted(total.first_cycles as f64));
            table.set(row, all, Predicted(total.cycles as f64));
            let of_all = 100.0 * total.cycles as f64 / prediction.cycles.max(1) as f64;
            table.set(row, share, Derived::from(of_all));
        }
    }
    table
}

/// The interval about `cycles`.
fn about(cycles: f64, factors: [f64; 2]) -> [f64; 2] {
    factors.map(|factor| cycles * factor)
}

/// The events that hardware counters have; what QEMU counted is kept apart from what the model predicts.
fn counters_table(prediction: &Prediction, factors: [f64; 2]) -> Table {
    let mut table = Table::new(
        &format!("{} at {} MHz", prediction.cpu, prediction.clock_mhz),
        "instructions, branches and accesses as executed under QEMU; the rest predicted, not measured",
    );
    let name = table.text_column("event");
    let counted = table.count_column("", "");
    let predicted = table.predicted_column("", "", 0);
    let share = table.derived_column("", "", 3);
    let what = table.text_column("");
    let [low, high] = about(prediction.cycles as f64, factors);
    table.note(&format!("90 % interval of the cycles: {low:.0} to {high:.0}"));
    let counters = &prediction.counters;
    let cycles = prediction.cycles.max(1) as f64;
    let instructions = counters.instructions.max(1) as f64;
    let mut model = |title: &str, value: u64, ratio: f64, meaning: &str| {
        let row = table.row();
        table.set(row, name, title).set(row, predicted, Predicted(value as f64));
        table.set(row, share, Derived::from(ratio)).set(row, what, meaning);
    };
    model("cycles", prediction.cycles, prediction.time_ns() / 1e6, "ms");
    model(
        "branch-misses",
        counters.branch_misses,
        counters.branch_misses as f64 / counters.branches.max(1) as f64,
        "of branches",
    );
    model(
        "L1-dcache-misses",
        counters.l1_misses,
        counters.l1_misses as f64 / instructions,
        "per instruction",
    );
    model("L2-misses", counters.l2_misses, counters.l2_misses as f64 / instructions, "per instruction");
    model(
        "L1-icache-misses",
        counters.instruction_misses,
        counters.instruction_misses as f64 / instructions,
        "per instruction",
    );
    model(
        "store-forwards",
        counters.forwards,
        counters.forwards as f64 / counters.loads.max(1) as f64,
        "of loads",
    );
    model(
        "forward-failures",
        counters.forward_failures,
        counters.forward_failures as f64 / counters.loads.max(1) as f64,
        "of loads",
    );
    let mut stalls: Vec<_> =
        predict::Cause::ALL.iter().zip(counters.stalls).filter(|(_, stall)| *stall > 0).collect();
    stalls.sort_by_key(|(_, stall)| std::cmp::Reverse(*stall));
    for (cause, stall) in stalls {
        model(&format!("stalled: {}", cause.name()), stall, stall as f64 / cycles, "of cycles");
    }
    for (title, value, ratio, meaning) in [
        ("instructions", counters.instructions, instructions / cycles, "per cycle (IPC)"),
        (
            "branches",
            counters.branches,
            counters.branches_taken as f64 / counters.branches.max(1) as f64,
            "taken",
        ),
        ("loads", counters.loads, counters.loads as f64 / instructions, "per instruction"),
        ("stores", counters.stores, counters.stores as f64 / instructions, "per instruction"),
    ] {
        let row = table.row();
        table.set(row, name, title).set(row, counted, Count(value));
        table.set(row, share, Derived::from(ratio)).set(row, what, meaning);
    }
    if let Some(text) = coverage::text(prediction) {
        table.note(&text);
    }
    table
}

/// Cycles of a call; none where the trace has no calls. The steady ones are a mean, which has decimals, unlike what the table
/// above counts.
fn calls_table(prediction: &Prediction, factors: [f64; 2]) -> Option<Table> {
    let first = prediction.cycles_cold?;
    let mut table = Table::new(
        &format!("Cycles of a call, of {}", prediction.calls),
        "predicted, not measured; steady: the mean of the later calls",
    );
    let call = table.text_column("call");
    let cycles = table.predicted_column("", "cycles", CALL_DIGITS);
    let interval = table.text_column("90 %");
    let share = table.derived_column("of steady", "", 3);
    let row = table.row();
    table.set(row, call, "first").set(row, cycles, Predicted(first));
    if let Some(steady) = prediction.cycles_per_call {
        table.set(row, share, Derived::from(first / steady));
        let row = table.row();
        table.set(row, call, "steady").set(row, cycles, Predicted(steady));
        table.set(row, interval, winners::interval_text(about(steady, factors)));
    } else if prediction.calls > 1 {
        table.note("the other calls ended while the first was in flight, so they tell no steady state: record more of them");
    }
    Some(table)
}

/// Decimals of the cycles of a call: it may take few, and often a fraction.
const CALL_DIGITS: usize = 2;

fn several_table(predictions: &[(Prediction, [f64; 2])]) -> Table {
    let mut table =
        Table::new("The whole trace", "predicted from the trace and the cpus' descriptions, not measured");
    let name = table.text_column("cpu");
    let cycles = table.predicted_column("", "cycles", 0);
    let interval = table.text_column("90 %");
    let time = table.predicted_column("", "ms", 3);
    let ipc = table.predicted_column("IPC", "", 2);
    let per_call = table.predicted_column("per call", "cycles", CALL_DIGITS);
    let cold = table.predicted_column("first call", "cycles", CALL_DIGITS);
    let misses = table.predicted_column("branch misses", "", 0);
    let l1 = table.predicted_column("L1 misses", "", 0);
    for (prediction, factors) in predictions {
        let row = table.row();
        table.set(row, name, prediction.cpu.as_str()).set(row, cycles, Predicted(prediction.cycles as f64));
        let [low, high] = about(prediction.cycles as f64, *factors);
        table.set(row, interval, format!("{low:.0}..{high:.0}"));
        table.set(row, time, Predicted(prediction.time_ns() / 1e6)).set(
            row,
            ipc,
            Predicted(prediction.ipc()),
        );
        if let Some(value) = prediction.cycles_per_call {
            table.set(row, per_call, Predicted(value));
        }
        if let Some(value) = prediction.cycles_cold {
            table.set(row, cold, Predicted(value));
        }
        table.set(row, misses, Predicted(prediction.counters.branch_misses as f64));
        table.set(row, l1, Predicted(prediction.counters.l1_misses as f64));
        if let Some(text) = coverage::text(prediction) {
            table.mark(row, cycles, &text);
        }
    }
    table
}

fn table<'a>(records: impl Iterator<Item = &'a PredictionRecord> + Clone) -> Table {
    let (title, several) = hotpaths_of(records.clone().map(|record| &record.common));
    let mut table = Table::new(
        &format!("{title}: one call in steady state, calls back to back"),
        "predicted from a trace and a description of the cpu; not measured; docs/method.md; 90 %: the interval that holds the \
         cycles of a real core in nine of ten cases; alignments: fewest and most cycles over the places of the code in a fetch \
         block, where they differ",
    );
    let cpu = table.text_column("cpu");
    let arch = table.text_column("arch");
    let name = table.text_column("variant");
    let case = table.text_column("case");
    let cycles = table.predicted_column("per call", "cycles", 1);
    let interval = table.text_column("90 %");
    let aligned = table.text_column("alignments");
    let time = table.predicted_column("per call", "ns", 1);
    let rate = table.predicted_column("rate", "bytes/cycle", 2);
    for record in records {
        let row = table.row();
        table.set(row, cpu, record.cpu.as_str()).set(row, arch, record.common.arch.as_str());
        table.set(row, name, variant_text(&record.common, several));
        table.set(row, case, case_text(&record.common.case));
        table.set(row, cycles, Predicted(record.cycles)).set(row, time, Predicted(record.time_ns));
        if let Some(bytes_per_cycle) = record.bytes_per_cycle {
            table.set(row, rate, Predicted(bytes_per_cycle));
        }
        table.set(row, interval, winners::interval_text(record.interval_cycles));
        table.set(row, aligned, winners::alignment_text(record));
        coverage::mark(&mut table, row, cycles, record.coverage_percent);
    }
    table
}
