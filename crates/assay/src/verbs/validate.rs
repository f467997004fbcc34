// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `validate`: every published figure that we hold, one row each: published, predicted, how far off; beside it the errors
//! of llvm-mca and of the trivial bound on the same sequence, and whether a number was fitted to the row.

use crate::context::{Context, Outcome};
use crate::study_file::{self, Study};
use crate::verbs::study::{rerun, Rerun};
use arch::Arch;
use lab::process::Command;
use lab::target::Target;
use lab::toolchain::{Compiler, CompilerKind};
use lab::{Problem, Result};
use object::{Object, ObjectSection};
use predict::validate::{validate, Outcome as Loop};
use report::record::{Common, Record, StudyRecord};
use report::{Derived, Predicted, Published, Report, Table};
use serde::Serialize;
use std::path::Path;

/// Options of `validate`.
#[derive(clap::Args)]
pub struct Args {}

/// A row of whatever origin.
struct Row {
    record: StudyRecord,
    cpu: String,
    /// Over the alignments of the code, where they are not known.
    range: Option<(f64, f64)>,
    trivial_error_percent: Option<f64>,
    mca: std::result::Result<f64, String>,
}

#[derive(Serialize)]
struct ValidateRecord<'a> {
    #[serde(flatten)]
    study: &'a StudyRecord,
    cpu: &'a str,
    trivial_error_percent: Option<f64>,
    llvm_mca_error_percent: Option<f64>,
}

/// Runs the verb.
pub fn run(context: &Context, _: &Args) -> Result<Outcome> {
    let mut rows = loops(context)?;
    for name in study_file::names(&context.workspace)? {
        let study = study_file::load(&context.workspace, &name)?;
        for rerun in rerun(context, &study)? {
            if !rerun.row.quantity.is_counted() {
                rows.push(of_study(&study, &rerun));
            }
        }
    }
    if context.json {
        for row in &rows {
            let record = ValidateRecord {
                study: &row.record,
                cpu: &row.cpu,
                trivial_error_percent: row.trivial_error_percent,
                llvm_mca_error_percent: row.mca.as_ref().ok().copied(),
            };
            println!("{}", record.to_line());
        }
        return Ok(Outcome::Fine);
    }
    let mut report = Report::new("Published figures against the model");
    report.section("").table(table(&rows)).paragraph(&summary(&rows));
    context.show(&report);
    Ok(Outcome::Fine)
}

fn loops(context: &Context) -> Result<Vec<Row>> {
    let root = &context.workspace.root;
    let assemble =
        |arch: Arch, path: &Path| assemble(context, arch, path).map_err(|problem| problem.to_string());
    let outcomes = validate(&root.join("crates/predict/validation"), &root.join("cpus"), &assemble)
        .map_err(|error| Problem::new(error.to_string()))?;
    Ok(outcomes.into_iter().map(of_loop).collect())
}

/// Assembles a loop and gives the bytes of its code.
fn assemble(context: &Context, arch: Arch, path: &Path) -> Result<Vec<u8>> {
    let target = Target::of(arch);
    let compiler = Compiler::of(CompilerKind::Clang, target)?;
    let newest = target.requirements.last().map_or(&[][..], |requirement| requirement.cflags);
    let object = context.workspace.scratch(".o")?;
    let command: Command = compiler.command().args(newest).args(["-x", "assembler", "-c"]).arg(path);
    let output = command.arg("-o").arg(object.path()).run()?;
    if !output.success() {
        return Err(Problem::new(format!("does not assemble: {}", output.head(6))).at(path.display()));
    }
    let data = std::fs::read(object.path())
        .map_err(|error| Problem::io("read the object", object.path(), &error))?;
    let broken = |error: object::Error| Problem::new(error.to_string()).at(path.display());
    let file = object::File::parse(&*data).map_err(broken)?;
    let text =
        file.section_by_name(".text").ok_or_else(|| Problem::new("holds no code").at(path.display()))?;
    text.data().map(<[u8]>::to_vec).map_err(broken)
}

fn of_loop(outcome: Loop) -> Row {
    let figure = &outcome.figure;
    let record = StudyRecord {
        common: Common::new("validate", "", "", &figure.arch),
        study: figure.study.clone(),
        row: figure.row.clone(),
        quantity: "loop".to_owned(),
        unit: figure.unit.clone(),
        published: figure.published,
        published_scatter_percent: None,
        predicted: Some(outcome.predicted),
        counted: None,
        error_percent: outcome.error_percent,
        used_for_fit: figure.used_for_fit,
    };
    Row {
        record,
        cpu: figure.cpu.clone(),
        range: Some(outcome.range),
        trivial_error_percent: Some(outcome.trivial.1),
        mca: outcome.mca.map(|(_, error)| error),
    }
}

fn of_study(study: &Study, rerun: &Rerun) -> Row {
    let mut record = crate::verbs::study::record(study, rerun);
    record.common.kind = "validate".to_owned();
    Row {
        record,
        cpu: rerun.row.cpu.clone().unwrap_or_else(|| study.cpu.clone()),
        range: None,
        trivial_error_percent: None,
        mca: Err("a whole program, not a loop".to_owned()),
    }
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(
        "Every published figure",
        "predicted by the model; errors in percent of the published figure; range over the alignments of the code; trivial \
         bound: instructions over dispatch width or operations over pipes",
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
        table.set(row, error, Derived::from(record.error_percent));
        if let Some((low, high)) = one.range {
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
    }
    table
}

fn summary(rows: &[Row]) -> String {
    let mean = |rows: &[&Row]| {
        rows.iter().map(|row| row.record.error_percent.abs()).sum::<f64>() / rows.len().max(1) as f64
    };
    let all: Vec<&Row> = rows.iter().collect();
    let free: Vec<&Row> = rows.iter().filter(|row| !row.record.used_for_fit).collect();
    let worst =
        rows.iter().max_by(|a, b| a.record.error_percent.abs().total_cmp(&b.record.error_percent.abs()));
    let worst = worst.map_or(String::new(), |row| {
        format!(
            " The largest is {:.1} % ({} {}).",
            row.record.error_percent, row.record.study, row.record.row
        )
    });
    format!(
        "Mean absolute error of {} rows: {:.1} %; of the {} rows that nothing was fitted to: {:.1} %.{worst}",
        all.len(),
        mean(&all),
        free.len(),
        mean(&free)
    )
}
