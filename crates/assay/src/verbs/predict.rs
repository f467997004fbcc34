// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `predict`: cycles per call on CPUs that need not be here, from a recorded trace.

use crate::context::{Context, Outcome};
use crate::judge::{self, Judge};
use crate::select::{Cases, Selection};
use crate::verbs::count::{case_text, hotpaths_of, variant_text};
use crate::work::{each_case, Skips};
use lab::emulator::CannotRun;
use lab::Result;
use predict::Cpu;
use report::record::{PredictionRecord, Record};
use report::{Predicted, Report, Table};

/// Options of `predict`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    cases: Cases,
    /// CPU, by the name of its description (repeatable or separated by commas; default: all that run the variant)
    #[arg(short, long = "cpu", value_name = "CPU", value_delimiter = ',')]
    cpus: Vec<String>,
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let judge = Judge::new(context, args.selection.compiler()?);
    let cpus = judge::cpus(context, &args.cpus)?;
    let variants = args.selection.variants(context)?;
    let mut skips = Skips::default();
    let mut records = Vec::new();
    each_case(
        &variants,
        &args.cases.cases,
        |variant, case| {
            let able: Vec<&Cpu> = cpus.iter().filter(|cpu| judge::cpu_has(cpu, variant)).collect();
            if able.is_empty() {
                return Ok(Err(CannotRun(format!(
                    "no chosen cpu is a {} with {}",
                    variant.arch,
                    variant.claims()
                ))));
            }
            judge.predict(variant, case, &able)
        },
        |variant, case, result| {
            for record in skips.take(variant, case, result).unwrap_or_default() {
                if context.json {
                    println!("{}", record.to_line());
                }
                records.push(record);
            }
        },
    );
    if !context.json {
        let mut report = Report::new("Predicted cycles per call");
        report.section("").table(table(&records));
        context.show(&report);
    }
    skips.outcome()
}

fn table(records: &[PredictionRecord]) -> Table {
    let (title, several) = hotpaths_of(records.iter().map(|record| &record.common));
    let mut table = Table::new(
        &format!("{title}: one call in steady state, calls back to back"),
        "predicted from a trace and a description of the cpu; not measured; docs/method.md",
    );
    let cpu = table.text_column("cpu");
    let arch = table.text_column("arch");
    let name = table.text_column("variant");
    let case = table.text_column("case");
    let cycles = table.predicted_column("per call", "cycles", 1);
    let time = table.predicted_column("per call", "ns", 1);
    let rate = table.predicted_column("rate", "bytes/cycle", 2);
    let bound = table.text_column("most stalls");
    for record in records {
        let row = table.row();
        table.set(row, cpu, record.cpu.as_str()).set(row, arch, record.common.arch.as_str());
        table.set(row, name, variant_text(&record.common, several));
        table.set(row, case, case_text(&record.common.case));
        table.set(row, cycles, Predicted(record.cycles)).set(row, time, Predicted(record.time_ns));
        if let Some(bytes_per_cycle) = record.bytes_per_cycle {
            table.set(row, rate, Predicted(bytes_per_cycle));
        }
        table.set(row, bound, record.bound_by.as_str());
        if record.coverage_percent < 99.95 {
            let told = format!(
                "{:.1} % of its instructions have a class in the cpu's file",
                record.coverage_percent
            );
            table.mark(row, cycles, &told);
        }
    }
    table
}
