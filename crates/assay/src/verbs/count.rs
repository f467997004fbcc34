// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `count`: what one call executes, exactly: instructions, loads, stores, branches.

use crate::context::{Context, Outcome};
use crate::judge::{self, Judge};
use crate::select::{names_a_trace, only_traces, Cases, Selection};
use crate::work::{each_case, Skips};
use lab::{Problem, Result};
use report::record::{Common, CountRecord, Record};
use report::{Count, Derived, Report, Table};
use serde::Serialize;
use std::path::Path;

/// Options of `count`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    cases: Cases,
    /// Of a trace: also the pages of 4 KiB, 64 KiB and 16 MiB that its calls touch, which takes as long as walking through it
    #[arg(long)]
    pages: bool,
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    if let Some(path) = args.selection.words.first().filter(|word| names_a_trace(word)) {
        only_traces(&args.selection, &args.cases)?;
        if args.selection.words.len() > 1 {
            return Err(Problem::new("count takes one trace at a time")
                .remedy("name the others in runs of their own"));
        }
        return trace_file(context, Path::new(path), args.pages);
    }
    if args.pages {
        return Err(Problem::new("--pages is of traces").remedy("record one: ./assay trace --help"));
    }
    let judge = Judge::new(context, args.selection.compiler()?).unchecked(args.cases.unchecked);
    let variants = args.selection.competitors(context)?;
    judge.refuse_unknown_cases(&variants, &args.cases.cases)?;
    let mut skips = Skips::default();
    let mut records = Vec::new();
    each_case(
        "counting",
        &variants,
        &args.cases.cases,
        |variant, case| judge.count(variant, case),
        |variant, case, result| {
            if let Some(record) = skips.take(variant, case, result) {
                if context.json {
                    println!("{}", record.to_line());
                }
                records.push(record);
            }
        },
    );
    if !context.json && !records.is_empty() {
        let mut report = Report::new("Instructions per call");
        report.section("").table(table(&records));
        context.show(&report);
    }
    skips.outcome()
}

/// Executions of one region of a recorded trace that have equal counts. Kind `trace_count`.
#[derive(Serialize)]
struct TraceCountRecord {
    kind: &'static str,
    trace: String,
    region: String,
    left_by: String,
    /// Executed inside another region, whose counts include these.
    nested: bool,
    calls: u64,
    instructions: u64,
    loads: u64,
    stores: u64,
    cache_operations: u64,
}

/// Rows of the table, each a set of calls with equal counts.
const ROWS_MAX: usize = 30;

/// Pages of one size that the calls of a trace touch. Kind `trace_pages`.
#[derive(Serialize)]
struct TracePagesRecord {
    kind: &'static str,
    trace: String,
    page_bytes: u64,
    calls: u64,
    /// Pages of code and of data: median over the calls, maximum over the calls, and all calls together.
    median_pages: [u64; 2],
    most_pages: [u64; 2],
    all_pages: [u64; 2],
}

/// Page sizes: small pages, POWER's usual 64 KiB, and the 16 MiB of its kernel's linear mapping.
const PAGE_BYTES: [u64; 3] = [4 << 10, 64 << 10, 16 << 20];

fn pages_of(path: &Path, page_bytes: u64) -> Result<TracePagesRecord> {
    let failed = |error: trace::Error| judge::of_trace(path, &error);
    let mut reader = trace::Reader::open(path).map_err(failed)?;
    let reach = trace::reach(&mut reader, page_bytes).map_err(failed)?;
    let of = |kind: usize| {
        let mut calls: Vec<u64> = reach.calls.iter().map(|call| call[kind] as u64).collect();
        calls.sort_unstable();
        (calls.get(calls.len() / 2).copied().unwrap_or(0), calls.last().copied().unwrap_or(0))
    };
    let (code, data) = (of(0), of(1));
    Ok(TracePagesRecord {
        kind: "trace_pages",
        trace: path.display().to_string(),
        page_bytes,
        calls: reach.calls.len() as u64,
        median_pages: [code.0, data.0],
        most_pages: [code.1, data.1],
        all_pages: reach.all.map(|pages| pages as u64),
    })
}

/// What is done with instructions that are not the function's, but executed before it returns.
fn between(header: &trace::Header) -> &'static str {
    match header.get("machine") {
        Some("system") => "without what interrupts executed",
        _ => "with what signal handlers executed",
    }
}

fn pages_table(records: &[TracePagesRecord], between: &str) -> Table {
    let mut table = Table::new(
        "Pages that a call touches",
        &format!(
            "counted under QEMU, virtual addresses, {between}; all: by any call of the trace, stack included"
        ),
    );
    let size = table.text_column("page");
    let [code, data] = ["code, median", "data, median"].map(|heading| table.count_column(heading, "pages"));
    let [code_most, data_most] =
        ["code, most", "data, most"].map(|heading| table.count_column(heading, "pages"));
    let [code_all, data_all] = ["code, all", "data, all"].map(|heading| table.count_column(heading, "pages"));
    for record in records {
        let row = table.row();
        let text = match record.page_bytes >> 10 {
            kib @ 0..=1023 => format!("{kib} KiB"),
            kib => format!("{} MiB", kib >> 10),
        };
        table.set(row, size, text);
        table.set(row, code, Count(record.median_pages[0])).set(row, data, Count(record.median_pages[1]));
        table.set(row, code_most, Count(record.most_pages[0])).set(
            row,
            data_most,
            Count(record.most_pages[1]),
        );
        table.set(row, code_all, Count(record.all_pages[0])).set(row, data_all, Count(record.all_pages[1]));
    }
    table
}

/// What a trace file holds, the most frequent calls first.
fn trace_file(context: &Context, path: &Path, pages: bool) -> Result<Outcome> {
    let failed = |error: trace::Error| judge::of_trace(path, &error);
    let mut reader = trace::Reader::open(path).map_err(failed)?;
    let mut entries = trace::count(&mut reader).map_err(failed)?;
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.entries));
    let regions = reader.header().regions();
    let region = |number: u8| {
        regions.get(usize::from(number)).map_or("program".to_owned(), |region| region.name.clone())
    };
    let between = between(reader.header());
    let records = entries.iter().map(|entry| TraceCountRecord {
        kind: "trace_count",
        trace: path.display().to_string(),
        region: region(entry.region),
        left_by: format!("{:?}", entry.how).to_lowercase(),
        nested: entry.nested,
        calls: entry.entries,
        instructions: entry.counts.instructions,
        loads: entry.counts.loads,
        stores: entry.counts.stores,
        cache_operations: entry.counts.cache_operations,
    });
    let records: Vec<TraceCountRecord> = records.collect();
    let sizes = if pages { &PAGE_BYTES[..] } else { &[] };
    let pages = sizes.iter().map(|&size| pages_of(path, size)).collect::<Result<Vec<_>>>()?;
    if context.json {
        records.iter().for_each(|record| println!("{}", record.to_line()));
        pages.iter().for_each(|record| println!("{}", record.to_line()));
        return Ok(Outcome::Fine);
    }
    let mut table = Table::new(
        &format!("{}: calls that are alike", path.display()),
        &format!("counted under QEMU from the function's entry to its return, {between}"),
    );
    let (name, how) = (table.text_column("function"), table.text_column("left by"));
    let (calls, instructions) = (table.count_column("calls", ""), table.count_column("instructions", ""));
    let (loads, stores) = (table.count_column("loads", ""), table.count_column("stores", ""));
    for record in records.iter().take(ROWS_MAX) {
        let row = table.row();
        let inside = if record.nested { " (inside another)" } else { "" };
        table.set(row, name, format!("{}{inside}", record.region)).set(row, how, record.left_by.as_str());
        table.set(row, calls, Count(record.calls)).set(row, instructions, Count(record.instructions));
        table.set(row, loads, Count(record.loads)).set(row, stores, Count(record.stores));
    }
    if let Some(left) = records.len().checked_sub(ROWS_MAX).filter(|left| *left > 0) {
        table.note(&format!("{left} more kinds of calls, none of them more frequent; --json tells all"));
    }
    let mut report = Report::new("What a recorded trace holds");
    report.section("").table(table);
    if !pages.is_empty() {
        report.section("").table(pages_table(&pages, between));
    }
    context.show(&report);
    Ok(Outcome::Fine)
}

fn table(records: &[CountRecord]) -> Table {
    let (title, several) = hotpaths_of(records.iter().map(|record| &record.common));
    let mut table = Table::new(
        &format!("{title}: executed by one call in steady state"),
        "counted under QEMU from the symbol's entry to its return; architectural instructions, branches taken or not",
    );
    let arch = table.text_column("arch");
    let name = table.text_column("variant");
    let case = table.text_column("case");
    let instructions = table.count_column("instructions", "");
    let loads = table.count_column("loads", "");
    let stores = table.count_column("stores", "");
    let branches = table.count_column("branches", "");
    let per_byte = table.derived_column("per byte", "instr", 3);
    for record in records {
        let row = table.row();
        table.set(row, arch, record.common.arch.as_str());
        table.set(row, name, variant_text(&record.common, several));
        table.set(row, case, case_text(&record.common.case));
        table.set(row, instructions, Count(record.instructions)).set(row, loads, Count(record.loads));
        table.set(row, stores, Count(record.stores)).set(row, branches, Count(record.branches));
        if let Some(bytes) = record.common.case.get("size").filter(|bytes| **bytes > 0) {
            table.set(row, per_byte, Derived::from(record.instructions as f64 / *bytes as f64));
        }
    }
    table
}

/// The hot paths of a table's records, for its caption, and whether there are several, so that each row has to name its own.
pub fn hotpaths_of<'a>(commons: impl Iterator<Item = &'a Common>) -> (String, bool) {
    let names: std::collections::BTreeSet<&str> = commons.map(|common| common.hotpath.as_str()).collect();
    (names.iter().copied().collect::<Vec<_>>().join(", "), names.len() > 1)
}

/// A variant's name, preceded by its hot path's if the table holds several.
pub fn variant_text(common: &Common, several: bool) -> String {
    if several {
        format!("{}/{}", common.hotpath, common.variant)
    } else {
        common.variant.clone()
    }
}

/// `size=1472`, as users write it.
pub fn case_text(case: &std::collections::BTreeMap<String, u64>) -> String {
    lab::case::Case::from_values(case.clone()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_of_a_machine_are_interrupts_left_out() {
        let header = |lines: &[(&str, &str)]| trace::Header {
            arch: arch::Arch::X86_64,
            version: 2,
            lines: lines.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        };
        assert!(between(&header(&[("machine", "system")])).starts_with("without what interrupts"));
        assert_eq!(between(&header(&[("program", "p")])), "with what signal handlers executed");
    }
}
