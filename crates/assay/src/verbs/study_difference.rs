// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Studies of differences, `studies/differences/<year>-<topic>.toml`: a thread published rates before and after a change of
//! some code; the published differences, with their scatter, are shown beside those predicted for that code.

use crate::context::{Context, Outcome};
use crate::coverage;
use crate::cpus;
use crate::judge::Judge;
use crate::study_file::names_in;
use crate::winners::interval_text;
use arch::Arch;
use lab::cache::{read_text, Workspace};
use lab::case::Case;
use lab::discover;
use lab::toolchain::CompilerKind;
use lab::{Problem, Result};
use predict::doubt::{saved_interval, ModelError};
use predict::Cpu;
use report::record::PredictionRecord;
use report::{Predicted, Published, Report, Table};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A study of differences.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    #[serde(skip)]
    name: String,
    /// What it is about.
    pub title: String,
    /// Who published it, where and when.
    pub source: String,
    machine: String,
    clock_mhz: f64,
    clock_range_mhz: [f64; 2],
    clock_source: String,
    arch: String,
    cpu: String,
    case: BTreeMap<String, u64>,
    notes: Vec<String>,
    #[serde(rename = "row")]
    rows: Vec<Row>,
}

/// Which state was live, the code that ran for it, and what was published.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    /// HOTPATH/VARIANT of all that runs, before the change.
    #[serde(default)]
    before: Vec<String>,
    /// The same after it.
    #[serde(default)]
    after: Vec<String>,
    /// For each run: average rate per second after the change, its standard deviation, and by how much the average exceeds
    /// that before the change.
    runs: Vec<[f64; 3]>,
}

/// A row, before and after the change. Kind `study_difference`; savings are positive.
#[derive(Serialize)]
struct DifferenceRecord {
    kind: &'static str,
    study: String,
    row: String,
    arch: String,
    cpu: String,
    published_saved_ns: f64,
    published_range_ns: [f64; 2],
    published_runs_count: usize,
    predicted_before_cycles: f64,
    predicted_after_cycles: f64,
    predicted_saved_cycles: f64,
    /// Of the pieces of code before and after those that the cpu's file knows least of; 100 if nothing ran.
    coverage_percent: [f64; 2],
    interval_saved_cycles: [f64; 2],
    predicted_saved_ns: f64,
    interval_saved_ns: [f64; 2],
    code_changed: bool,
    verdict: String,
    assay_version: &'static str,
}

/// The names of all studies of differences, sorted.
pub fn names(workspace: &Workspace) -> Result<Vec<String>> {
    names_in(workspace, "studies/differences")
}

/// Reads one by its name.
pub fn load(workspace: &Workspace, name: &str) -> Result<Study> {
    let path = workspace.root.join("studies/differences").join(format!("{name}.toml"));
    let wrong = |what: String| Problem::new(what).at(workspace.display(&path));
    let mut study: Study = toml::from_str(&read_text(&path)?)
        .map_err(|error| wrong(format!("is not a valid study of differences: {error}")))?;
    name.clone_into(&mut study.name);
    for row in &study.rows {
        let rates = row.runs.iter().flat_map(|[average, _, saved]| [*average, average - saved]);
        if row.runs.is_empty() || rates.into_iter().any(|rate| rate <= 0.0) {
            return Err(wrong(format!("the row {} has no rates", row.name)));
        }
    }
    Ok(study)
}

/// Published rates of one row: means over the runs.
pub struct Rates {
    /// Which state was live.
    pub name: String,
    /// Per second, before the change and after it.
    pub rates: [f64; 2],
    /// Rate after over rate before: the least and the most of the runs.
    pub gains: [f64; 2],
}

impl Study {
    /// The rates that were published, row by row.
    pub fn rates(&self) -> Vec<Rates> {
        let mean = |row: &Row, rate: fn(&[f64; 3]) -> f64| {
            row.runs.iter().map(rate).sum::<f64>() / row.runs.len() as f64
        };
        let rates_of = |row: &Row| {
            let gains = row.runs.iter().map(|[after, _, more]| after / (after - more));
            let gains =
                gains.fold([f64::INFINITY, 0.0], |[least, most], gain| [gain.min(least), gain.max(most)]);
            let rates = [mean(row, |[after, _, more]| after - more), mean(row, |[after, ..]| *after)];
            Rates { name: row.name.clone(), rates, gains }
        };
        self.rows.iter().map(rates_of).collect()
    }

    /// The clock of the published machine: what is assumed, and the range that it may have had.
    pub fn clock_mhz(&self) -> (f64, [f64; 2]) {
        (self.clock_mhz, self.clock_range_mhz)
    }

    /// The published machine, and who published it.
    pub fn machine(&self) -> (&str, &str) {
        (&self.machine, &self.source)
    }
}

/// Predicts the code of all rows and shows it beside what was published.
pub fn run(context: &Context, study: &Study) -> Result<Outcome> {
    let cpu = cpus::cpus(context, std::slice::from_ref(&study.cpu))?.remove(0);
    let mut predictions = BTreeMap::new();
    for name in study.rows.iter().flat_map(|row| row.before.iter().chain(&row.after)) {
        if !predictions.contains_key(name) {
            predictions.insert(name.clone(), predict(context, study, &cpu, name)?);
        }
    }
    let records: Vec<DifferenceRecord> =
        study.rows.iter().map(|row| record(study, row, &cpu, &predictions)).collect();
    context.tell(records.iter(), || show(study, &records));
    Ok(Outcome::Fine)
}

fn predict(context: &Context, study: &Study, cpu: &Cpu, name: &str) -> Result<PredictionRecord> {
    let arch: Arch = study
        .arch
        .parse()
        .map_err(|error: arch::UnknownArch| Problem::new(error.to_string()).at(&study.name))?;
    let missing = || Problem::new(format!("there is no variant '{name}' on {arch}")).at(&study.name);
    let (hotpath, variant) = name.split_once('/').ok_or_else(missing)?;
    let all = discover::hotpaths(&context.workspace, &[])?;
    let found = discover::named(&all, hotpath)?;
    let variants = discover::variants(&context.workspace, &[], found[0], arch)?;
    let variant = variants.iter().find(|one| one.name == variant).ok_or_else(missing)?;
    let case = Case::from_values(study.case.clone());
    let made = Judge::new(context, CompilerKind::Clang).predict(variant, &case, std::slice::from_ref(cpu))?;
    made.map(|mut records| records.remove(0)).map_err(|reason| Problem::new(reason.0).at(name))
}

/// Cycles of pieces of code that run one after the other, and by how many more they take on each drawn core.
fn total(names: &[String], predictions: &BTreeMap<String, PredictionRecord>) -> (f64, Vec<f64>) {
    let parts: Vec<&PredictionRecord> = names.iter().map(|name| &predictions[name]).collect();
    let cycles: f64 = parts.iter().map(|part| part.cycles).sum();
    let count = parts.iter().map(|part| part.draws.len()).min().unwrap_or(0);
    let more = |draw: usize| parts.iter().map(|part| part.cycles * part.draws[draw].exp_m1()).sum();
    (cycles, (0..count).map(more).collect())
}

/// How much the cpu's file describes of the piece that it describes least of.
fn least_known(names: &[String], predictions: &BTreeMap<String, PredictionRecord>) -> f64 {
    names.iter().map(|name| predictions[name].coverage_percent).fold(100.0, f64::min)
}

fn record(
    study: &Study,
    row: &Row,
    cpu: &Cpu,
    predictions: &BTreeMap<String, PredictionRecord>,
) -> DifferenceRecord {
    let ((before, more_before), (after, more_after)) =
        (total(&row.before, predictions), total(&row.after, predictions));
    let code_changed = row.before != row.after;
    let coverage_percent = [&row.before, &row.after].map(|names| least_known(names, predictions));
    let unknown =
        coverage::no_verdict(cpu, [("before", coverage_percent[0]), ("after", coverage_percent[1])]);
    let interval_saved_cycles = if code_changed {
        let moved: Vec<f64> =
            more_before.iter().zip(&more_after).map(|(before, after)| before - after).collect();
        saved_interval(ModelError::of(cpu), before, after, &moved)
    } else {
        [0.0, 0.0]
    };
    let [slow, fast] = study.clock_range_mhz;
    let ends = interval_saved_cycles.map(|cycles| [cycles * 1e3 / slow, cycles * 1e3 / fast]);
    let interval_saved_ns = [ends[0][0].min(ends[0][1]), ends[1][0].max(ends[1][1])];
    let saved: Vec<f64> =
        row.runs.iter().map(|[average, _, faster]| 1e9 / (average - faster) - 1e9 / average).collect();
    let least = saved.iter().copied().fold(f64::INFINITY, f64::min);
    let most = saved.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    DifferenceRecord {
        kind: "study_difference",
        study: study.name.clone(),
        row: row.name.clone(),
        arch: study.arch.clone(),
        cpu: study.cpu.clone(),
        published_saved_ns: saved.iter().sum::<f64>() / saved.len() as f64,
        published_range_ns: [least, most],
        published_runs_count: saved.len(),
        predicted_before_cycles: before,
        predicted_after_cycles: after,
        predicted_saved_cycles: before - after,
        coverage_percent,
        interval_saved_cycles,
        predicted_saved_ns: (before - after) * 1e3 / study.clock_mhz,
        interval_saved_ns,
        code_changed,
        verdict: match unknown.filter(|_| code_changed) {
            Some(why) => format!("none: {why}"),
            None => verdict(code_changed, interval_saved_ns, [least, most]),
        },
        assay_version: env!("CARGO_PKG_VERSION"),
    }
}

fn verdict(code_changed: bool, predicted: [f64; 2], published: [f64; 2]) -> String {
    let overlap = predicted[0] <= published[1] && published[0] <= predicted[1];
    match (code_changed, predicted[0] > 0.0 || predicted[1] < 0.0, overlap) {
        (false, _, _) => "no code changed: whatever was published is not the patch",
        (true, false, true) => "the interval holds 0: neither shown nor denied",
        (true, false, false) => "the interval holds 0, and what was published lies outside it",
        (true, true, true) => "agrees",
        (true, true, false) => "what was published lies outside the interval",
    }
    .to_owned()
}

fn show(study: &Study, records: &[DifferenceRecord]) -> Report {
    let mut report = Report::new(&study.title);
    let section = report.section("");
    section.paragraph(&format!("Published: {}.", study.source));
    section.paragraph(&format!(
        "Machine: {}. Its clock: {} MHz, or {} to {} ({}). Here: {} by QEMU's trace and cpus/{}.",
        study.machine,
        study.clock_mhz,
        study.clock_range_mhz[0],
        study.clock_range_mhz[1],
        study.clock_source,
        study.arch,
        study.cpu
    ));
    let method = "cycles predicted from traces of the save and restore code alone, before and after, not measured; 90 %: interval \
                  of what is saved, in ns over the range of clocks; published: mean over the runs of the difference of times for one count, lowest and \
                  highest run";
    let mut table = Table::new("Saved by the change", method);
    let name = table.text_column("Touched");
    let before = table.predicted_column("before", "cycles", 1);
    let after = table.predicted_column("after", "cycles", 1);
    let saved = table.predicted_column("saved", "ns", 1);
    let interval = table.text_column("90 %");
    let published = table.published_column("saved", "ns", 1);
    let runs = table.text_column("runs");
    let verdict = table.text_column("verdict");
    for record in records {
        let row = table.row();
        table.set(row, name, record.row.as_str());
        table.set(row, before, Predicted(record.predicted_before_cycles));
        table.set(row, after, Predicted(record.predicted_after_cycles));
        table.set(row, saved, Predicted(record.predicted_saved_ns));
        let [of_before, of_after] = record.coverage_percent;
        coverage::mark(&mut table, row, before, of_before);
        coverage::mark(&mut table, row, after, of_after);
        coverage::mark(&mut table, row, saved, of_before.min(of_after));
        table.set(row, interval, interval_text(record.interval_saved_ns));
        table.set(row, published, Published(record.published_saved_ns));
        table.set(row, runs, interval_text(record.published_range_ns));
        table.set(row, verdict, record.verdict.as_str());
    }
    for note in &study.notes {
        table.note(note);
    }
    section.table(table);
    section.paragraph(&floor(records));
    report
}

/// The largest difference published for rows whose code did not change: smaller ones cannot be attributed to the change.
fn floor(records: &[DifferenceRecord]) -> String {
    let unchanged = records.iter().filter(|record| !record.code_changed);
    let Some(most) =
        unchanged.max_by(|a, b| a.published_saved_ns.abs().total_cmp(&b.published_saved_ns.abs()))
    else {
        return "Every row's code was changed, so nothing shows how large a difference without cause is."
            .to_owned();
    };
    let floor = most.published_saved_ns.abs();
    let below: Vec<&str> = records
        .iter()
        .filter(|record| record.code_changed && record.published_saved_ns.abs() <= floor)
        .map(|record| record.row.as_str())
        .collect();
    format!(
        "Where no code was changed ({}), {:.1} ns were published as saved: what is no larger ({}) cannot be laid to the patch.",
        most.row,
        floor,
        if below.is_empty() { "none of the rows".to_owned() } else { below.join(", ") }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_needs_an_interval_that_leaves_out_zero() {
        assert!(verdict(false, [0.0, 0.0], [8.0, 9.0]).starts_with("no code changed"));
        assert!(verdict(true, [-1.0, 20.0], [3.0, 5.0]).starts_with("the interval holds 0:"));
        assert!(verdict(true, [-1.0, 2.0], [3.0, 5.0]).contains("outside"));
        assert_eq!(verdict(true, [1.0, 20.0], [3.0, 5.0]), "agrees");
        assert!(verdict(true, [6.0, 20.0], [3.0, 5.0]).contains("outside"));
    }
}
