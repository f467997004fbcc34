// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What stands beside a study's judged rows: the figures with another compiler's code, differences of two rows in cycles,
//! published figures of what cannot be run again, and predictions on cpus of which nothing was published.

use crate::context::Context;
use crate::coverage;
use crate::cpus;
use crate::judge::Judge;
use crate::study_file::{Elsewhere, Study};
use crate::verbs::study_rerun::{record, rerun, Rerun};
use crate::verbs::study_scatter::{self, Scatter};
use arch::{Arch, UnknownArch};
use lab::case::Case;
use lab::discover;
use lab::{Problem, Result};
use report::record::{PredictionRecord, Record};
use report::{Derived, Predicted, Published, Report, Table};
use serde::Serialize;
use std::collections::BTreeMap;

/// How far the prediction of a difference of identical code may be off.
const STEP_GOAL_CYCLES: f64 = 3.0;

/// All of it, computed.
pub struct Beside {
    other: Vec<Rerun>,
    steps: Vec<StepRecord>,
    scatters: BTreeMap<String, Scatter>,
    elsewhere: Vec<PredictionRecord>,
}

/// A difference of two rows. Kind `study_step`.
#[derive(Serialize)]
struct StepRecord {
    kind: &'static str,
    study: String,
    step: String,
    cpu: String,
    before: String,
    after: String,
    published_cycles: f64,
    /// The 95 % interval, from the scatter of published figures of the same code; `None` if no two are of the same code.
    #[serde(skip_serializing_if = "Option::is_none")]
    published_interval_cycles: Option<[f64; 2]>,
    predicted_cycles: f64,
    /// Of the code that the cpu's file knows less of.
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage_percent: Option<f64>,
    error_cycles: f64,
    is_sign_right: bool,
    same_code: bool,
    assay_version: &'static str,
}

/// A published figure that is not judged. Kind `study_not_judged`.
#[derive(Serialize)]
struct NotJudgedRecord<'a> {
    kind: &'static str,
    study: &'a str,
    row: &'a str,
    published_ns: f64,
    reason: &'a str,
    assay_version: &'static str,
}

impl StepRecord {
    fn new(
        study: &Study,
        reruns: &[Rerun],
        scatters: &BTreeMap<String, Scatter>,
        index: usize,
    ) -> Result<StepRecord> {
        let step = &study.steps[index];
        let (before, after) =
            (&reruns[study.row_index(&step.before)?], &reruns[study.row_index(&step.after)?]);
        // Cycles per nanosecond of the published machine; the rows of a step have to be of one machine.
        let clock = |rerun: &Rerun| rerun.row.clock_mhz.unwrap_or(study.clock_mhz) / 1000.0;
        if before.row.cpu != after.row.cpu || clock(before) != clock(after) {
            return Err(Problem::new(format!("the rows of the step '{}' are of two machines", step.name))
                .at(format!("studies/{}.toml", study.name)));
        }
        let published = (after.row.published - before.row.published) * clock(after);
        let predicted = (after.own - before.own) * clock(after);
        let cpu = after.row.cpu.clone().unwrap_or_else(|| study.cpu.clone());
        let around = |scatter: &Scatter| [-1.0, 1.0].map(|side| published + side * scatter.half_width_cycles);
        Ok(StepRecord {
            kind: "study_step",
            study: study.name.clone(),
            step: step.name.clone(),
            published_interval_cycles: scatters.get(&cpu).map(around),
            cpu,
            before: step.before.clone(),
            after: step.after.clone(),
            published_cycles: published,
            predicted_cycles: predicted,
            coverage_percent: before
                .coverage_percent
                .zip(after.coverage_percent)
                .map(|(before, after)| before.min(after)),
            error_cycles: predicted - published,
            is_sign_right: is_sign_right(published, predicted),
            same_code: step.same_code,
            assay_version: env!("CARGO_PKG_VERSION"),
        })
    }

    /// Whether the published figures tell which row is slower; `None` if their scatter is not known.
    fn is_sign_decided(&self) -> Option<bool> {
        self.published_interval_cycles.map(|[low, high]| low > 0.0 || high < 0.0)
    }

    fn sign(&self) -> &'static str {
        match (self.is_sign_decided(), self.is_sign_right) {
            (Some(false), _) => "undecided",
            (_, true) => "right",
            (_, false) => "WRONG",
        }
    }
}

/// Figures published in whole nanoseconds that differ by at most a cycle have no sign; a prediction of at most a cycle
/// agrees with them.
fn is_sign_right(published: f64, predicted: f64) -> bool {
    published.abs() <= 1.0 && predicted.abs() <= 1.0 || published * predicted > 0.0
}

impl Beside {
    /// Reruns and predicts what is shown.
    pub fn of(context: &Context, study: &Study, reruns: &[Rerun]) -> Result<Beside> {
        let other =
            study.compiler_beside()?.map_or(Ok(Vec::new()), |compiler| rerun(context, study, compiler))?;
        let scatters = study_scatter::by_cpu(study, reruns);
        let steps = (0..study.steps.len()).map(|index| StepRecord::new(study, reruns, &scatters, index));
        let steps = steps.collect::<Result<_>>()?;
        let mut elsewhere = Vec::new();
        for code in &study.elsewhere {
            elsewhere.extend(predict(context, study, code)?);
        }
        Ok(Beside { other, steps, scatters, elsewhere })
    }

    /// The records.
    pub fn lines<'a>(&'a self, study: &'a Study) -> impl Iterator<Item = String> + 'a {
        let other = self.other.iter().map(|rerun| record(study, rerun).to_line());
        let not_judged = study.not_judged.iter().map(|row| {
            let record = NotJudgedRecord {
                kind: "study_not_judged",
                study: &study.name,
                row: &row.name,
                published_ns: row.published,
                reason: &row.reason,
                assay_version: env!("CARGO_PKG_VERSION"),
            };
            record.to_line()
        });
        let steps = self.steps.iter().map(Record::to_line);
        other.chain(steps).chain(not_judged).chain(self.elsewhere.iter().map(Record::to_line))
    }

    /// The tables.
    pub fn show(&self, report: &mut Report, study: &Study, reruns: &[Rerun]) {
        if !self.steps.is_empty() {
            let section = report.section("");
            section.table(steps_table(&self.steps)).paragraph(&steps_summary(&self.steps));
            for (cpu, scatter) in &self.scatters {
                section.paragraph(&scatter_text(cpu, scatter));
            }
        }
        if !self.other.is_empty() {
            report.section("").table(compilers_table(study, reruns, &self.other));
        }
        if !study.not_judged.is_empty() {
            report.section("").table(not_judged_table(study));
        }
        if !self.elsewhere.is_empty() {
            report.section("").table(elsewhere_table(&self.elsewhere));
        }
    }
}

fn predict(context: &Context, study: &Study, code: &Elsewhere) -> Result<Vec<PredictionRecord>> {
    let arch: Arch =
        code.arch.parse().map_err(|error: UnknownArch| Problem::new(error.to_string()).at(&study.name))?;
    let all = discover::hotpaths(&context.workspace, &[])?;
    let found = discover::named(&all, &code.hotpath)?;
    let variants = discover::variants(&context.workspace, &[], found[0], arch)?;
    let variant = variants.iter().find(|variant| variant.name == code.variant).ok_or_else(|| {
        Problem::new(format!("{} has no variant '{}' on {arch}", code.hotpath, code.variant)).at(&study.name)
    })?;
    let cpus = cpus::cpus(context, &code.cpus)?;
    // clang has every architecture; gcc lacks cross compilers for some.
    let judge = Judge::new(context, lab::toolchain::CompilerKind::Clang);
    let made = judge.predict(variant, &Case::from_values(code.case.clone()), &cpus)?;
    made.map_err(|reason| Problem::new(reason.0).at(&study.name))
}

fn steps_table(steps: &[StepRecord]) -> Table {
    let mut table = Table::new(
        "Differences, in which the harness cancels",
        "cycles of the row after less those of the row before: published nanoseconds times the clock, and predicted; \
         95 %: what was published, with the scatter of published figures of the same code, where there are such; undecided: \
         that holds 0, so that no prediction has the wrong sign; identical: the code of both rows is the published one, \
         instruction by instruction",
    );
    let cpu = table.text_column("cpu");
    let name = table.text_column("difference");
    let published = table.published_column("published", "cycles", 1);
    let interval = table.text_column("95 %");
    let predicted = table.predicted_column("predicted", "cycles", 1);
    let error = table.derived_column("error", "cycles", 1);
    let sign = table.text_column("sign");
    let same = table.text_column("code");
    for step in steps {
        let row = table.row();
        table.set(row, cpu, step.cpu.as_str()).set(row, name, step.step.as_str());
        table.set(row, published, Published(step.published_cycles));
        if let Some([low, high]) = step.published_interval_cycles {
            table.set(row, interval, format!("{low:.1}..{high:.1}"));
        }
        table.set(row, predicted, Predicted(step.predicted_cycles));
        coverage::mark_if_known(&mut table, row, predicted, step.coverage_percent);
        table.set(row, error, Derived::from(step.error_cycles));
        table.set(row, sign, step.sign());
        table.set(row, same, if step.same_code { "identical" } else { "" });
    }
    table
}

fn steps_summary(steps: &[StepRecord]) -> String {
    let signs = steps.iter().filter(|step| step.is_sign_right).count();
    let same: Vec<&StepRecord> = steps.iter().filter(|step| step.same_code).collect();
    let near = same.iter().filter(|step| step.error_cycles.abs() <= STEP_GOAL_CYCLES).count();
    let undecided = steps.iter().filter(|step| step.is_sign_decided() == Some(false)).count();
    format!(
        "Sign right in {signs} of {}, of which the published figures leave {undecided} undecided; of {} differences of identical code, {near} within {STEP_GOAL_CYCLES:.0} cycles.",
        steps.len(),
        same.len()
    )
}

/// How precisely the published figures of a cpu tell a difference.
fn scatter_text(cpu: &str, scatter: &Scatter) -> String {
    format!(
        "On {cpu} {} published figures are of {} codes: what those of one code differ by leaves a difference of two figures \
         uncertain by {:.1} cycles either way, with 95 %.",
        scatter.rows_count, scatter.groups_count, scatter.half_width_cycles
    )
}

fn compilers_table(study: &Study, reruns: &[Rerun], other: &[Rerun]) -> Table {
    let name_of = |reruns: &[Rerun]| {
        reruns.iter().find_map(|rerun| rerun.compiler.clone()).unwrap_or_else(|| "none".to_owned())
    };
    let (judged, beside) = (name_of(reruns), name_of(other));
    let mut table = Table::new(
        &format!("The same source from two compilers: {judged}, which is judged, and {beside}"),
        "predicted cycles a call, the loop around the calls from the same compiler",
    );
    let cpu = table.text_column("cpu");
    let name = table.text_column("row");
    let first = table.predicted_column("judged", "cycles", 1);
    let second = table.predicted_column("beside", "cycles", 1);
    let instructions = table.count_column("judged", "instr");
    let instructions_beside = table.count_column("beside", "instr");
    for (one, two) in reruns.iter().zip(other) {
        let row = table.row();
        table.set(row, cpu, one.row.cpu.as_ref().unwrap_or(&study.cpu).as_str());
        table.set(row, name, one.row.title());
        for (column, one) in [(first, one), (second, two)] {
            if let Some(cycles) = one.cycles {
                table.set(row, column, Predicted(cycles));
                coverage::mark_if_known(&mut table, row, column, one.coverage_percent);
            }
        }
        for (column, count) in [(instructions, one.instructions), (instructions_beside, two.instructions)] {
            if let Some(count) = count {
                table.set(row, column, report::Count(count));
            }
        }
    }
    table
}

fn not_judged_table(study: &Study) -> Table {
    let mut table = Table::new("Published and not judged", "as published; nothing here is predicted");
    let name = table.text_column("row");
    let published = table.published_column("", "ns", 0);
    let reason = table.text_column("why");
    for one in &study.not_judged {
        let row = table.row();
        table.set(row, name, one.name.as_str()).set(row, published, Published(one.published));
        table.set(row, reason, one.reason.as_str());
    }
    table
}

fn elsewhere_table(records: &[PredictionRecord]) -> Table {
    let mut table = Table::new(
        "Cpus of which nobody has published a figure",
        "predicted from a trace and a description of the cpu; not measured by anybody; 90 %: the interval that holds the \
         cycles of a real core in nine of ten cases; the calling loop included",
    );
    let cpu = table.text_column("cpu");
    let arch = table.text_column("arch");
    let variant = table.text_column("variant");
    let case = table.text_column("case");
    let cycles = table.predicted_column("per call", "cycles", 1);
    let interval = table.text_column("90 %");
    let time = table.predicted_column("", "ns", 1);
    for record in records {
        let row = table.row();
        let [low, high] = record.interval_cycles;
        table.set(row, cpu, record.cpu.as_str()).set(row, arch, record.common.arch.as_str());
        table.set(row, variant, format!("{}/{}", record.common.hotpath, record.common.variant));
        table.set(row, case, Case::from_values(record.common.case.clone()).to_string());
        table.set(row, cycles, Predicted(record.cycles)).set(row, interval, format!("{low:.1}..{high:.1}"));
        coverage::mark(&mut table, row, cycles, record.coverage_percent);
        table.set(row, time, Predicted(record.time_ns));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::is_sign_right;

    #[test]
    fn a_difference_has_a_sign_if_it_is_more_than_a_cycle() {
        assert!(is_sign_right(0.9, -0.5) && is_sign_right(-8.0, -1.0) && is_sign_right(8.0, 30.0));
        assert!(!is_sign_right(8.0, -1.0) && !is_sign_right(-3.0, 0.0) && !is_sign_right(0.5, 2.0 * -1.0));
    }
}
