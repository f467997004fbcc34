// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `report`: the table that a patch needs, for a terminal, a mail, Markdown or a page.

use crate::context::{Context, Outcome};
use crate::coverage;
use crate::cpus;
use crate::judge::{self, Judge};
use crate::measuring::measure;
use crate::progress::in_order;
use crate::rivals::{cannot_on, is_rival, with_baseline, Lacking};
use crate::select::{tell_idle, Cases, Selection};
use crate::verbs::check::{record as check_record, Again};
use crate::verbs::count::{case_text, hotpaths_of, variant_text};
use crate::verbs::measure::{table as measured_table, EffortArgs};
use crate::verbs::report_parts;
use crate::winners::{self, Row};
use crate::work::{each_case, Skips};
use lab::check::{check, Manner, Verdict};
use lab::discover::Variant;
use lab::emulator::{native_for, CannotRun};
use lab::output::Output;
use lab::{host, Problem, Result};
use predict::Cpu;
use report::record::{CountRecord, PredictionRecord, Record};
use report::{Count, Predicted, Report, Section, Table, Text, Tone};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Options of `report`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    cases: Cases,
    /// CPUs to predict for (repeatable or separated by commas; default: all that run the variants)
    #[arg(short, long = "cpu", value_name = "CPU", value_delimiter = ',')]
    cpus: Vec<String>,
    /// Form: terminal, mail (72 columns, survives git am), markdown or html
    #[arg(short, long, default_value = "terminal", value_parser = ["terminal", "mail", "markdown", "html"])]
    format: String,
    /// Write to this file, FIFO or device instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The variant before the patch, of which the change in percent is told (default: the best peer, else the best plain C one;
    /// with files or folders of your own, the best of ours)
    #[arg(long, value_name = "VARIANT")]
    against: Option<String>,
    #[command(flatten)]
    effort: EffortArgs,
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    if context.json && args.format != "terminal" {
        return Err(Problem::new(format!("--json is a form of its own, and so is --format {}", args.format))
            .remedy("leave out one of them"));
    }
    let output = args.output.as_deref().map(Output::new).transpose()?;
    let judge = Judge::new(context, args.selection.compiler()?).unchecked(args.cases.unchecked);
    let cpus = cpus::cpus_for(context, &args.cpus, &args.selection.archs)?;
    let mut selection = args.selection.clone();
    if selection.archs.is_empty() && !args.cpus.is_empty() {
        selection.archs = cpus::archs_of(&cpus);
    }
    let against = args.against.as_deref();
    let variants = with_baseline(context, &mut selection, against)?;
    if let Some(output) = &output {
        output.spare(variants.iter().map(|variant| &variant.source))?;
        output.spare(cpus::files_of(&args.cpus))?;
    }
    let mut lacking = Lacking::of(against);
    let chosen: Vec<&Cpu> = cpus.iter().collect();
    // All are told of, and what can be compared is compared.
    lacking.comparable(variants.clone(), |variant| {
        native_for(variant).err().and_then(|_| cannot_on(&chosen, variant))
    })?;
    judge.refuse_unknown_cases(&variants, &args.cases.cases)?;
    if !args.cpus.is_empty() {
        tell_idle(&cpus, &variants);
    }
    let rival = is_rival(&selection, &variants);
    let rival = rival.as_ref().map(|rival| rival as &(dyn Fn(&Variant) -> bool + Sync));
    let title: Vec<&str> = args.selection.words.iter().map(String::as_str).take(1).collect();
    let mut report = Report::new(&format!("Assay: {}", title.first().unwrap_or(&"all hot paths")));
    let mut skips = Skips::default();
    let mut lines = Vec::new();
    let (checked, wrong) = checks(context, args, &variants, report.section("Correctness"), &mut lines)?;
    let (counts, rows, fastest) = trace_all(args, &cpus, &judge, &variants, &mut skips)?;
    let mut compilers: BTreeSet<String> =
        counts.iter().map(|record| record.common.compiler.clone()).collect();
    // What is predicted was counted, too.
    if !counts.is_empty() {
        let section = report.section("Counted and predicted");
        let predictions: Vec<PredictionRecord> = rows.iter().map(|row| row.record.clone()).collect();
        figures(section, &counts, &predictions);
        lines.extend(counts.iter().map(Record::to_line));
        lines.extend(predictions.iter().map(Record::to_line));
        let of = (&cpus[..], &variants[..]);
        let changes = report_parts::predicted_change(section, rows, (against, rival), of, &mut lacking)?;
        lines.extend(changes.iter().map(Record::to_line));
        if !fastest.is_empty() {
            section.table(winners::table(fastest.iter()));
        }
    }
    let native: Vec<Variant> =
        variants.iter().filter(|variant| host::native_arch() == Some(variant.arch)).cloned().collect();
    let measured = measure(context, &judge, &native, &args.cases.cases, args.effort.effort())?;
    if !measured.is_empty() {
        let section = report.section("Measured");
        section.table(measured_table(&measured));
        lines.extend(measured.iter().map(|one| one.record.to_line()));
        let changes = report_parts::measured_change(section, &measured, (against, rival), &mut lacking)?;
        lines.extend(changes.iter().map(Record::to_line));
        compilers.extend(measured.iter().map(|one| one.record.common.compiler.clone()));
    }
    skips.judged_otherwise(checked + measured.len());
    let builder = lab::build::Builder::new(&context.workspace, args.selection.compiler()?);
    report_parts::how(report.section("How"), &context.workspace.root, &builder, &variants, &compilers);
    let text = match args.format.as_str() {
        _ if context.json => lines.iter().map(|line| format!("{line}\n")).collect(),
        "mail" => report::mail(&report),
        "markdown" => report::markdown(&report),
        "html" => report::html(&report),
        _ => report::terminal(&report, report::Terminal::of_stdout()),
    };
    match &output {
        None => print!("{text}"),
        Some(output) => {
            output.write(text.as_bytes())?;
            context.progress(&format!("wrote {}", output.name()));
        }
    }
    let outcome = skips.outcome()?;
    if wrong > 0 {
        return Ok(Outcome::Failed);
    }
    if outcome == Outcome::Fine {
        lacking.outcome()?;
    }
    Ok(outcome)
}

/// How many variants were checked, and how many of them are wrong.
fn checks(
    context: &Context,
    args: &Args,
    variants: &[Variant],
    section: &mut Section,
    lines: &mut Vec<String>,
) -> Result<(usize, usize)> {
    let builder = lab::build::Builder::new(&context.workspace, args.selection.compiler()?);
    let mut table = Table::new(
        "Checked against the reference, guard pages and saved registers",
        "checked under QEMU or natively, as named",
    );
    let name = table.text_column("variant");
    let arch = table.text_column("arch");
    let verdict = table.text_column("verdict");
    let cases = table.count_column("cases", "");
    let engine = table.text_column("on");
    let (mut judged, mut wrong) = (0, 0);
    let mut failure = None;
    in_order(
        "checking",
        variants,
        |variant| check(&context.workspace, &builder, variant, false),
        |index, result| {
            let variant = &variants[index];
            let row = table.row();
            table.set(row, name, variant.title()).set(row, arch, variant.arch.name());
            match result {
                Err(problem) => {
                    failure.get_or_insert(problem);
                }
                Ok(checked) => {
                    let again = Again::of(&args.selection, variant, Manner::default(), &checked);
                    lines.push(check_record(variant, &checked, again.as_ref()).to_line());
                    judged += usize::from(!matches!(checked.verdict, Verdict::Skipped(_)));
                    let (text, tone) = match &checked.verdict {
                        Verdict::Right { cases_count } => {
                            table.set(row, cases, Count(*cases_count));
                            ("right".to_owned(), Tone::Good)
                        }
                        Verdict::Caught(_) => ("wrong, as announced".to_owned(), Tone::Plain),
                        Verdict::Wrong(text) => {
                            wrong += 1;
                            (format!("WRONG: {}", text.lines().next().unwrap_or_default()), Tone::Bad)
                        }
                        Verdict::Skipped(reason) => (format!("not checked: {reason}"), Tone::Plain),
                    };
                    table.set(row, verdict, Text { text, tone }).set(row, engine, checked.engine);
                }
            }
        },
    );
    section.table(table);
    failure.map_or(Ok((judged, wrong)), Err)
}

/// All counts, all predictions, and the fastest predictions with what bounds them.
type Figures = (Vec<CountRecord>, Vec<Row>, Vec<PredictionRecord>);

fn trace_all(
    args: &Args,
    cpus: &[Cpu],
    judge: &Judge,
    variants: &[Variant],
    skips: &mut Skips,
) -> Result<Figures> {
    let (mut all_counts, mut rows) = (Vec::new(), Vec::new());
    each_case(
        "counting and predicting",
        variants,
        &args.cases.cases,
        |variant, case| {
            let able = cpus.iter().any(|cpu| judge::cpu_has(cpu, variant));
            let counts = match judge.count(variant, case)? {
                Ok(counts) => counts,
                Err(CannotRun(reason)) => return Ok(Err(CannotRun(reason))),
            };
            let predictions = if able { judge.predict(variant, case, cpus)? } else { Ok(Vec::new()) };
            Ok(predictions.map(|predictions| (counts, predictions)))
        },
        |variant, case, result| {
            if let Some((counts, predictions)) = skips.take(variant, case, result) {
                all_counts.push(counts);
                let row = |record| Row { variant: variant.clone(), case: case.clone(), record };
                rows.extend(predictions.into_iter().map(row));
            }
        },
    );
    let fastest = winners::deepen(judge, cpus, &mut rows)?;
    let fastest = fastest.iter().map(|index| rows[*index].record.clone()).collect();
    Ok((all_counts, rows, fastest))
}

/// One row per variant and case, one column per cpu.
fn figures(section: &mut Section, counts: &[CountRecord], predictions: &[PredictionRecord]) {
    let mut table = Table::new(
        "Per call, in steady state",
        "instructions counted under QEMU; cycles predicted from the trace and the cpus' descriptions, not measured",
    );
    let (_, several) = hotpaths_of(counts.iter().map(|record| &record.common));
    let mut cpus: Vec<&str> = predictions.iter().map(|record| record.cpu.as_str()).collect();
    cpus.sort_unstable();
    cpus.dedup();
    let name = table.text_column("variant");
    let arch = table.text_column("arch");
    let case = table.text_column("case");
    let instructions = table.count_column("instr", "");
    let columns: Vec<_> = cpus.iter().map(|cpu| (*cpu, table.predicted_column(cpu, "cycles", 1))).collect();
    for record in counts {
        let row = table.row();
        let common = &record.common;
        table.set(row, name, variant_text(common, several)).set(row, arch, common.arch.as_str());
        table.set(row, case, case_text(&common.case));
        table.set(row, instructions, Count(record.instructions));
        for (cpu, column) in &columns {
            let same = |prediction: &&PredictionRecord| {
                let other = &prediction.common;
                prediction.cpu == *cpu
                    && (&other.hotpath, &other.variant, &other.arch, &other.case)
                        == (&common.hotpath, &common.variant, &common.arch, &common.case)
            };
            if let Some(prediction) = predictions.iter().find(same) {
                table.set(row, *column, Predicted(prediction.cycles));
                coverage::mark(&mut table, row, *column, prediction.coverage_percent);
            }
        }
    }
    section.table(table);
}
