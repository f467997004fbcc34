// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `study`: a published table, run again: what was published, what the model predicts, how far it is off.

use crate::context::{Context, Outcome};
use crate::study_file::{self, Quantity, Study};
use crate::verbs::study_rerun::{record, rerun, Rerun};
use crate::verbs::{study_beside, study_difference, study_engine};
use lab::{Problem, Result};
use report::record::Record;
use report::{Count, Derived, Predicted, Published, Report, Section, Table};
use serde::Serialize;
use std::path::PathBuf;

/// Options of `study`.
#[derive(clap::Args)]
pub struct Args {
    /// Study, by name or a part of it (default: list them)
    #[arg(value_name = "STUDY")]
    study: Option<String>,
    /// Draw the sweep of a study of the prefetch engine into this file, as SVG
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Of a study of the prefetch engine only the scenarios with this word in their names, at each rate; no sweeps
    #[arg(long, value_name = "WORD", conflicts_with = "picture")]
    scenario: Option<String>,
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let Some(word) = &args.study else { return list(context) };
    if let Some(study) = study_engine::find(&context.workspace, word)? {
        return match &args.scenario {
            Some(scenario) => study_engine::run_scenarios(context, &study, scenario),
            None => study_engine::run(context, &study, args.picture.as_deref()),
        };
    }
    if args.scenario.is_some() {
        return Err(Problem::new(format!("'{word}' has no scenarios"))
            .remedy("leave out --scenario, or name 2014-micro-partition-prefetch"));
    }
    if args.picture.is_some() {
        return Err(Problem::new(format!("there is nothing to draw in '{word}'"))
            .remedy("leave out --picture, or name 2014-micro-partition-prefetch"));
    }
    if let Some(study) = study_difference::find(&context.workspace, word)? {
        return study_difference::run(context, &study);
    }
    let study = study_file::load(&context.workspace, word)?;
    let reruns = rerun(context, &study, study.compiler()?)?;
    let exact = reruns.iter().all(|rerun| rerun.exact() != Some(false));
    let beside = study_beside::Beside::of(context, &study, &reruns)?;
    let records = reruns.iter().map(|rerun| record(&study, rerun).to_line());
    context.tell_lines(records.chain(beside.lines(&study)), || {
        let mut report = Report::new(&study.title);
        fill(report.section(""), &study, &reruns);
        beside.show(&mut report, &study, &reruns);
        report
    });
    if !exact {
        eprintln!("a count differs from its closed form");
    }
    Ok(if exact { Outcome::Fine } else { Outcome::Failed })
}

/// One study in the list. Kind `study_title`.
#[derive(Serialize)]
struct TitleRecord {
    kind: &'static str,
    study: String,
    title: String,
    source: String,
    assay_version: &'static str,
}

fn list(context: &Context) -> Result<Outcome> {
    let mut all = Vec::new();
    for name in study_file::names(&context.workspace)? {
        let Study { title, source, .. } = study_file::load(&context.workspace, &name)?;
        all.push((name, title, source));
    }
    for name in study_difference::names(&context.workspace)? {
        let study = study_difference::load(&context.workspace, &name)?;
        all.push((name, study.title, study.source));
    }
    for name in study_engine::names(&context.workspace)? {
        let study = study_engine::load(&context.workspace, &name)?;
        all.push((name, study.title, study.source));
    }
    all.sort();
    for (name, title, source) in all {
        if context.json {
            let assay_version = env!("CARGO_PKG_VERSION");
            let record = TitleRecord { kind: "study_title", study: name, title, source, assay_version };
            println!("{}", record.to_line());
        } else {
            println!("{name:28} {title}");
        }
    }
    Ok(Outcome::Fine)
}

/// Puts a study's table and its summary into a section.
pub fn fill(section: &mut Section, study: &Study, reruns: &[Rerun]) {
    section.paragraph(&format!("Published: {}.", study.source));
    section.paragraph(&format!(
        "Machine: {} at {} MHz ({}). Here: {} by QEMU's trace and cpus/{}.",
        study.machine, study.clock_mhz, study.clock_source, study.arch, study.cpu
    ));
    if let Some(compiler) = reruns.iter().find_map(|rerun| rerun.compiler.as_ref()) {
        section.paragraph(&format!("Compiler of what is judged: {compiler}."));
    }
    let method = "instructions counted under QEMU; cycles and times predicted from the trace and the cpu's description, \
                  not measured; errors in percent of the published figure; alignments: lowest and highest over the places of the code \
                  in a fetch block, where they differ";
    let mut table = Table::new("Published and re-run", method);
    let hot = reruns.iter().any(|rerun| rerun.row.hotpath.is_some());
    let several = reruns.iter().any(|rerun| rerun.row.cpu.is_some());
    // If all rows share a unit, it stands in the heads of columns; if not, each row names its quantity.
    let first = reruns.first().map(|rerun| rerun.row.quantity);
    let same = reruns.iter().all(|rerun| Some(rerun.row.quantity) == first);
    let unit = first.filter(|_| same).map_or("", Quantity::unit);
    let digits = if same { 1 } else { 3 };
    let cpu = several.then(|| table.text_column("cpu"));
    let name = table.text_column("row");
    let quantity = (!same).then(|| table.text_column("quantity"));
    let instructions = hot.then(|| table.count_column("per call", "instr"));
    let cycles = hot.then(|| table.predicted_column("per call", "cycles", 1));
    let any_counted = reruns.iter().any(|rerun| rerun.row.quantity.is_counted());
    let counted = any_counted.then(|| table.count_column("re-run", ""));
    let own = table.predicted_column("re-run", unit, digits);
    let interval = table.text_column("90 %");
    let aligned = hot.then(|| table.text_column("alignments"));
    let published = table.published_column("published", unit, digits);
    let error = table.derived_column("error", "%", 1);
    for rerun in reruns {
        let row = table.row();
        table.set(row, name, rerun.row.title());
        if let Some(column) = cpu {
            table.set(row, column, rerun.row.cpu.as_ref().unwrap_or(&study.cpu).as_str());
        }
        if let Some(column) = quantity {
            table.set(row, column, rerun.row.quantity.name());
        }
        if let (Some(column), Some(value)) = (instructions, rerun.instructions) {
            table.set(row, column, Count(value));
        }
        if let (Some(column), Some(value)) = (cycles, rerun.cycles) {
            table.set(row, column, Predicted(value));
        }
        match counted.filter(|_| rerun.row.quantity.is_counted()) {
            None => table.set(row, own, Predicted(rerun.own)),
            Some(column) => {
                table.set(row, column, Count(rerun.own as u64)).mark(row, column, exactness(rerun))
            }
        };
        if let Some([low, high]) = rerun.interval {
            table.set(row, interval, format!("{low:.digits$}..{high:.digits$}"));
        }
        if let (Some(column), Some([low, high])) = (aligned, rerun.over_alignments) {
            let text =
                if high > low * 1.001 { format!("{low:.digits$}..{high:.digits$}") } else { String::new() };
            table.set(row, column, text);
        }
        table.set(row, published, Published(rerun.row.published));
        table.set(row, error, Derived::from(rerun.error_percent()));
        if rerun.row.used_for_fit {
            table.mark(row, error, "a number of the cpu was fitted to this row");
        }
        if let Some(printed) = rerun.row.as_printed.as_ref().filter(|_| rerun.row.program.is_some()) {
            table.mark(row, published, &format!("printed: {printed}"));
        }
        if let Some(note) = &rerun.row.note {
            table.mark(row, name, note);
        }
    }
    for note in &study.notes {
        table.note(note);
    }
    section.table(table);
    section.paragraph(&summary(reruns));
}

/// Whether a count is what the program's text says that it has to be.
fn exactness(rerun: &Rerun) -> &'static str {
    match rerun.exact() {
        Some(true) => "exactly what the program's text says",
        Some(false) => "NOT what the program's text says",
        None => "nothing says what it has to be exactly",
    }
}

/// Mean error of the predicted rows, and whether the published order holds in every case.
fn summary(reruns: &[Rerun]) -> String {
    let predicted: Vec<&Rerun> = reruns.iter().filter(|rerun| !rerun.row.quantity.is_counted()).collect();
    let Some(worst) =
        predicted.iter().max_by(|a, b| a.error_percent().abs().total_cmp(&b.error_percent().abs()))
    else {
        return "Nothing here is predicted.".to_owned();
    };
    let mean =
        predicted.iter().map(|rerun| rerun.error_percent().abs()).sum::<f64>() / predicted.len() as f64;
    let mut text = format!(
        "Mean absolute error of {} predicted rows: {mean:.1} %; the largest {:.1} % ({}).",
        predicted.len(),
        worst.error_percent(),
        worst.row.title()
    );
    let wrong = orders_wrong(&predicted);
    match &wrong[..] {
        [] if predicted.iter().any(|rerun| rerun.row.hotpath.is_some()) => {
            text.push_str(" The published order of the variants holds in every case.");
        }
        [] => {}
        wrong => text.push_str(&format!(" The published order does not hold for: {}.", wrong.join(", "))),
    }
    text
}

/// Pairs of variants on the same case whose predicted order is not the published one.
fn orders_wrong(reruns: &[&Rerun]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (index, a) in reruns.iter().enumerate() {
        for b in &reruns[index + 1..] {
            let comparable = a.row.hotpath.is_some()
                && (&a.row.hotpath, &a.row.cpu, &a.row.case, a.row.quantity)
                    == (&b.row.hotpath, &b.row.cpu, &b.row.case, b.row.quantity);
            if comparable && (a.own < b.own) != (a.row.published < b.row.published) {
                wrong.push(format!("{} and {}", a.row.title(), b.row.title()));
            }
        }
    }
    wrong
}
