// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `validate`: every published figure that we hold, one row each: published, predicted, how far off; beside it the errors
//! of llvm-mca and of the trivial bound on the same sequence, and whether a number was fitted to the row.

mod unseen;

use crate::context::{Context, Outcome};
use crate::corpus::{Tools, FIGURES};
use crate::progress::in_order;
use crate::study_file::{self, Study};
use crate::verbs::study_rerun::{record, rerun, Rerun};
use lab::{Problem, Result};
use predict::figures::{figures, Figure};
use predict::validate::{check, Outcome as Judged, Prepared, ValidateError};
use predict::Cpu;
use report::record::{Common, Record, StudyRecord};
use report::{Derived, Predicted, Published, Report, Table};
use serde::Serialize;

/// Options of `validate`.
#[derive(clap::Args)]
pub struct Args {
    /// Only rows whose study, name, family or cpu has PATTERN in it, or with --routines the name or kind of the routine; letter case apart (repeatable: any of them)
    #[arg(long, value_name = "PATTERN")]
    only: Vec<String>,
    /// Also a table of provenance: who measured, on which machine, and what a figure may show
    #[arg(long)]
    provenance: bool,
    #[command(flatten)]
    native: crate::verbs::validate_native::Args,
}

/// Which rows are wanted.
pub struct Choice<'a> {
    patterns: &'a [String],
}

impl Choice<'_> {
    /// Whether a row that these words tell of is wanted.
    pub fn takes(&self, words: &[&str]) -> bool {
        let has = |pattern: &String| {
            let pattern = pattern.to_lowercase();
            words.iter().any(|word| word.to_lowercase().contains(&pattern))
        };
        self.patterns.is_empty() || self.patterns.iter().any(has)
    }
}

/// A row, of a figure's file or of a study.
#[cfg_attr(test, derive(Clone))]
struct Row {
    record: StudyRecord,
    cpu: String,
    family: String,
    provenance: String,
    /// The file that has the row, to be named in errors.
    file: String,
    /// Rows of the same study that hold the same datum as a whole program; means count the datum there and not here.
    derived_from: Vec<String>,
    /// Rows with the same text here are competitors, whose published order is judged, too.
    contest: Option<String>,
    trivial_error_percent: Option<f64>,
    mca: std::result::Result<f64, String>,
}

/// A row of the verb's output. Kind `validate`.
#[derive(Serialize)]
struct ValidateRecord<'a> {
    #[serde(flatten)]
    study: &'a StudyRecord,
    cpu: &'a str,
    family: &'a str,
    provenance: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    derived_from: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    error_cycles: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trivial_error_percent: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    llvm_mca_error_percent: Option<f64>,
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let choice = Choice { patterns: &args.only };
    if args.native.native {
        let is_only = !args.only.is_empty() && !args.native.routines;
        let given = [("--only", is_only), ("--provenance", args.provenance)];
        if let Some((option, _)) = given.into_iter().find(|(_, given)| *given) {
            return Err(Problem::new(format!(
                "{option} is for published figures, of which --native judges none"
            ))
            .remedy("leave one of the two out; with --routines, --only chooses among these"));
        }
        return crate::verbs::validate_native::run(context, &args.native, &choice);
    }
    let mut rows = judge_figures(context, &choice)?;
    for name in study_file::names(&context.workspace)? {
        let mut study = study_file::load(&context.workspace, &name)?;
        let cpu = study.cpu.clone();
        study.rows.retain(|row| {
            let words = [name.as_str(), &row.title(), &row.family, row.cpu.as_ref().unwrap_or(&cpu)];
            !row.quantity.is_counted() && choice.takes(&words)
        });
        rows.extend(rerun(context, &study, study.compiler()?)?.iter().map(|rerun| of_study(&study, rerun)));
    }
    if rows.is_empty() {
        return Err(Problem::new(format!("no row has '{}' in it", args.only.join("' or '")))
            .remedy("./assay validate without --only shows all rows; --json also their families"));
    }
    if args.only.is_empty() {
        check_derived(&rows)?;
    }
    let summary = Summary::of(&rows);
    let unseen = if args.only.is_empty() { Some(unseen::OutOfSample::new(context)?) } else { None };
    if context.json {
        unseen.iter().for_each(unseen::OutOfSample::print);
        for row in &rows {
            println!("{}", row.to_record().to_line());
        }
        println!("{}", summary.to_line());
        return Ok(Outcome::Fine);
    }
    let mut report = Report::new("Published figures against the model");
    if let Some(unseen) = &unseen {
        unseen.show(report.section(""));
    }
    let section = report.section("").table(table(&rows));
    summary.sentences().iter().for_each(|sentence| {
        section.paragraph(sentence);
    });
    if args.provenance {
        report.section("").table(provenance_table(&rows));
    }
    context.show(&report);
    Ok(Outcome::Fine)
}

/// Predicts the figures of `crates/predict/validation`, on all processors.
fn judge_figures(context: &Context, choice: &Choice<'_>) -> Result<Vec<Row>> {
    let (dir, cpus) = (context.workspace.root.join(FIGURES), context.workspace.root.join("cpus"));
    let mut wanted = figures(&dir).map_err(|error| Problem::new(error.to_string()))?;
    wanted.retain(|figure| choice.takes(&[&figure.study, &figure.row, &figure.family, &figure.cpu]));
    let tools = Tools::new(context);
    let judge = |figure: &Figure| -> std::result::Result<Judged, ValidateError> {
        let cpu = Cpu::load(&cpus, &figure.cpu)?;
        check(&Prepared::new(&dir, figure, &tools)?, &cpu)
    };
    let mut results = Vec::new();
    in_order("judging figures", &wanted, judge, |_, result| results.push(result));
    let rows = results.into_iter().map(|result| result.map(of_figure));
    rows.collect::<std::result::Result<_, _>>().map_err(|error| Problem::new(error.to_string()))
}

fn of_figure(judged: Judged) -> Row {
    let Judged { figure, answer, error_percent, trivial, mca } = judged;
    let record = StudyRecord {
        common: Common::new("validate", "", "", &figure.arch),
        study: figure.study.clone(),
        row: figure.row.clone(),
        quantity: figure.quantity().to_owned(),
        unit: figure.unit.clone(),
        published: figure.published,
        published_scatter_percent: figure
            .range
            .map(|(low, high)| 100.0 * (high - low) / (2.0 * figure.published)),
        predicted: Some(answer.predicted),
        counted: None,
        interval: None,
        coverage_percent: None,
        over_alignments: Some(answer.range.into()),
        error_percent,
        used_for_fit: figure.used_for_fit,
    };
    Row {
        record,
        cpu: figure.cpu,
        family: figure.family,
        provenance: figure.provenance,
        file: figure.file.display().to_string(),
        derived_from: figure.derived_from,
        contest: None,
        trivial_error_percent: trivial.map(|(_, error)| error),
        mca: mca.map(|(_, error)| error),
    }
}

fn of_study(study: &Study, rerun: &Rerun) -> Row {
    let mut record = record(study, rerun);
    record.common.kind = "validate".to_owned();
    let cpu = rerun.row.cpu.clone().unwrap_or_else(|| study.cpu.clone());
    let subject = rerun.row.hotpath.as_deref().unwrap_or_default();
    let contest = format!("{} {cpu} {} {subject} {}", study.name, record.quantity, rerun.row.case());
    Row {
        record,
        cpu,
        family: rerun.row.family.clone(),
        provenance: format!("{}, on {}", study.source, study.machine),
        file: format!("studies/{}.toml", study.name),
        derived_from: Vec::new(),
        contest: Some(contest),
        trivial_error_percent: None,
        mca: Err("a whole program, not a loop".to_owned()),
    }
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(
        "Every published figure",
        "predicted by the model: the median over the places of the code, of an even number the slower of the middle two; errors in \
         percent of the published figure; range: over these places; trivial bound: instructions over dispatch width or operations over pipes",
    );
    let study = table.text_column("study");
    let name = table.text_column("row");
    let cpu = table.text_column("cpu");
    let unit = table.text_column("unit");
    let published = table.published_column("", "", 2);
    let predicted = table.predicted_column("", "", 2);
    let error = table.derived_column("error", "%", 1);
    let range = table.text_column("range");
    let trivial = table.derived_column("trivial", "%", 0);
    let mca = table.derived_column("llvm-mca", "%", 0);
    for one in rows {
        let row = table.row();
        let record = &one.record;
        table.set(row, study, record.study.as_str()).set(row, name, record.row.as_str());
        table.set(row, cpu, one.cpu.as_str()).set(row, unit, record.unit.as_str());
        table.set(row, published, Published(record.published));
        table.set(row, predicted, Predicted(record.predicted.unwrap_or(f64::NAN)));
        match record.error_percent {
            Some(percent) => table.set(row, error, Derived::from(percent)),
            None => table.mark(row, error, "a difference, judged in cycles"),
        };
        if let Some([low, high]) = record.over_alignments {
            table.set(row, range, format!("{low:.2}..{high:.2}"));
        }
        if let Some(percent) = one.trivial_error_percent {
            table.set(row, trivial, Derived::from(percent));
        }
        match &one.mca {
            Ok(percent) => table.set(row, mca, Derived::from(*percent)),
            Err(reason) => table.mark(row, mca, reason),
        };
        if record.used_for_fit {
            table.mark(row, error, "a number of the cpu was fitted to this row");
        }
        if !one.derived_from.is_empty() {
            table.mark(row, name, &format!("the same datum as {}", one.derived_from.join(" and ")));
        }
        if one.is_imprecise() {
            table.mark(row, published, "published as about this much");
        }
    }
    table
}

/// Who measured what, and what it may show; told once if rows of a family share it.
fn provenance_table(rows: &[Row]) -> Table {
    let mut table = Table::new("Provenance", "as the figures' files and the studies tell it");
    let family = table.text_column("family");
    let name = table.text_column("rows");
    let provenance = table.text_column("provenance");
    let mut told: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for one in rows {
        match told.iter_mut().find(|(family, text, _)| *family == one.family && *text == one.provenance) {
            Some((_, _, names)) => names.push(&one.record.row),
            None => told.push((&one.family, &one.provenance, vec![&one.record.row])),
        }
    }
    for (of, text, names) in told {
        let row = table.row();
        table.set(row, family, of).set(row, name, names.join(", ")).set(row, provenance, text);
    }
    table
}

/// Refuses a row derived from a row that does not exist: its datum would be missing from every mean.
fn check_derived(rows: &[Row]) -> Result<()> {
    for row in rows {
        let known = |name: &String| {
            rows.iter().any(|other| {
                other.record.study == row.record.study
                    && other.record.row == *name
                    && other.derived_from.is_empty()
            })
        };
        if let Some(name) = row.derived_from.iter().find(|name| !known(name)) {
            return Err(Problem::new(format!(
                "'{}' is derived from '{name}', which is no row",
                row.record.row
            ))
            .at(&row.file)
            .remedy(format!("name a row of the study {}", row.record.study)));
        }
    }
    Ok(())
}

/// The goals for the model's mean and worst error.
const MEAN_GOAL_PERCENT: f64 = 5.0;
const WORST_GOAL_PERCENT: f64 = 15.0;

impl Row {
    fn to_record(&self) -> ValidateRecord<'_> {
        ValidateRecord {
            study: &self.record,
            cpu: &self.cpu,
            family: &self.family,
            provenance: &self.provenance,
            derived_from: &self.derived_from,
            error_cycles: self.difference().map(|(published, own)| own - published),
            trivial_error_percent: self.trivial_error_percent,
            llvm_mca_error_percent: self.mca.as_ref().ok().copied(),
        }
    }

    /// What was published and what is predicted, if the row is a difference.
    fn difference(&self) -> Option<(f64, f64)> {
        let predicted = self.record.predicted?;
        self.record.error_percent.is_none().then_some((self.record.published, predicted))
    }

    /// Whether the published scatter is as large as the worst error allowed.
    fn is_imprecise(&self) -> bool {
        self.record.published_scatter_percent.is_some_and(|scatter| scatter >= WORST_GOAL_PERCENT)
    }

    /// The absolute error; 0 if it lies within the scatter of an imprecise publication.
    fn error_percent(&self) -> f64 {
        let error = self.record.error_percent.unwrap_or(f64::NAN).abs();
        let scatter = self.record.published_scatter_percent.unwrap_or(0.0);
        if self.is_imprecise() && error <= scatter {
            0.0
        } else {
            error
        }
    }

    fn title(&self) -> String {
        format!("{} {}", self.record.study, self.record.row)
    }
}

/// Errors of some rows.
#[derive(Debug, PartialEq, Serialize)]
struct Errors {
    rows_count: usize,
    mean_absolute_error_percent: f64,
    worst_error_percent: f64,
    worst_row: String,
    /// Rows whose error is at most the worst allowed.
    within_goal_count: usize,
}

impl Errors {
    fn of<'a>(rows: impl Iterator<Item = &'a Row>) -> Option<Errors> {
        let rows: Vec<&Row> = rows.filter(|row| row.difference().is_none()).collect();
        let worst = rows.iter().max_by(|a, b| a.error_percent().total_cmp(&b.error_percent()))?;
        let within = rows.iter().filter(|row| row.error_percent() <= WORST_GOAL_PERCENT);
        Some(Errors {
            rows_count: rows.len(),
            mean_absolute_error_percent: mean(rows.iter().map(|row| row.error_percent())),
            worst_error_percent: worst.error_percent(),
            worst_row: worst.title(),
            within_goal_count: within.count(),
        })
    }

    fn sentence(&self, of: &str) -> String {
        format!(
            "Mean absolute error of {} {of}: {:.1} %; the worst {:.1} % ({}); {} of {} within {WORST_GOAL_PERCENT} %.",
            self.rows_count,
            self.mean_absolute_error_percent,
            self.worst_error_percent,
            self.worst_row,
            self.within_goal_count,
            self.rows_count
        )
    }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    values.sum::<f64>() / count
}

/// The errors over all rows. Each datum counts once, except among the loops, which include derived rows.
#[derive(Debug, Serialize)]
struct Summary {
    kind: &'static str,
    rows_count: usize,
    derived_count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    all: Option<Errors>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_fitted: Option<Errors>,
    /// Of the loops and routines that llvm-mca has an answer for: the model's, llvm-mca's and the trivial bound's error.
    loops_count: usize,
    loops_mca_count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    loops_mca_mean_percent: Option<[f64; 3]>,
    /// Of all loops and routines: the model's and the trivial bound's error.
    #[serde(skip_serializing_if = "Option::is_none")]
    loops_mean_percent: Option<[f64; 2]>,
    orders_count: usize,
    orders_wrong: Vec<String>,
    /// Differences of two codes: how far off in cycles, and how many have the right sign.
    differences_count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    differences_mean_error_cycles: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    differences_worst_error_cycles: Option<f64>,
    differences_right_sign_count: usize,
}

impl Summary {
    fn of(rows: &[Row]) -> Summary {
        let data: Vec<&Row> = rows.iter().filter(|row| row.derived_from.is_empty()).collect();
        let loops: Vec<&Row> = rows.iter().filter(|row| row.trivial_error_percent.is_some()).collect();
        let with_mca: Vec<&Row> = loops.iter().copied().filter(|row| row.mca.is_ok()).collect();
        let mean_of =
            |rows: &[&Row], error: &dyn Fn(&Row) -> f64| mean(rows.iter().map(|row| error(row).abs()));
        let trivial = |row: &Row| row.trivial_error_percent.unwrap_or(0.0);
        let mca = |row: &Row| row.mca.clone().unwrap_or(0.0);
        let (orders_count, orders_wrong) = orders(&data);
        let differences: Vec<(f64, f64)> = data.iter().filter_map(|row| row.difference()).collect();
        let cycles = || differences.iter().map(|(published, own)| (own - published).abs());
        Summary {
            kind: "validate_summary",
            rows_count: rows.len(),
            derived_count: rows.len() - data.len(),
            all: Errors::of(data.iter().copied()),
            not_fitted: Errors::of(data.iter().copied().filter(|row| !row.record.used_for_fit)),
            loops_count: loops.len(),
            loops_mca_count: with_mca.len(),
            loops_mca_mean_percent: (!with_mca.is_empty()).then(|| {
                [
                    mean_of(&with_mca, &Row::error_percent),
                    mean_of(&with_mca, &mca),
                    mean_of(&with_mca, &trivial),
                ]
            }),
            loops_mean_percent: (!loops.is_empty())
                .then(|| [mean_of(&loops, &Row::error_percent), mean_of(&loops, &trivial)]),
            orders_count,
            orders_wrong,
            differences_count: differences.len(),
            differences_mean_error_cycles: (!differences.is_empty()).then(|| mean(cycles())),
            differences_worst_error_cycles: cycles().reduce(f64::max),
            differences_right_sign_count: differences.iter().filter(|(a, b)| a * b > 0.0).count(),
        }
    }

    fn sentences(&self) -> Vec<String> {
        let mut told = vec![format!(
            "{} rows; {} of them hold the same datum as others and are left out of the means over data.",
            self.rows_count, self.derived_count
        )];
        told.extend(self.all.as_ref().map(|errors| errors.sentence("data")));
        told.extend(
            self.not_fitted.as_ref().map(|errors| errors.sentence("data that nothing was fitted to")),
        );
        told.push(format!(
            "Published orders reproduced: {} of {}{}.",
            self.orders_count - self.orders_wrong.len(),
            self.orders_count,
            if self.orders_wrong.is_empty() {
                String::new()
            } else {
                format!(" (not: {})", self.orders_wrong.join(", "))
            }
        ));
        if let Some((mean, worst)) =
            self.differences_mean_error_cycles.zip(self.differences_worst_error_cycles)
        {
            told.push(format!(
                "Differences: {}, with the right sign in {}; mean absolute error {mean:.1} cycles, the worst {worst:.1}.",
                self.differences_count, self.differences_right_sign_count
            ));
        }
        told.extend(self.loops_sentence());
        if let Some(all) = &self.all {
            let met = all.mean_absolute_error_percent <= MEAN_GOAL_PERCENT
                && all.within_goal_count == all.rows_count;
            told.push(format!(
                "What is aimed at, a mean of {MEAN_GOAL_PERCENT} % and none above {WORST_GOAL_PERCENT} %, is {}.",
                if met { "reached" } else { "not reached" }
            ));
        }
        told
    }
}

impl Summary {
    /// The model beside llvm-mca and the trivial bound.
    fn loops_sentence(&self) -> Option<String> {
        let [own, trivial] = self.loops_mean_percent?;
        let of_all = format!("the trivial bound {trivial:.1} %, the model {own:.1} %");
        let (with, all) = (self.loops_mca_count, self.loops_count);
        Some(match self.loops_mca_mean_percent {
            Some([own, mca, trivial]) => format!(
                "llvm-mca has an answer for {with} of the {all} loops and routines. There the mean absolute errors are: llvm-mca \
                 {mca:.1} %, the trivial bound {trivial:.1} %, the model {own:.1} %; over all of them: {of_all}."
            ),
            None => format!(
                "llvm-mca has an answer for none of the {all} loops and routines. Their mean absolute errors are: {of_all}."
            ),
        })
    }
}

/// How many orders were published, and which of them the model reverses. A ratio is the order of its two sides.
fn orders(rows: &[&Row]) -> (usize, Vec<String>) {
    let (mut count, mut wrong) = (0, Vec::new());
    let mut judge = |published: std::cmp::Ordering, own: std::cmp::Ordering, title: String| {
        count += 1;
        if published != own {
            wrong.push(title);
        }
    };
    for (index, a) in rows.iter().enumerate() {
        let own = a.record.predicted.unwrap_or(f64::NAN);
        if a.contest.is_some() && a.record.unit.is_empty() {
            judge(a.record.published.total_cmp(&1.0), own.total_cmp(&1.0), a.record.row.clone());
            continue;
        }
        for b in &rows[index + 1..] {
            if a.contest.is_some() && a.contest == b.contest {
                let other = b.record.predicted.unwrap_or(f64::NAN);
                let title = format!("{} and {}", a.record.row, b.record.row);
                judge(a.record.published.total_cmp(&b.record.published), own.total_cmp(&other), title);
            }
        }
    }
    (count, wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, published: f64, predicted: f64) -> Row {
        let record = StudyRecord {
            common: Common::new("validate", "", "", "powerpc64le"),
            study: "s".to_owned(),
            row: name.to_owned(),
            quantity: "time per call".to_owned(),
            unit: "ns".to_owned(),
            published,
            published_scatter_percent: None,
            predicted: Some(predicted),
            counted: None,
            interval: None,
            coverage_percent: None,
            over_alignments: None,
            error_percent: Some(100.0 * (predicted / published - 1.0)),
            used_for_fit: false,
        };
        Row {
            record,
            cpu: "power8".to_owned(),
            family: "f".to_owned(),
            provenance: "p".to_owned(),
            file: "some.toml".to_owned(),
            derived_from: Vec::new(),
            contest: Some("one".to_owned()),
            trivial_error_percent: None,
            mca: Err("none".to_owned()),
        }
    }

    #[test]
    fn a_datum_counts_once_and_its_loop_is_shown_only() {
        let derived = Row { derived_from: vec!["a".to_owned()], contest: None, ..row("a loop", 10.0, 15.0) };
        let rows = [row("a", 10.0, 11.0), row("b", 20.0, 19.0), derived];
        check_derived(&rows).unwrap();
        let summary = Summary::of(&rows);
        let all = summary.all.unwrap();
        assert_eq!((all.rows_count, summary.derived_count, all.worst_row.as_str()), (2, 1, "s a"));
        assert!((all.mean_absolute_error_percent - 7.5).abs() < 1e-9, "{all:?}");
    }

    #[test]
    fn a_row_derived_from_nothing_is_refused() {
        let derived = Row { derived_from: vec!["c".to_owned()], ..row("a loop", 10.0, 15.0) };
        let problem = check_derived(&[row("a", 10.0, 11.0), derived]).unwrap_err().to_string();
        assert!(problem.contains("'c'") && problem.contains("some.toml"), "{problem}");
    }

    #[test]
    fn what_there_are_no_rows_of_has_no_error() {
        let (mut difference, loop_) =
            (row("d", 5.0, 4.0), Row { trivial_error_percent: Some(-50.0), ..row("l", 10.0, 11.0) });
        difference.record.error_percent = None;
        let none = Summary::of(&[row("a", 10.0, 11.0)]);
        let told = none.sentences().join(" ");
        assert!(!told.contains("llvm-mca") && !told.contains("Differences"), "{told}");
        for key in ["loops_mca_mean", "loops_mean", "differences_mean", "differences_worst"] {
            assert!(!none.to_line().contains(key), "{}", none.to_line());
        }
        let told = Summary::of(&[loop_.clone(), difference]).sentences().join(" ");
        assert!(
            told.contains("none of the 1 loops") && told.contains("bound 50.0 %, the model 10.0 %"),
            "{told}"
        );
        assert!(told.contains("Differences: 1, with the right sign in 1; mean absolute error 1.0"), "{told}");
        let told = Summary::of(&[Row { mca: Ok(-20.0), ..loop_ }]).sentences().join(" ");
        assert!(told.contains("answer for 1 of the 1") && told.contains("llvm-mca 20.0 %"), "{told}");
    }

    #[test]
    fn a_fitted_row_and_one_that_is_off_are_told_apart() {
        let mut fitted = row("fitted", 10.0, 10.0);
        fitted.record.used_for_fit = true;
        let summary = Summary::of(&[fitted, row("off", 10.0, 12.0)]);
        let not_fitted = summary.not_fitted.unwrap();
        assert_eq!((not_fitted.rows_count, not_fitted.within_goal_count), (1, 0));
        assert_eq!(summary.all.unwrap().within_goal_count, 1);
    }

    #[test]
    fn within_an_imprecise_publication_there_is_no_error() {
        let mut about = row("about", 4.0, 3.52);
        about.record.published_scatter_percent = Some(25.0);
        assert_eq!(about.error_percent(), 0.0);
        about.record.error_percent = Some(-30.0);
        assert_eq!(about.error_percent(), 30.0);
    }

    #[test]
    fn orders_are_those_of_competitors_and_of_ratios() {
        let mut elsewhere = row("c", 5.0, 50.0);
        elsewhere.contest = Some("another".to_owned());
        let mut ratio = row("r", 4.0, 0.9);
        (ratio.record.unit, ratio.contest) = (String::new(), Some("third".to_owned()));
        let rows = [row("a", 10.0, 11.0), row("b", 20.0, 10.0), elsewhere, ratio];
        let (count, wrong) = orders(&rows.iter().collect::<Vec<_>>());
        assert_eq!((count, wrong), (2, vec!["a and b".to_owned(), "r".to_owned()]));
    }
}
