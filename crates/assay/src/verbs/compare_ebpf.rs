// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `compare ebpf`: packet programs as our code generators make them, with and without merged byte swaps, and as Linux's
//! JIT for POWER would: instructions executed, and cycles predicted on CPUs that run them.

use crate::context::{Context, Outcome};
use crate::coverage;
use crate::cpus;
use crate::judge::Judge;
use crate::select::Selection;
use crate::verbs::count::case_text;
use crate::work::{each_case, Skips};
use arch::Arch;
use lab::case::Case;
use lab::discover::Variant;
use lab::{Problem, Result};
use predict::Cpu;
use report::record::{Common, CountRecord, PredictionRecord, Record};
use report::{Count, Derived, Predicted, Report, Table};
use std::collections::BTreeMap;

/// The CPUs that the question is about.
const CPUS: [&str; 3] = ["power8", "power9", "power10"];

/// Figures by row (program, case and, if predicted, cpu), then by variant.
type Rows<T> = BTreeMap<(String, String, String), BTreeMap<String, T>>;

/// Runs the verb. The selection's words after `ebpf` choose the programs, and `cpus` the machines to predict for.
pub fn run(context: &Context, selection: &Selection, cases: &[Case], cpus: &[String]) -> Result<Outcome> {
    let folder = context.workspace.folder("packets")?;
    let programs = jit_compare::write_hotpaths(&context.workspace.root, &folder)
        .map_err(|error| Problem::new(error.to_string()).remedy("run ./setup"))?;
    let variants = chosen(context, selection, &folder, &programs)?;
    let judge = Judge::new(context, selection.compiler()?);
    let mut skips = Skips::default();
    let mut report = Report::new("eBPF packet programs");
    let counts = count(context, &judge, &variants, cases, &mut skips);
    let names: Vec<String> = if cpus.is_empty() { CPUS.map(str::to_owned).to_vec() } else { cpus.to_vec() };
    let cycles = predict(context, &judge, &variants, cases, &cpus::cpus(context, &names)?, &mut skips);
    if !context.json {
        report.section("Instructions").table(counts_table(&counts));
        report.section("Cycles").table(cycles_table(&cycles));
        context.show(&report);
    }
    skips.outcome()
}

fn chosen(
    context: &Context,
    selection: &Selection,
    folder: &std::path::Path,
    programs: &[String],
) -> Result<Vec<Variant>> {
    let mut selection = selection.clone();
    selection.words.remove(0);
    if let Some(unknown) = selection.words.iter().find(|word| !programs.contains(word)) {
        return Err(Problem::new(format!("there is no packet program '{unknown}'"))
            .remedy(format!("the programs are {}", programs.join(", "))));
    }
    if selection.archs.is_empty() {
        selection.archs = vec![Arch::Powerpc64le];
    }
    selection.dirs = vec![folder.to_path_buf()];
    let words = if selection.words.is_empty() { programs.to_vec() } else { selection.words.clone() };
    let mut variants = Vec::new();
    for word in words {
        selection.words = vec![word];
        variants.extend(selection.variants(context)?.into_iter().filter(|variant| !variant.reference));
    }
    Ok(variants)
}

fn row(common: &Common, cpu: &str) -> (String, String, String) {
    (format!("{}, {}", common.hotpath, common.arch), case_text(&common.case), cpu.to_owned())
}

fn count(
    context: &Context,
    judge: &Judge,
    variants: &[Variant],
    cases: &[Case],
    skips: &mut Skips,
) -> Rows<CountRecord> {
    let mut rows: Rows<CountRecord> = BTreeMap::new();
    each_case(
        "counting",
        variants,
        cases,
        |variant, case| judge.count(variant, case),
        |variant, case, result| {
            if let Some(record) = skips.take(variant, case, result) {
                if context.json {
                    println!("{}", record.to_line());
                }
                rows.entry(row(&record.common, "")).or_default().insert(variant.name.clone(), record);
            }
        },
    );
    rows
}

fn predict(
    context: &Context,
    judge: &Judge,
    variants: &[Variant],
    cases: &[Case],
    cpus: &[Cpu],
    skips: &mut Skips,
) -> Rows<PredictionRecord> {
    let mut rows: Rows<PredictionRecord> = BTreeMap::new();
    each_case(
        "predicting",
        variants,
        cases,
        |variant, case| judge.predict(variant, case, cpus),
        |variant, case, result| {
            for record in skips.take(variant, case, result).unwrap_or_default() {
                if context.json {
                    println!("{}", record.to_line());
                }
                rows.entry(row(&record.common, &record.cpu))
                    .or_default()
                    .insert(variant.name.clone(), record);
            }
        },
    );
    rows
}

/// The known variants that any row has, the kernel's sequences first.
fn columns<T>(rows: &Rows<T>) -> Vec<String> {
    let known = [jit_compare::KERNEL, "unfused", "fused", "unfused_isa31", "fused_isa31", "jit"];
    let present = |name: &str| rows.values().any(|row| row.contains_key(name));
    known.into_iter().filter(|name| present(name)).map(str::to_owned).collect()
}

/// Our code with merged swaps over the kernel's sequences.
fn ratio<T>(row: &BTreeMap<String, T>, value: impl Fn(&T) -> f64) -> Option<f64> {
    let kernel = value(row.get(jit_compare::KERNEL)?);
    Some(value(row.get("fused")?) / kernel)
}

fn counts_table(rows: &Rows<CountRecord>) -> Table {
    let mut table = Table::new(
        "Instructions executed by one call, for one packet",
        "counted under QEMU; kernel_sequences: what Linux's JIT emits, re-created (crates/jit_compare/src/kernel.rs)",
    );
    let program = table.text_column("program");
    let case = table.text_column("case");
    let names = columns(rows);
    let values: Vec<_> = names.iter().map(|name| table.count_column(name, "")).collect();
    let derived = table.derived_column("fused / kernel", "", 3);
    for ((title, text, _), counts) in rows {
        let line = table.row();
        table.set(line, program, title.as_str()).set(line, case, text.as_str());
        for (name, column) in names.iter().zip(&values) {
            if let Some(record) = counts.get(name) {
                table.set(line, *column, Count(record.instructions));
            }
        }
        if let Some(value) = ratio(counts, |record| record.instructions as f64) {
            table.set(line, derived, Derived::from(value));
        }
    }
    table
}

fn cycles_table(rows: &Rows<PredictionRecord>) -> Table {
    let mut table = Table::new(
        "Cycles of one call in steady state",
        "predicted from traces and the cpu's description, not measured; the calling loop, which restores the packet, included",
    );
    let cpu = table.text_column("cpu");
    let program = table.text_column("program");
    let case = table.text_column("case");
    let names = columns(rows);
    let values: Vec<_> = names.iter().map(|name| table.predicted_column(name, "cycles", 1)).collect();
    let derived = table.derived_column("fused / kernel", "", 3);
    for ((title, text, machine), predictions) in rows {
        let line = table.row();
        table.set(line, cpu, machine.as_str()).set(line, program, title.as_str()).set(
            line,
            case,
            text.as_str(),
        );
        for (name, column) in names.iter().zip(&values) {
            if let Some(record) = predictions.get(name) {
                table.set(line, *column, Predicted(record.cycles));
                coverage::mark(&mut table, line, *column, record.coverage_percent);
            }
        }
        if let Some(value) = ratio(predictions, |record| record.cycles) {
            table.set(line, derived, Derived::from(value));
        }
    }
    table
}
