// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `explain`: where a variant's cycles go on a cpu. One prediction gives the cycles, what the code waits for, its hot loop
//! and a timeline of single instructions. Further predictions, made if they are cheap or asked for, tell what bounds the
//! code (one resource at a time free or unlimited) and how much depends on guessed numbers and on the place of the code.

use crate::context::{Context, Outcome};
use crate::coverage;
use crate::cpus;
use crate::hot_loop;
use crate::judge::{self, Judge};
use crate::least;
use crate::naming::Names;
use crate::progress::Progress;
use crate::select::{names_a_trace, only_traces, Cases, Selection};
use lab::discover::Variant;
use lab::output::Output;
use lab::{Problem, Result};
use predict::explain::{
    explain, places, predict_placed, readings_max, sensitivity, Alignments, Explanation, Sensitivity,
};
use predict::hot::{self, HotLoop};
use predict::least::{Bounds, Least};
use predict::timeline::Timeline;
use predict::{Cpu, Options, PredictError, Prediction};
use report::record::Record;
use report::{Derived, Predicted, Report, Table};
use serde::Serialize;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use trace::Held;

/// Options of `explain`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,
    /// CPU
    #[arg(short, long = "cpu", value_name = "CPU")]
    cpu: String,
    #[command(flatten)]
    cases: Cases,
    /// First instruction of the timeline, counted from the start of the trace (default: in the later half)
    #[arg(long, value_name = "N", value_parser = crate::numbers::whole::<u64>(0..))]
    from: Option<u64>,
    /// Instructions of the timeline
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = crate::numbers::whole::<u64>(1..=1_000_000))]
    count: u64,
    /// Find out what bounds it and what it rests on even if that takes long
    #[arg(long)]
    bounds: bool,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    cycles_without: Option<f64>,
    least: &'a [Least],
    least_cycles: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    obstacle: Option<&'a Least>,
    cycles_unserialised: f64,
    serialised_chain_cycles: f64,
    guessed_spread_percent: f64,
    coverage_percent: f64,
    alignment_cycles: [f64; 2],
    /// Of an iteration of the hot loop; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    loop_cycles: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    loop_instructions: Option<usize>,
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let page = context.output(args.html.as_deref())?;
    if let Some(page) = &page {
        page.spare(
            cpus::files_of(std::slice::from_ref(&args.cpu)).chain(args.selection.words.iter().map(Path::new)),
        )?;
    }
    let mut cpus = cpus::cpus_for(context, std::slice::from_ref(&args.cpu), &args.selection.archs)?;
    // A core of LLVM's is listed once for each architecture: keep the entries for those that were asked for.
    if cpus.iter().any(|cpu| args.selection.archs.iter().any(|arch| cpu.runs(*arch))) {
        cpus.retain(|cpu| args.selection.archs.iter().any(|arch| cpu.runs(*arch)));
    }
    let cpu = cpus.remove(0);
    let subject = subject_of(context, args, &cpu, page.as_ref())?;
    let base = &subject.options;
    let failed = |error: &dyn Display| judge::of_trace(subject.trace.path(), error);
    let mut open = judge::opener_of(&subject.trace);
    let (first, took) =
        first_numbers(context, args, &mut open, &cpu, &subject).map_err(|error| failed(&error))?;
    if let Some(from) = args.from.filter(|from| *from >= first.executed) {
        return Err(Problem::new(format!(
            "--from {from} is beyond the {} instructions of the trace",
            first.executed
        ))
        .remedy(format!("count from 0, up to {}", first.executed - 1)));
    }
    if context.json {
        subject.gaps.iter().for_each(|text| context.progress(text));
    }
    let mut report = Report::new(&format!("{} on {}, predicted", subject.title, cpu.title()));
    let section = report.section("");
    subject.gaps.iter().for_each(|text| {
        section.paragraph(text);
    });
    section.paragraph(&first.text);
    if let Some(text) = coverage::text(&first.prediction) {
        section.paragraph(&text);
    }
    if let Some(hot) = &first.hot {
        hot_loop::show(report.section("The hot loop"), hot);
    }
    // The sweeps run if they are asked for or short; a record always holds their results.
    let expected = took.mul_f64(sweeps_count(&mut open, &cpu).map_err(|error| failed(&error))? as f64);
    let sweeps = args.bounds || context.json || expected < SWEEPS_UNASKED;
    // On a terminal the first numbers are shown before the sweeps run; a page on standard output is written once, whole.
    let shown_first = !context.json && !page.as_ref().is_some_and(|page| page.is_stdout());
    if shown_first {
        show_first(context, &report, first.timeline.as_ref());
    }
    if sweeps {
        let told = Sweeps::of(&mut open, &cpu, base, &first.prediction).map_err(|error| failed(&error))?;
        if context.json && page.as_ref().is_none_or(|page| !page.is_stdout()) {
            println!("{}", record(&subject.title, args, &told, &first).to_line());
        }
        let mut second = Report::new(&format!("{} on {}, by experiment", subject.title, cpu.name));
        told.show(&mut second);
        if shown_first {
            context.show(&second);
        }
        told.show(&mut report);
    } else {
        context.progress(&format!(
            "--bounds adds what bounds it, found by experiment (about {:.0} s)",
            expected.as_secs_f64().ceil()
        ));
    }
    if let (Some(page), Some(timeline)) = (&page, &first.timeline) {
        let head = first.hot.as_ref().and_then(|hot| hot.instructions.first()).map(|first| first.address);
        let text = report::html(&report).replace("</body>", &format!("{}</body>", timeline.html(head)));
        page.write(text.as_bytes())?;
        if !page.is_stdout() {
            context.progress(&format!("wrote {}", page.name()));
        }
    }
    Ok(Outcome::Fine)
}

/// Sweeps that are expected to take less run without `--bounds`.
const SWEEPS_UNASKED: Duration = Duration::from_secs(10);

/// The results of one prediction.
struct First {
    prediction: Prediction,
    text: String,
    /// Instructions of the whole trace, which are counted only to check `--from`; `u64::MAX` without it.
    executed: u64,
    hot: Option<HotLoop>,
    timeline: Option<Timeline>,
}

/// Makes the first prediction, with its hot loop and timeline; also returns how long the prediction took.
fn first_numbers(
    context: &Context,
    args: &Args,
    open: &mut predict::explain::Open<'_>,
    cpu: &Cpu,
    subject: &Subject,
) -> std::result::Result<(First, Duration), PredictError> {
    let _progress = (!context.json).then(|| Progress::of(&format!("predicting on {}", cpu.name), 0));
    let began = Instant::now();
    let prediction = predict::predict(&mut *open()?, &[cpu], &subject.options)?.remove(0);
    let took = began.elapsed();
    let counters = &prediction.counters;
    let text = first_text(&prediction);
    let mut timeline = timeline(open, cpu, args.from.unwrap_or(counters.instructions / 2), args)?;
    if let Some(timeline) = &mut timeline {
        timeline.name(|address| subject.names.place_text(address));
    }
    let hot = timeline.as_ref().and_then(hot::hot_loop);
    if let Some(timeline) = &mut timeline {
        timeline.events.truncate(usize::try_from(args.count).unwrap_or(usize::MAX));
    }
    let executed = args.from.map_or(Ok(u64::MAX), |_| executed(open))?;
    Ok((First { prediction, text, executed, hot, timeline }, took))
}

/// The figures of one prediction. Those of a call are of its steady state; all others are of the whole run, which holds calls with
/// cold caches and predictors, too.
fn first_text(prediction: &Prediction) -> String {
    let per_call = prediction.cycles_per_call.map_or(String::new(), |cycles| {
        let calls = prediction.calls;
        format!("{cycles:.1} cycles per call in steady state. Over {calls} calls, cold ones included: ")
    });
    format!(
        "{per_call}{} cycles, {:.2} instructions a cycle. {}",
        prediction.cycles,
        prediction.ipc(),
        hot_loop::stalls_text(&prediction.counters, prediction.cycles)
    )
}

/// Counts the instructions of the whole trace.
fn executed(open: &mut predict::explain::Open<'_>) -> std::result::Result<u64, PredictError> {
    let mut source = open()?;
    let mut chunk = predict::source::Chunk::default();
    let (mut lengths, mut sum) = (Vec::new(), 0u64);
    while source.read(&mut chunk)? {
        lengths.extend(chunk.new_blocks.iter().map(|block| block.len() as u64));
        let mut before: Vec<u64> = Vec::new();
        for item in &chunk.items {
            let instructions = match item {
                predict::source::Item::Block { block, .. } => lengths[*block as usize],
                predict::source::Item::Repeat { items, times, .. } => {
                    before[before.len() - *items as usize..].iter().sum::<u64>() * times
                }
                _ => 0,
            };
            before.push(instructions);
            sum = sum.saturating_add(instructions);
        }
        chunk.clear();
    }
    Ok(sum)
}

fn show_first(context: &Context, report: &Report, timeline: Option<&Timeline>) {
    let mut report = report.clone();
    if let Some(timeline) = timeline {
        let section = report.section("Timeline");
        section.paragraph(
            "A column is a cycle: D dispatched, . on its way to the queues, = waiting for sources, w waiting for a pipe, \
             e executing, - waiting to complete, R completed; { opens a dispatch group.",
        );
        // A timeline with wrapped lines cannot be read.
        let columns = report::Terminal::of_stdout().width.saturating_sub(TEXT_COLUMNS).clamp(16, 200);
        section.verbatim(&timeline.text(columns));
    }
    context.show(&report);
}

/// About how many predictions of the sweeps run one after the other on each processor.
fn sweeps_count(
    open: &mut predict::explain::Open<'_>,
    cpu: &Cpu,
) -> std::result::Result<usize, PredictError> {
    let resources = 2 * (10 + cpu.names("unit").len());
    let all = resources + 2 * cpu.guesses().len() + places(open()?.arch(), cpu).len();
    Ok(all.div_ceil(std::thread::available_parallelism().map_or(1, |count| count.get())))
}

/// The results of the sweeps: a prediction for each resource, each end of a guessed number and each place of the code.
struct Sweeps {
    explanation: Explanation,
    bounds: Bounds,
    guesses: Sensitivity,
    shifted: Alignments,
}

impl Sweeps {
    fn of(
        open: &mut predict::explain::Open<'_>,
        cpu: &Cpu,
        base: &Options,
        first: &Prediction,
    ) -> std::result::Result<Sweeps, PredictError> {
        let readings = readings_max(open()?.arch(), cpu, first)?;
        let what = "readings of the trace, with each resource free, each guess moved, at each place";
        let told = Told { progress: Progress::of(what, readings.iter().sum()), readings };
        Ok(Sweeps {
            explanation: told.part(0, open, |open| explain(open, cpu, base))?,
            bounds: told.part(1, open, |open| Bounds::of(open, cpu, base))?,
            guesses: told.part(2, open, |open| sensitivity(open, cpu, base))?,
            shifted: told.part(3, open, |open| predict_placed(open, &[cpu], base))?.remove(0).1,
        })
    }

    fn show(&self, report: &mut Report) {
        let section = report.section("What bounds it");
        section.paragraph(&self.explanation.summary());
        section.table(bounds_table(&self.explanation));
        section.paragraph(&least::summary(&self.bounds));
        section.table(least::table(&self.bounds));
        let section = report.section("What the prediction rests on");
        section.table(guesses_table(&self.guesses));
        section.paragraph(&alignment_text(&self.shifted));
    }
}

/// Tells how many readings of the trace are done.
struct Told {
    progress: Progress,
    /// Of each part, at most.
    readings: [usize; 4],
}

impl Told {
    /// Does a part of the work. The next reading begins when the one before it is done, and a part may need fewer than expected.
    fn part<T>(
        &self,
        number: usize,
        open: &mut predict::explain::Open<'_>,
        work: impl FnOnce(&mut predict::explain::Open<'_>) -> std::result::Result<T, PredictError>,
    ) -> std::result::Result<T, PredictError> {
        let mut done = self.readings[..number].iter().sum();
        let found = work(&mut || {
            self.progress.reach(done);
            done += 1;
            open()
        });
        self.progress.reach(self.readings[..=number].iter().sum());
        found
    }
}

/// Columns of a timeline's line before its cycles, including the margin of verbatim text.
const TEXT_COLUMNS: usize = 44;

/// The timeline from instruction `from` on, long enough for `--count` and for finding a loop.
fn timeline(
    open: &mut predict::explain::Open<'_>,
    cpu: &Cpu,
    from: u64,
    args: &Args,
) -> std::result::Result<Option<Timeline>, PredictError> {
    let count = args.count.max(hot::WINDOW);
    // Nothing behind the events is needed. With --from no loop is skipped, so that the timeline begins at exactly that
    // instruction; without it any iteration of the same loop will do.
    let simulated_max = Some(from.saturating_add(2 * count));
    let skip_loops = args.from.is_none();
    let options = Options { events: Some((from, count)), skip_loops, simulated_max, ..Options::default() };
    Ok(predict::predict(&mut *open()?, &[cpu], &options)?.remove(0).timeline)
}

/// What is explained.
struct Subject {
    title: String,
    trace: Held,
    options: Options,
    names: Names,
    /// What the trace lacks.
    gaps: Vec<String>,
}

impl Subject {
    fn of(title: String, trace: &Path, options: Options) -> Result<Subject> {
        let failed = |error: trace::Error| judge::of_trace(trace, &error);
        let trace = judge::hold(trace)?;
        let mut reader = trace.reader().map_err(failed)?;
        reader.executions().map_err(failed)?;
        let names = Names::of(reader.blocks(), reader.end(), &[])?;
        let gaps = judge::gaps(reader.end(), true);
        Ok(Subject { title, trace, options, names, gaps })
    }
}

/// The trace file that was named, or one recorded of a variant's chosen or first case; with the options by which the other
/// verbs predict it.
fn subject_of(context: &Context, args: &Args, cpu: &Cpu, page: Option<&Output>) -> Result<Subject> {
    let word = args.selection.words.first().map_or("", String::as_str);
    let file = Path::new(word);
    if names_a_trace(word) {
        if matches!(file.try_exists(), Ok(false)) {
            return Err(Problem::new("there is no such trace")
                .at(word)
                .remedy("see that the path is right; ./assay trace records one"));
        }
        only_traces(&args.selection, &args.cases)?;
        if args.selection.words.len() > 1 {
            return Err(Problem::new("explain takes one trace at a time")
                .remedy("./assay compare puts several side by side"));
        }
        return Subject::of(word.to_owned(), file, Options::default());
    }
    let mut selection = args.selection.resolved(context)?;
    if selection.archs.is_empty() {
        selection.archs = arch::Arch::ALL.into_iter().filter(|arch| cpu.runs(*arch)).collect();
    }
    let has_own = selection.words.len() > 1 || !selection.dirs.is_empty();
    // Called for its error message if the word names no hot path.
    selection.hotpaths(context)?;
    if word.is_empty() || selection.variants.is_empty() && !has_own {
        return Err(Problem::new(format!("'{word}' is neither HOTPATH/VARIANT nor a trace file"))
            .remedy("write it like csum_partial/uint128, or a file of yours behind the hot path; ./assay list shows the names"));
    }
    let mut variants = selection.variants(context)?;
    if selection.variants.is_empty() {
        variants.retain(|one| !one.reference);
    }
    // If several architectures remain: the widest, little-endian if there is a choice, as most programs for such a machine
    // are built today.
    let able: Vec<&Variant> = variants.iter().filter(|variant| judge::cpu_has(cpu, variant)).collect();
    let archs: Vec<&str> = able.iter().map(|variant| variant.arch.name()).collect();
    let usual = able.iter().max_by_key(|one| (one.arch.word_bits(), !one.arch.big_endian()));
    let able = *usual.ok_or_else(|| {
        Problem::new(format!(
            "{} does not run {}: it needs {}",
            cpu.name,
            variants[0].title(),
            variants[0].claims()
        ))
        .remedy("choose another -c")
    })?;
    if let Some(other) = variants.iter().find(|one| one.source != able.source) {
        return Err(Problem::new(format!("{} and {} at once", able.title(), other.title()))
            .remedy("explain takes one variant: name it as HOTPATH/VARIANT or by -v"));
    }
    if let [first, second, ..] = &args.cases.cases[..] {
        return Err(Problem::new(format!("--case {first} and --case {second} at once"))
            .remedy("explain takes one case; predict takes several"));
    }
    page.map_or(Ok(()), |page| page.spare([&able.source]))?;
    let case = able.hotpath.select_cases(&args.cases.cases).into_iter().next().unwrap_or_default();
    let others = match archs.len() {
        0 | 1 => String::new(),
        _ => format!(" (-a chooses among {})", archs.join(" ")),
    };
    context.progress(&format!("{} on {}, {case}{others}", able.title(), able.arch));
    let judge = Judge::new(context, selection.compiler()?).unchecked(args.cases.unchecked);
    judge.refuse_unknown_cases(std::slice::from_ref(able), &args.cases.cases)?;
    let trace =
        judge.loop_trace(able, &case, cpu)?.map_err(|reason| Problem::new(reason.0).at(able.title()))?;
    Subject::of(format!("{} ({}) {case}", able.title(), able.arch), &trace, judge::options())
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

fn record<'a>(what: &'a str, args: &'a Args, sweeps: &'a Sweeps, first: &First) -> ExplainRecord<'a> {
    let hot = first.hot.as_ref();
    let Sweeps { explanation, bounds, guesses, shifted } = sweeps;
    let bound = explanation.bound_by();
    ExplainRecord {
        kind: "explain",
        what,
        cpu: &args.cpu,
        cycles: explanation.cycles,
        per_call: explanation.per_call,
        bound_by: bound.map_or("nothing alone", |bound| bound.resource.as_str()),
        cycles_without: bound.map(|bound| bound.cycles_without),
        least: &bounds.least,
        least_cycles: bounds.least[0].cycles,
        obstacle: bounds.obstacle.as_ref(),
        cycles_unserialised: bounds.unserialised,
        serialised_chain_cycles: bounds.serialised_chain,
        guessed_spread_percent: guesses.spread_percent(),
        coverage_percent: first.prediction.coverage_percent,
        alignment_cycles: shifted.range().into(),
        loop_cycles: hot.map(|hot| hot.cycles),
        loop_instructions: hot.map(|hot| hot.instructions.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_is_done_when_the_next_begins_and_all_of_a_part_when_it_ends() {
        let told = Told { progress: Progress::of("readings", 8), readings: [3, 2, 2, 1] };
        let mut open = || Err(predict::SourceError::Failed("nothing is read".into()));
        let mut seen = Vec::new();
        for (number, times) in [(0, 3), (1, 1), (2, 2), (3, 1)] {
            let part = told.part(number, &mut open, |open| {
                for _ in 0..times {
                    assert!(open().is_err());
                    seen.push(told.progress.done());
                }
                Ok(())
            });
            part.expect("nothing failed");
            seen.push(told.progress.done());
        }
        assert_eq!(seen, [0, 1, 2, 3, 3, 5, 5, 6, 7, 7, 8]);
    }
}
