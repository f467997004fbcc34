// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `list`: libraries, hot paths and variants, and what each variant runs on.

use crate::context::{Context, Outcome};
use crate::select::Selection;
use lab::discover::{self, Variant};
use lab::emulator::{self, CannotRun};
use lab::hotpath::HotPath;
use lab::Result;
use report::record::{Common, Record};
use report::{Report, Table};
use serde::Serialize;

/// Options of `list`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,
}

#[derive(Serialize)]
struct VariantRecord {
    #[serde(flatten)]
    common: Common,
    requires: String,
    runs_on: String,
    can_be_traced: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    peer: Option<String>,
}

/// Runs the verb: without a hot path one line for each, with one its contract and its variants.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let selection = &args.selection;
    let mut report = Report::new("Hot paths");
    if context.json {
        selection.variants(context)?.iter().for_each(|one| println!("{}", record(context, one).to_line()));
        return Ok(Outcome::Fine);
    }
    if selection.words.is_empty() && selection.variants.is_empty() {
        let hotpaths = selection.hotpaths(context)?;
        let mut table = Table::new("Hot paths, by library", "");
        let library = table.text_column("library");
        let name = table.text_column("hot path");
        let variants = table.integer_column("variants", "");
        let meaning = table.text_column("meaning");
        for hotpath in &hotpaths {
            let row = table.row();
            let count = count_variants(context, args, hotpath)?;
            table.set(row, library, hotpath.library.as_str()).set(row, name, hotpath.name.as_str());
            table.set(row, variants, report::Integer(count)).set(row, meaning, hotpath.meaning.as_str());
        }
        table.note("./assay list HOTPATH shows its variants; ./assay check HOTPATH checks them.");
        report.section("").table(table);
    } else {
        let variants = selection.variants(context)?;
        for of_hotpath in variants.chunk_by(|a, b| a.hotpath.name == b.hotpath.name) {
            describe(context, of_hotpath, &mut report);
        }
    }
    context.show(&report);
    Ok(Outcome::Fine)
}

fn count_variants(context: &Context, args: &Args, hotpath: &std::sync::Arc<HotPath>) -> Result<u64> {
    let mut names = std::collections::BTreeSet::new();
    for arch in args.selection.archs() {
        for variant in discover::variants(&context.workspace, &args.selection.dirs, hotpath, arch)? {
            names.insert((variant.source, variant.name));
        }
    }
    Ok(names.len() as u64)
}

/// Describes a hot path's contract and these variants of it, of which there is at least one.
fn describe(context: &Context, variants: &[Variant], report: &mut Report) {
    let hotpath = &variants[0].hotpath;
    let section = report.section(&hotpath.name);
    section.paragraph(&hotpath.meaning);
    section.verbatim(&hotpath.prototype);
    let cases: Vec<String> = hotpath.cases.iter().map(ToString::to_string).collect();
    section.paragraph(&format!("Cases: {}.", cases.join("  ")));
    let mut table = Table::new("Variants", "");
    let arch = table.text_column("arch");
    let name = table.text_column("variant");
    let requires = table.text_column("requires");
    let runs = table.text_column("checked on");
    let about = table.text_column("what it is");
    for variant in variants {
        let row = table.row();
        table.set(row, arch, variant.arch.name()).set(row, name, variant.name.as_str());
        table.set(row, requires, variant.claims()).set(row, runs, runs_on(context, variant));
        table.set(row, about, about_text(variant));
    }
    section.table(table);
}

fn about_text(variant: &Variant) -> String {
    match (&variant.keys.peer, &variant.keys.about, variant.reference) {
        (Some(peer), _, _) => format!("peer: {peer}"),
        (None, Some(about), _) => about.clone(),
        (None, None, true) => "the answer that all others are checked against".to_owned(),
        (None, None, false) => String::new(),
    }
}

/// What a check runs it on; if no QEMU has its instructions, whether this machine can check it.
fn runs_on(context: &Context, variant: &Variant) -> String {
    match emulator::for_check(&context.workspace, variant) {
        Ok(Ok(emulator::Engine::Native)) => "this machine only: no QEMU has it".to_owned(),
        Ok(Ok(engine)) => engine.describe(),
        Ok(Err(CannotRun(reason))) => format!("nothing here: no QEMU has it, and {reason}"),
        Err(problem) => problem.what,
    }
}

fn record(context: &Context, variant: &Variant) -> VariantRecord {
    VariantRecord {
        common: Common::new("variant", &variant.hotpath.name, &variant.name, variant.arch.name()),
        requires: variant.claims(),
        runs_on: runs_on(context, variant),
        can_be_traced: matches!(emulator::for_trace(&context.workspace, variant), Ok(Ok(_))),
        about: variant.keys.about.clone(),
        peer: variant.keys.peer.clone(),
    }
}
