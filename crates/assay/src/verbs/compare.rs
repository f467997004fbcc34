// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `compare`: which variant is better, here and elsewhere. Measured ratios carry an interval and a verdict; predicted
//! ratios stand in a table of their own.

use crate::context::{Context, Outcome};
use crate::judge::{self, Judge};
use crate::measuring::{measure, Measured};
use crate::select::{Cases, Selection};
use crate::verbs::compare_ebpf;
use crate::verbs::count::case_text;
use crate::verbs::measure::{native_arch, EffortArgs};
use crate::work::{each_case, Skips};
use lab::case::Case;
use lab::discover::Variant;
use lab::emulator::CannotRun;
use lab::{Problem, Result};
use predict::Cpu;
use report::record::{CompareRecord, PredictionRecord, Record};
use report::{Derived, Predicted, Report, Table, Text, Tone};
use stats::{Sampling, Verdict};
use std::collections::BTreeMap;

/// Options of `compare`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    cases: Cases,
    /// Compare with this variant (default: the best peer of each case, else the best plain C one)
    #[arg(long, value_name = "VARIANT")]
    against: Option<String>,
    /// Predict for these CPUs instead of measuring here (repeatable or separated by commas)
    #[arg(short, long = "cpu", value_name = "CPU", value_delimiter = ',')]
    cpus: Vec<String>,
    #[command(flatten)]
    effort: EffortArgs,
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    if args.selection.words.first().is_some_and(|word| word == "ebpf") {
        return compare_ebpf::run(context, &args.selection, &args.cases.cases, &args.cpus);
    }
    if args.cpus.is_empty() {
        measured(context, args)
    } else {
        predicted(context, args)
    }
}

fn measured(context: &Context, args: &Args) -> Result<Outcome> {
    let mut selection = args.selection.clone();
    if selection.archs.is_empty() {
        selection.archs = vec![native_arch()?];
    }
    let judge = Judge::new(context, selection.compiler()?);
    let variants = with_baseline(context, selection, args.against.as_deref())?;
    let measured = measure(context, &judge, &variants, &args.cases.cases, args.effort.effort())?;
    let mut by_case: BTreeMap<(String, Case), Vec<&Measured>> = BTreeMap::new();
    for one in &measured {
        by_case.entry((one.variant.hotpath.name.clone(), one.case.clone())).or_default().push(one);
    }
    let mut report = Report::new("Compared on this machine");
    for ((hotpath, case), group) in &by_case {
        let baseline = baseline_of(group, args.against.as_deref(), hotpath)?;
        let records = compare_group(group, baseline);
        if context.json {
            records.iter().for_each(|record| println!("{}", record.to_line()));
        } else {
            let table = measured_table(case, group, baseline, &records);
            report.section(&format!("{hotpath} {case}")).table(table);
        }
    }
    if !context.json {
        context.show(&report);
    }
    Ok(Outcome::Fine)
}

/// The selection, and the variant to compare with even if `-v` did not name it.
fn with_baseline(context: &Context, mut selection: Selection, against: Option<&str>) -> Result<Vec<Variant>> {
    if let Some(name) = against.filter(|_| !selection.variants.is_empty()) {
        if !selection.variants.iter().any(|variant| variant == name) {
            selection.variants.push(name.to_owned());
        }
    }
    selection.variants(context)
}

fn is_plain_c(variant: &Variant) -> bool {
    variant.source.parent().is_some_and(|folder| folder.ends_with("generic"))
}

fn baseline_of<'a>(
    group: &[&'a Measured<'a>],
    against: Option<&str>,
    hotpath: &str,
) -> Result<&'a Measured<'a>> {
    let fastest = |eligible: &dyn Fn(&Variant) -> bool| {
        let candidates = group.iter().filter(|one| eligible(one.variant));
        candidates.min_by(|a, b| a.record.median_ns.total_cmp(&b.record.median_ns)).copied()
    };
    if let Some(name) = against {
        return fastest(&|variant| variant.name == name).ok_or_else(|| {
            Problem::new(format!("{hotpath} has no variant '{name}' that this machine can run"))
                .remedy(format!("./assay list {hotpath} shows what there is"))
        });
    }
    fastest(&|variant| variant.keys.peer.is_some())
        .or_else(|| fastest(&is_plain_c))
        .or_else(|| fastest(&|_| true))
        .ok_or_else(|| Problem::new(format!("nothing of {hotpath} was measured")))
}

fn compare_group(group: &[&Measured], baseline: &Measured) -> Vec<CompareRecord> {
    let others = group.iter().filter(|one| one.variant.name != baseline.variant.name);
    others
        .map(|one| {
            // Process i of both ran in round i.
            let result = stats::compare(&one.ns, &baseline.ns, Sampling::Rounds, 1);
            let medians = one.record.median_ns / baseline.record.median_ns;
            CompareRecord {
                common: Judge::common("compare", one.variant, &one.case, &one.record.common.compiler),
                a: one.variant.name.clone(),
                b: baseline.variant.name.clone(),
                quantity: "measured time per call".to_owned(),
                ratio: result.as_ref().map_or(medians, |comparison| comparison.ratio),
                interval: result.as_ref().ok().map(|c| [c.interval.low, c.interval.high]),
                verdict: result.as_ref().ok().map(|comparison| comparison.verdict.to_string()),
                no_verdict: result.err().map(|reason| reason.to_string()),
            }
        })
        .collect()
}

fn measured_table(case: &Case, group: &[&Measured], baseline: &Measured, records: &[CompareRecord]) -> Table {
    let title = format!("{case}: time of each variant over that of {}", baseline.variant.name);
    let mut table = Table::new(
        &title,
        "measured interleaved; ratio of medians with its 95 % interval by resampling rounds; below 1 is faster",
    );
    let name = table.text_column("variant");
    let time = table.measured_column("per call", "ns", 2);
    let rate = table.measured_column("rate", "bytes/cycle", 1);
    let ratio = table.derived_column("ratio of times", "", 3);
    let verdict = table.text_column("verdict");
    let mut sorted = group.to_vec();
    sorted.sort_by(|a, b| a.record.median_ns.total_cmp(&b.record.median_ns));
    for one in sorted {
        let row = table.row();
        let peer = if one.variant.keys.peer.is_some() { " (peer)" } else { "" };
        table.set(row, name, format!("{}{peer}", one.variant.name));
        table.set(row, time, report::Measured { median: one.record.median_ns, interval: None });
        if let Some(median) = one.record.bytes_per_cycle {
            table.set(row, rate, report::Measured { median, interval: None });
        }
        let Some(record) = records.iter().find(|record| record.a == one.variant.name) else {
            table.set(row, verdict, "compared with");
            continue;
        };
        table.set(row, ratio, Derived { value: record.ratio, interval: record.interval });
        table.set(row, verdict, verdict_text(record));
    }
    table
}

fn verdict_text(record: &CompareRecord) -> Text {
    let tone = match record.verdict.as_deref() {
        Some(text) if text == Verdict::Faster.to_string() => Tone::Good,
        Some(text) if text == Verdict::Slower.to_string() => Tone::Bad,
        _ => Tone::Plain,
    };
    let text =
        record.verdict.clone().or_else(|| record.no_verdict.as_ref().map(|why| format!("none: {why}")));
    Text { text: text.unwrap_or_default(), tone }
}

fn predicted(context: &Context, args: &Args) -> Result<Outcome> {
    let judge = Judge::new(context, args.selection.compiler()?);
    let cpus = judge::cpus(context, &args.cpus)?;
    let mut selection = args.selection.clone();
    if selection.archs.is_empty() {
        selection.archs =
            arch::Arch::ALL.into_iter().filter(|arch| cpus.iter().any(|cpu| cpu.runs(*arch))).collect();
    }
    let variants = with_baseline(context, selection, args.against.as_deref())?;
    let mut skips = Skips::default();
    let mut groups: BTreeMap<Group, Vec<(Variant, PredictionRecord)>> = BTreeMap::new();
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
                let common = &record.common;
                let key = (
                    common.hotpath.clone(),
                    common.arch.clone(),
                    record.cpu.clone(),
                    case_text(&common.case),
                );
                groups.entry(key).or_default().push((variant.clone(), record));
            }
        },
    );
    let mut report = Report::new("Compared by prediction");
    for ((hotpath, arch, cpu, case), group) in &groups {
        let baseline = predicted_baseline(group, args.against.as_deref(), hotpath)?;
        let records = compare_predicted(group, baseline);
        if context.json {
            records.iter().for_each(|record| println!("{}", record.to_line()));
        } else {
            let table = predicted_table(&format!("{cpu}, {arch}, {case}"), group, baseline, &records);
            report.section(&format!("{hotpath} on {cpu}, {case}")).table(table);
        }
    }
    if !context.json {
        context.show(&report);
    }
    skips.outcome()
}

/// Hot path, architecture, cpu and case: what predictions have to share to be compared.
type Group = (String, String, String, String);

type Predictions = [(Variant, PredictionRecord)];

fn predicted_baseline<'a>(
    group: &'a Predictions,
    against: Option<&str>,
    hotpath: &str,
) -> Result<&'a PredictionRecord> {
    let fastest = |eligible: &dyn Fn(&Variant) -> bool| {
        let candidates = group.iter().filter(|(variant, _)| eligible(variant));
        candidates.map(|(_, record)| record).min_by(|a, b| a.cycles.total_cmp(&b.cycles))
    };
    if let Some(name) = against {
        return fastest(&|variant| variant.name == name).ok_or_else(|| {
            Problem::new(format!("{hotpath} has no prediction of a variant '{name}' to compare with"))
        });
    }
    fastest(&is_plain_c)
        .or_else(|| fastest(&|_| true))
        .ok_or_else(|| Problem::new(format!("nothing of {hotpath} was predicted")))
}

fn compare_predicted(group: &Predictions, baseline: &PredictionRecord) -> Vec<CompareRecord> {
    let others = group.iter().filter(|(variant, _)| variant.name != baseline.common.variant);
    others
        .map(|(variant, record)| {
            let mut common = record.common.clone();
            common.kind = "compare".to_owned();
            CompareRecord {
                common,
                a: variant.name.clone(),
                b: baseline.common.variant.clone(),
                quantity: format!("predicted cycles per call on {}", record.cpu),
                ratio: record.cycles / baseline.cycles,
                interval: None,
                verdict: None,
                no_verdict: Some("a prediction has no interval".to_owned()),
            }
        })
        .collect()
}

fn predicted_table(
    title: &str,
    group: &Predictions,
    baseline: &PredictionRecord,
    records: &[CompareRecord],
) -> Table {
    let mut table = Table::new(
        &format!("{title}: cycles of each variant over those of {}", baseline.common.variant),
        "predicted from traces and the cpu's description, not measured; below 1 is faster",
    );
    let name = table.text_column("variant");
    let cycles = table.predicted_column("per call", "cycles", 1);
    let rate = table.predicted_column("rate", "bytes/cycle", 2);
    let ratio = table.derived_column("ratio of cycles", "", 3);
    let mut sorted: Vec<&PredictionRecord> = group.iter().map(|(_, record)| record).collect();
    sorted.sort_by(|a, b| a.cycles.total_cmp(&b.cycles));
    for one in sorted {
        let row = table.row();
        table.set(row, name, one.common.variant.as_str()).set(row, cycles, Predicted(one.cycles));
        if let Some(bytes_per_cycle) = one.bytes_per_cycle {
            table.set(row, rate, Predicted(bytes_per_cycle));
        }
        if let Some(record) = records.iter().find(|record| record.a == one.common.variant) {
            table.set(row, ratio, Derived::from(record.ratio));
        }
    }
    table
}
