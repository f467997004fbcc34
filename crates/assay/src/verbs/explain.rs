// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `explain`: what bounds a variant on a cpu, found by taking one resource at a time away and predicting again; how much
//! of the answer rests on guesses and on where the code stands; and a timeline of single instructions.

use crate::context::{Context, Outcome};
use crate::cpus;
use crate::judge::{self, Judge};
use crate::least::{Bounds, Least};
use crate::select::{Cases, Selection};
use lab::{Problem, Result};
use predict::explain::{explain, predict_placed, sensitivity, Alignments, Explanation, Sensitivity};
use predict::{Cpu, Options};
use report::record::Record;
use report::{Derived, Predicted, Report, Table};
use serde::Serialize;
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// Options of `explain`.
#[derive(clap::Args)]
pub struct Args {
    /// HOTPATH/VARIANT, or a trace file
    #[arg(value_name = "HOTPATH/VARIANT|FILE.trace")]
    what: String,
    /// CPU
    #[arg(short, long = "cpu", value_name = "CPU")]
    cpu: String,
    /// Architecture, where the cpu runs several
    #[arg(short, long = "arch", value_name = "ARCH")]
    arch: Option<arch::Arch>,
    #[command(flatten)]
    cases: Cases,
    /// Compiler: clang or gcc
    #[arg(long, value_name = "NAME", default_value = "clang")]
    compiler: String,
    /// First instruction of the timeline, counted from the start of the trace (default: in the later half)
    #[arg(long, value_name = "N")]
    from: Option<u64>,
    /// Instructions of the timeline
    #[arg(long, value_name = "N", default_value_t = 40)]
    count: u64,
    /// Write the timeline as a self-contained page; -: to standard output, and nothing else there
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

#[derive(Serialize)]
struct ExplainRecord<'a> {
    kind: &'static str,
    what: &'a str,
    cpu: &'a str,
    cycles: f64,
    per_call: bool,
    bound_by: &'a str,
    cycles_without: Option<f64>,
    least: &'a [Least],
    least_cycles: f64,
    cycles_unserialised: f64,
    serialised_chain_cycles: f64,
    guessed_spread_percent: f64,
    alignment_cycles: [f64; 2],
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let page = context.output(args.html.as_deref())?;
    let mut cpus = cpus::cpus_for(context, std::slice::from_ref(&args.cpu), args.arch.as_slice())?;
    // LLVM's cores come once for each architecture.
    if let Some(arch) = args.arch.filter(|arch| cpus.iter().any(|cpu| cpu.runs(*arch))) {
        cpus.retain(|cpu| cpu.runs(arch));
    }
    let cpu = cpus.remove(0);
    let (path, base) = trace_of(context, args, &cpu)?;
    let failed = |error: &dyn Display| judge::of_trace(&path, error);
    let mut open = judge::opener(&path);
    let explanation = explain(&mut open, &cpu, &base).map_err(|error| failed(&error))?;
    let bounds = Bounds::of(&mut open, &cpu, &base).map_err(|error| failed(&error))?;
    let guesses = sensitivity(&mut open, &cpu, &base).map_err(|error| failed(&error))?;
    let placed = predict_placed(&mut open, &[&cpu], &base).map_err(|error| failed(&error))?;
    let shifted = &placed[0].1;
    let executed = explanation.prediction.counters.instructions;
    let from = args.from.unwrap_or(executed / 2);
    if from >= executed {
        return Err(Problem::new(format!(
            "--from {from} is beyond the {executed} instructions of the trace"
        ))
        .remedy(format!("count from 0, up to {}", executed - 1)));
    }
    let events = Some((from, args.count));
    let options = Options { events, skip_loops: false, ..Options::default() };
    let mut source = open().map_err(|error| failed(&error))?;
    let timeline =
        predict::predict(&mut *source, &[&cpu], &options).map_err(|error| failed(&error))?.remove(0).timeline;
    if let (Some(page), Some(timeline)) = (&page, &timeline) {
        page.write(timeline.html().as_bytes())?;
        if page.is_stdout() {
            return Ok(Outcome::Fine);
        }
        context.progress(&format!("wrote {}", page.name()));
    }
    if context.json {
        println!("{}", record(args, &explanation, &bounds, &guesses, shifted).to_line());
        return Ok(Outcome::Fine);
    }
    let mut report = Report::new(&format!("{} on {}", args.what, cpu.title()));
    let section = report.section("What bounds it");
    section.paragraph(&explanation.summary());
    section.table(bounds_table(&explanation));
    section.paragraph(&bounds.summary());
    section.table(bounds.table());
    let section = report.section("What the prediction rests on");
    section.table(guesses_table(&guesses));
    section.paragraph(&alignment_text(shifted));
    if let Some(timeline) = timeline {
        let section = report.section("Timeline");
        section.paragraph(
            "A column is a cycle: D dispatched, = waiting for sources, w waiting for a pipe, e executing, - waiting to \
             complete, R completed; { opens a dispatch group.",
        );
        section.verbatim(&timeline.text(72));
    }
    context.show(&report);
    Ok(Outcome::Fine)
}

/// A trace file as named, or one made of a variant's first case; and how it is predicted by the other verbs, too.
fn trace_of(context: &Context, args: &Args, cpu: &Cpu) -> Result<(PathBuf, Options)> {
    let file = Path::new(&args.what);
    if file.is_file() {
        return Ok((file.to_path_buf(), Options::default()));
    }
    if args.what.ends_with(".trace") {
        return Err(Problem::new("there is no such trace")
            .at(&args.what)
            .remedy("see that the path is right; ./assay trace records one"));
    }
    let (hotpath, variant) = args.what.split_once('/').ok_or_else(|| {
        Problem::new(format!("'{}' is neither HOTPATH/VARIANT nor a trace file", args.what))
            .remedy("write it like csum_partial/uint128; ./assay list shows the names")
    })?;
    let selection = Selection {
        words: vec![hotpath.to_owned()],
        variants: vec![variant.to_owned()],
        archs: args.arch.map_or_else(
            || arch::Arch::ALL.into_iter().filter(|arch| cpu.runs(*arch)).collect(),
            |arch| vec![arch],
        ),
        compiler: args.compiler.clone(),
        ..Selection::default()
    };
    let variants = selection.variants(context)?;
    let able = variants.iter().find(|variant| judge::cpu_has(cpu, variant)).ok_or_else(|| {
        Problem::new(format!("{} does not run {}: it needs {}", cpu.name, args.what, variants[0].claims()))
            .remedy("choose another -c")
    })?;
    let case = able.hotpath.select_cases(&args.cases.cases).into_iter().next().unwrap_or_default();
    context.progress(&format!("{} on {}, {case}", able.title(), able.arch));
    let judge = Judge::new(context, selection.compiler()?).unchecked(args.cases.unchecked);
    let path =
        judge.loop_trace(able, &case, cpu)?.map_err(|reason| Problem::new(reason.0).at(able.title()))?;
    Ok((path, judge::options()))
}

fn bounds_table(explanation: &Explanation) -> Table {
    let unit = if explanation.per_call { "cycles per call" } else { "cycles" };
    let mut table = Table::new(
        &format!("{:.1} {unit}; with one resource free or unlimited:", explanation.cycles),
        "each row is a prediction of its own; savings do not add up",
    );
    let resource = table.text_column("without");
    let cycles = table.predicted_column("left", "cycles", 1);
    let saved = table.derived_column("saved", "%", 1);
    for bound in explanation.bounds.iter().take(8) {
        let row = table.row();
        table.set(row, resource, bound.resource.as_str()).set(row, cycles, Predicted(bound.cycles_without));
        table.set(row, saved, Derived::from(100.0 * (1.0 - bound.cycles_without / explanation.cycles)));
    }
    table
}

fn guesses_table(guesses: &Sensitivity) -> Table {
    let (low, high) = guesses.range();
    let mut table = Table::new(
        &format!(
            "Guessed numbers move it between {low:.1} and {high:.1} cycles ({:.1} %)",
            guesses.spread_percent()
        ),
        "each guess moved to both ends of its range, one at a time; those that change a thousandth or more",
    );
    let key = table.text_column("guessed number");
    let range = table.text_column("range");
    let at_low = table.predicted_column("at low end", "cycles", 1);
    let at_high = table.predicted_column("at high end", "cycles", 1);
    for one in guesses.moves.iter().take(8) {
        let row = table.row();
        table.set(row, key, one.key.as_str()).set(row, range, format!("{} .. {}", one.range.0, one.range.1));
        table.set(row, at_low, Predicted(one.cycles.0)).set(row, at_high, Predicted(one.cycles.1));
    }
    table
}

fn alignment_text(shifted: &Alignments) -> String {
    let (low, high) = shifted.range();
    let best: Vec<String> = shifted.best().iter().map(|bytes| format!("+{bytes}")).collect();
    match shifted.places.len() {
        1 => "An instruction is a whole fetch block: it does not matter where the code stands.".to_owned(),
        places => format!(
            "Over {places} places of the code within a fetch block: {low:.1} to {high:.1} cycles; fewest at {}.",
            best.join(" ")
        ),
    }
}

fn record<'a>(
    args: &'a Args,
    explanation: &'a Explanation,
    bounds: &'a Bounds,
    guesses: &Sensitivity,
    shifted: &Alignments,
) -> ExplainRecord<'a> {
    let bound = explanation.bound_by();
    ExplainRecord {
        kind: "explain",
        what: &args.what,
        cpu: &args.cpu,
        cycles: explanation.cycles,
        per_call: explanation.per_call,
        bound_by: bound.map_or("nothing alone", |bound| bound.resource.as_str()),
        cycles_without: bound.map(|bound| bound.cycles_without),
        least: &bounds.least,
        least_cycles: bounds.least[0].cycles,
        cycles_unserialised: bounds.unserialised,
        serialised_chain_cycles: bounds.serialised_chain,
        guessed_spread_percent: guesses.spread_percent(),
        alignment_cycles: shifted.range().into(),
    }
}
