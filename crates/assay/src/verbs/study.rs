// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `study`: a published table, run again: what was published, what the model predicts, how far it is off.

use crate::context::{Context, Outcome};
use crate::coverage;
use crate::study_file::{self, Quantity, Study};
use crate::verbs::study_rerun::{record, rerun, Rerun};
use crate::verbs::{study_beside, study_difference, study_engine};
use lab::cache::Workspace;
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
    let Some(word) = &args.study else {
        let given = [("--picture", args.picture.is_some()), ("--scenario", args.scenario.is_some())];
        return match given.into_iter().find(|(_, given)| *given) {
            Some((option, _)) => Err(Problem::new(format!("{option} is of one study, and none is named"))
                .remedy("name one; ./assay study lists them")),
            None => list(context),
        };
    };
    let workspace = &context.workspace;
    let (kind, name) = named(workspace, word)?;
    if kind == Kind::Engine {
        let study = study_engine::load(workspace, &name)?;
        return match &args.scenario {
            Some(scenario) => study_engine::run_scenarios(context, &study, scenario),
            None => study_engine::run(context, &study, args.picture.as_deref()),
        };
    }
    let refused = [
        ("there are no scenarios", "--scenario", args.scenario.is_some()),
        ("there is nothing to draw", "--picture", args.picture.is_some()),
    ];
    if let Some((what, option, _)) = refused.into_iter().find(|(.., given)| *given) {
        let engines = study_engine::names(workspace)?.join(" or ");
        return Err(Problem::new(format!("{what} in '{name}'"))
            .remedy(format!("leave out {option}, or name {engines}")));
    }
    if kind == Kind::Difference {
        return study_difference::run(context, &study_difference::load(workspace, &name)?);
    }
    let study = study_file::load(workspace, &name)?;
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

/// What was published, which decides how a study is run again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Table,
    Difference,
    Engine,
}

/// Every study: what it is of, and its name.
fn studies(workspace: &Workspace) -> Result<Vec<(Kind, String)>> {
    let tables = study_file::names(workspace)?.into_iter().map(|name| (Kind::Table, name));
    let differences = study_difference::names(workspace)?.into_iter().map(|name| (Kind::Difference, name));
    let engines = study_engine::names(workspace)?.into_iter().map(|name| (Kind::Engine, name));
    let mut all: Vec<_> = tables.chain(differences).chain(engines).collect();
    all.sort_by(|(_, a), (_, b)| a.cmp(b));
    Ok(all)
}

/// The study of this name, or whose name alone contains the word.
fn named(workspace: &Workspace, word: &str) -> Result<(Kind, String)> {
    let all = studies(workspace)?;
    let known = || all.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(" ");
    let exact: Vec<_> = all.iter().filter(|(_, name)| name == word).collect();
    let matching =
        if exact.is_empty() { all.iter().filter(|(_, name)| name.contains(word)).collect() } else { exact };
    match matching[..] {
        [study] => Ok(study.clone()),
        [] => Err(Problem::new(format!("no study is called '{word}'")).remedy(format!("known: {}", known()))),
        _ => Err(Problem::new(format!("more than one study matches '{word}'"))
            .remedy(format!("known: {}", known()))),
    }
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
    let workspace = &context.workspace;
    for (kind, name) in studies(workspace)? {
        let (title, source) = match kind {
            Kind::Table => study_file::load(workspace, &name).map(|study| (study.title, study.source)),
            Kind::Difference => {
                study_difference::load(workspace, &name).map(|study| (study.title, study.source))
            }
            Kind::Engine => study_engine::load(workspace, &name).map(|study| (study.title, study.source)),
        }?;
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
            coverage::mark_if_known(&mut table, row, column, rerun.coverage_percent);
        }
        match counted.filter(|_| rerun.row.quantity.is_counted()) {
            None => {
                table.set(row, own, Predicted(rerun.own));
                coverage::mark_if_known(&mut table, row, own, rerun.coverage_percent);
            }
            Some(column) => {
                table.set(row, column, Count(rerun.own as u64)).mark(row, column, exactness(rerun));
            }
        }
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
            // Of two that are published as equal there is no order; two that are predicted as equal do not have one that is.
            let published = a.row.published.total_cmp(&b.row.published);
            if comparable && published.is_ne() && a.own.total_cmp(&b.own) != published {
                wrong.push(format!("{} and {}", a.row.title(), b.row.title()));
            }
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rerun(variant: &str, published: f64, own: f64) -> Rerun {
        let row = format!(
            "family = \"f\"\nhotpath = \"h\"\nvariant = \"{variant}\"\nquantity = \"ns_per_call\"\npublished = {published:?}\n"
        );
        Rerun {
            row: toml::from_str(&row).expect("a row"),
            instructions: None,
            cycles: None,
            own,
            over_alignments: None,
            interval: None,
            coverage_percent: None,
            compiler: None,
        }
    }

    #[test]
    fn cycles_of_code_that_the_cpu_file_does_not_know_are_marked() {
        let study: Study = toml::from_str(
            "title = \"t\"\nsource = \"s\"\nmachine = \"m\"\nclock_mhz = 1000\nclock_source = \"c\"\narch = \"powerpc64le\"\n\
             cpu = \"power9\"\nrow = []\n",
        )
        .expect("a study");
        for (percent, notes) in [(Some(41.2), 1), (Some(100.0), 0), (None, 0)] {
            let one = Rerun { coverage_percent: percent, cycles: Some(10.0), ..rerun("v", 10.0, 9.0) };
            let mut report = Report::new("");
            fill(report.section(""), &study, &[one]);
            let told = report::markdown(&report);
            let marks = told.matches("41.2 % of its instructions have a class in the cpu's file").count();
            assert_eq!(marks, notes, "{told}");
            // Beside the cycles and beside the figure in the row's own unit.
            assert_eq!(told.matches("(1)").count(), 3 * notes, "{told}");
        }
    }

    #[test]
    fn what_is_predicted_as_equal_has_no_order_whichever_row_is_first() {
        let wrong = |rows: [(f64, f64); 2]| {
            let [a, b] = rows.map(|(published, own)| rerun("v", published, own));
            orders_wrong(&[&a, &b]).len()
        };
        assert_eq!((wrong([(10.0, 9.0), (20.0, 21.0)]), wrong([(10.0, 22.0), (20.0, 21.0)])), (0, 1));
        assert_eq!((wrong([(10.0, 15.0), (20.0, 15.0)]), wrong([(20.0, 15.0), (10.0, 15.0)])), (1, 1));
        assert_eq!(wrong([(10.0, 15.0), (10.0, 16.0)]), 0, "no order was published");
    }
}
