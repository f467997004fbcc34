// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `demo`: the main job in a few minutes: the published LoongArch table run again, the best variant on each CPU that we
//! describe, and measurements on this machine.

use crate::context::{Context, Outcome};
use crate::coverage;
use crate::cpus;
use crate::judge::Judge;
use crate::measuring::{measure, Measured};
use crate::select::Selection;
use crate::verbs::study::fill;
use crate::verbs::study_rerun::{record as study_record, rerun};
use crate::winners::{self, Row};
use crate::work::{each_case, Skips};
use crate::{study_file, verbs};
use arch::Arch;
use lab::case::Case;
use lab::measure::Effort;
use lab::toolchain::CompilerKind;
use lab::{host, Result};
use report::record::PredictionRecord;
use report::{Predicted, Report, Table};

/// The study that the demo runs again.
const STUDY: &str = "2023-loongarch-checksum";
/// The hot path that it is about.
const HOTPATH: &str = "csum_partial";
/// The size at which the best variants are compared.
const BEST_AT: &str = "size=4096";
/// The sizes of the published table that are measured on this machine.
const MEASURED: [&str; 4] = ["size=4096", "size=1472", "size=250", "size=40"];

/// How many of the fastest variants of each size are shown for this machine.
const FASTEST_SHOWN: usize = 3;

/// Options of `demo`.
#[derive(clap::Args)]
pub struct Args {}

/// Runs the verb.
pub fn run(context: &Context, _: &Args) -> Result<Outcome> {
    let mut skips = Skips::default();
    context.progress("1 of 3: the published LoongArch table, run again");
    let study = study_file::load(&context.workspace, STUDY)?;
    let reruns = rerun(context, &study, study.compiler()?)?;
    context.tell(reruns.iter().map(|rerun| study_record(&study, rerun)), || {
        let mut report = Report::new("1. A published table, run again");
        fill(report.section(&study.title), &study, &reruns);
        report
    });

    context.progress("2 of 3: every variant on every CPU that we describe");
    let best = predict_best(context, &mut skips)?;
    context.tell(best.iter(), || {
        let mut report = Report::new("2. The best variant on each CPU that we describe");
        report.section("").table(best_table(&best)).table(winners::table(best.iter()));
        report
    });

    context.progress("3 of 3: this machine");
    measure_here(context)?;
    if !context.json {
        say_what_is_next();
    }
    skips.outcome()
}

fn say_what_is_next() {
    println!(
        "Next: ./assay list checksum              the variants, and what each needs\n      \
         ./assay compare checksum           measured here against known techniques, with verdicts\n      \
         ./assay predict csum_partial -c power8,la464 --case size=1500\n      \
         ./assay check csum_partial -a powerpc64 path/to/your/checksum_64.S\n      \
         ./assay report csum_partial -a loongarch64 --format mail\n\
         What a prediction is not: docs/limits.md. How it is made: docs/method.md."
    );
}

/// The fastest variant on each cpu with what bounds it, sorted by architecture.
fn predict_best(context: &Context, skips: &mut Skips) -> Result<Vec<PredictionRecord>> {
    let judge = Judge::new(context, CompilerKind::Clang);
    let cpus = cpus::cpus(context, &[])?;
    let archs: Vec<Arch> =
        Arch::ALL.into_iter().filter(|arch| cpus.iter().any(|cpu| cpu.runs(*arch))).collect();
    let variants = csum(archs).competitors(context)?;
    let case: Case = BEST_AT.parse()?;
    let mut rows = Vec::new();
    each_case(
        "predicting",
        &variants,
        &[case],
        |variant, case| {
            // A peer is another project's technique: ours are compared with it, so it is no candidate here.
            if variant.keys.peer.is_some() {
                return Ok(Ok(Vec::new()));
            }
            judge.predict(variant, case, &cpus)
        },
        |variant, case, result| {
            let row = |record| Row { variant: variant.clone(), case: case.clone(), record };
            rows.extend(skips.take(variant, case, result).unwrap_or_default().into_iter().map(row));
        },
    );
    let fastest = winners::deepen(&judge, &cpus, &mut rows)?;
    let mut best: Vec<PredictionRecord> = fastest.iter().map(|index| rows[*index].record.clone()).collect();
    best.sort_by(|a, b| (&a.common.arch, &a.cpu).cmp(&(&b.common.arch, &b.cpu)));
    Ok(best)
}

fn csum(archs: Vec<Arch>) -> Selection {
    Selection { words: vec![HOTPATH.to_owned()], archs, compiler: "clang".to_owned(), ..Selection::default() }
}

fn best_table(best: &[PredictionRecord]) -> Table {
    let mut table = Table::new(
        &format!("{HOTPATH}, {BEST_AT}"),
        "predicted from traces and the cpus' descriptions, not measured; 90 %: the interval that holds the cycles of a real core \
         in nine of ten cases; alignments: fewest and most cycles over the places of the code in a fetch block, where they differ",
    );
    let cpu = table.text_column("cpu");
    let arch = table.text_column("arch");
    let name = table.text_column("best variant");
    let rate = table.predicted_column("rate", "bytes/cycle", 2);
    let cycles = table.predicted_column("per call", "cycles", 1);
    let interval = table.text_column("90 %");
    let aligned = table.text_column("alignments");
    for record in best {
        let row = table.row();
        table.set(row, cpu, record.cpu.as_str()).set(row, arch, record.common.arch.as_str());
        table.set(row, name, record.common.variant.as_str()).set(row, cycles, Predicted(record.cycles));
        coverage::mark(&mut table, row, cycles, record.coverage_percent);
        if let Some(bytes_per_cycle) = record.bytes_per_cycle {
            table.set(row, rate, Predicted(bytes_per_cycle));
        }
        table.set(row, interval, winners::interval_text(record.interval_cycles));
        table.set(row, aligned, winners::alignment_text(record));
    }
    table
}

fn measure_here(context: &Context) -> Result<()> {
    let Some(native) = host::native_arch() else {
        context.progress("this machine is none of the architectures that Assay knows: nothing is measured");
        return Ok(());
    };
    let judge = Judge::new(context, CompilerKind::Clang);
    let variants: Vec<_> = csum(vec![native])
        .competitors(context)?
        .into_iter()
        .filter(|variant| variant.keys.peer.is_none())
        .collect();
    let cases: Vec<Case> = MEASURED.iter().map(|case| case.parse()).collect::<Result<_>>()?;
    let effort = Effort { processes_count: 12, samples_count: 100 };
    let mut measured = measure(context, &judge, &variants, &cases, effort)?;
    // Largest size first, as published; of each size the fastest variants, the dispatcher and the thread's own form.
    measured.sort_by(|a, b| {
        b.case.size_bytes().cmp(&a.case.size_bytes()).then(a.record.median_ns.total_cmp(&b.record.median_ns))
    });
    let mut shown: Vec<Measured> = Vec::new();
    for one in measured {
        let of_case = shown.iter().filter(|known| known.case == one.case).count();
        if of_case < FASTEST_SHOWN || ["dispatch", "uint128"].contains(&one.variant.name.as_str()) {
            shown.push(one);
        }
    }
    context.tell(shown.iter().map(|one| &one.record), || {
        let mut report = Report::new("3. Measured on this machine");
        report.section("").table(verbs::measure::table(&shown));
        report
    });
    Ok(())
}
