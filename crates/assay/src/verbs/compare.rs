// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `compare`: which variant is faster, on this machine and on others. Measured ratios carry an interval and a verdict;
//! predicted ones are made in `compare_predicted`.

use crate::context::{Context, Outcome};
use crate::cpus;
use crate::judge::Judge;
use crate::measuring::{measure, refuse_if_none, Measured};
use crate::rivals::{is_plain_c, is_rival, refuse_if_alone, with_baseline, Lacking};
use crate::select::{is_pair, names_a_trace, only_traces, Cases, Selection};
use crate::verbs::measure::{native_arch, EffortArgs};
use crate::verbs::{compare_ebpf, compare_null, compare_predicted, compare_traces};
use lab::case::Case;
use lab::discover::Variant;
use lab::emulator::native_for;
use lab::{host, Problem, Result};
use report::record::{CompareRecord, Record};
use report::{Derived, Report, Table, Text, Tone};
use stats::{Sampling, Verdict};
use std::collections::BTreeMap;

/// Options of `compare`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    cases: Cases,
    /// Compare with this variant (default: the best peer of each case, else the best plain C one; with files or folders of
    /// your own, the best of ours)
    #[arg(long, value_name = "VARIANT")]
    against: Option<String>,
    /// Predict for these CPUs instead of measuring here (repeatable or separated by commas)
    #[arg(short, long = "cpu", value_name = "CPU", value_delimiter = ',')]
    cpus: Vec<String>,
    /// Compare each variant with itself so often, and count the verdicts, which are all false; fails if they show that more than one in twenty are
    #[arg(long, value_name = "N", conflicts_with_all = ["against", "cpus"], value_parser = crate::numbers::whole::<u64>(1..=100_000))]
    null: Option<u64>,
    #[command(flatten)]
    effort: EffortArgs,
}

/// Runs the verb.
pub fn run(context: &Context, args: &Args) -> Result<Outcome> {
    if args.selection.words.first().is_some_and(|word| word == "ebpf") {
        refuse_of_ebpf(args)?;
        return compare_ebpf::run(context, &args.selection, &args.cases.cases, &args.cpus);
    }
    if args.selection.words.first().is_some_and(|word| names_a_trace(word)) {
        return traces(context, args);
    }
    if let Some(times) = args.null {
        return compare_null::run(context, &args.selection, &args.cases, times, args.effort.effort());
    }
    let (selection, against) = with_pair(args);
    if args.cpus.is_empty() {
        measured(context, args, selection, against)
    } else {
        args.effort.refuse("with -c it is predicted, not measured")?;
        compare_predicted::run(context, selection, &args.cases, &args.cpus, against)
    }
}

/// Compares recorded programs; options that choose among variants or concern measuring are refused.
fn traces(context: &Context, args: &Args) -> Result<Outcome> {
    let words = &args.selection.words;
    only_traces(&args.selection, &args.cases)?;
    if args.null.is_some() {
        return Err(
            Problem::new("--null is for what is measured, and traces are predicted").remedy("leave it out")
        );
    }
    args.effort.refuse("traces are predicted, not measured")?;
    let cpus = cpus::cpus_for(context, &args.cpus, &args.selection.archs)?;
    compare_traces::run(context, words, &cpus, !args.cpus.is_empty(), args.against.as_deref())
}

/// Packet programs are counted and predicted, each form beside the others.
fn refuse_of_ebpf(args: &Args) -> Result<()> {
    let given = [
        ("--null", args.null.is_some()),
        ("--against", args.against.is_some()),
        ("--unchecked", args.cases.unchecked),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        Some((option, _)) => {
            Err(Problem::new(format!("{option} has no effect on eBPF programs")).remedy("leave it out"))
        }
        None => args.effort.refuse("eBPF programs are predicted, not measured"),
    }
}

/// `HOTPATH/A HOTPATH/B` means the first against the second. A word that names a file is none of these, and several variants
/// (`HOTPATH/A,B`) are no pair.
fn with_pair(args: &Args) -> (Selection, Option<&str>) {
    let mut selection = args.selection.clone();
    let against = args.against.as_deref();
    let one = |word: &&String| is_pair(word) && !word.contains(',');
    let words: Vec<_> =
        args.selection.words.iter().filter(one).filter_map(|word| word.split_once('/')).collect();
    match words[..] {
        [(hotpath, a), (same, b)] if hotpath == same && args.selection.words.len() == 2 => {
            selection.words.truncate(1);
            selection.words[0] = hotpath.to_owned();
            selection.variants.extend([a.to_owned(), b.to_owned()]);
            (selection, against.or(Some(b)))
        }
        _ => (selection, against),
    }
}

fn measured(
    context: &Context,
    args: &Args,
    mut selection: Selection,
    against: Option<&str>,
) -> Result<Outcome> {
    if selection.archs.is_empty() {
        selection.archs = vec![native_arch()?];
    }
    let judge = Judge::new(context, selection.compiler()?).unchecked(args.cases.unchecked);
    let variants = with_baseline(context, &mut selection, against)?;
    refuse_if_alone(&selection, &variants)?;
    let mut lacking = Lacking::of(against);
    let variants = comparable_here(&mut lacking, variants)?;
    judge.refuse_unknown_cases(&variants, &args.cases.cases)?;
    let rival = is_rival(&selection, &variants);
    let measured = measure(context, &judge, &variants, &args.cases.cases, args.effort.effort())?;
    refuse_if_none(context, &measured, &variants)?;
    if measured.is_empty() {
        return Ok(Outcome::Failed);
    }
    let mut by_case: BTreeMap<(String, Case), Vec<&Measured>> = BTreeMap::new();
    for one in &measured {
        by_case.entry((one.variant.hotpath.name.clone(), one.case.clone())).or_default().push(one);
    }
    let mut report = Report::new("Compared on this machine");
    for ((hotpath, case), group) in &by_case {
        let rival = rival.as_ref().map(|rival| rival as &dyn Fn(&Variant) -> bool);
        let Some(baseline) = baseline_of(group, against, rival) else {
            lacking.skip(group[0].variant, &case.to_string(), FAILED);
            continue;
        };
        lacking.compared();
        let records = compare_group(group, baseline);
        if context.json {
            records.iter().for_each(|record| println!("{}", record.to_line()));
        } else {
            let table = measured_table(case, group, baseline, &records);
            report.section(&format!("{hotpath} {case}")).table(table);
        }
    }
    if !context.json && lacking.any_compared() {
        context.show(&report);
    }
    if context.failed_in_passing() && !lacking.any_compared() {
        return Ok(Outcome::Failed);
    }
    lacking.outcome()?;
    Ok(Outcome::Fine)
}

/// Why a group lacks a variant that could be judged there.
pub const FAILED: &str = "it failed or was skipped";

/// Leaves out the hot paths for which this machine cannot run the variant to compare with, before anything is measured.
fn comparable_here(lacking: &mut Lacking, variants: Vec<Variant>) -> Result<Vec<Variant>> {
    // What is of another architecture is told when it is left out of the measurement.
    let (ours, mut others): (Vec<_>, Vec<_>) =
        variants.into_iter().partition(|variant| host::native_arch() == Some(variant.arch));
    if ours.is_empty() {
        return Ok(others);
    }
    let mut kept = lacking.comparable(ours, |variant| native_for(variant).err().map(|reason| reason.0))?;
    kept.append(&mut others);
    Ok(kept)
}

/// The baseline of a group, by which the others are divided; `None` if the group lacks the one that the user named.
pub fn baseline_of<'a>(
    group: &[&'a Measured<'a>],
    against: Option<&str>,
    rival: Option<&dyn Fn(&Variant) -> bool>,
) -> Option<&'a Measured<'a>> {
    let fastest = |eligible: &dyn Fn(&Variant) -> bool| {
        let candidates = group.iter().filter(|one| eligible(one.variant));
        candidates.min_by(|a, b| a.record.median_ns.total_cmp(&b.record.median_ns)).copied()
    };
    if let Some(name) = against {
        return fastest(&|variant| variant.name == name);
    }
    rival
        .and_then(|rival| fastest(&rival))
        .or_else(|| fastest(&|variant| variant.keys.peer.is_some()))
        .or_else(|| fastest(&is_plain_c))
        .or_else(|| fastest(&|_| true))
}

/// Each of a group against the baseline.
pub fn compare_group(group: &[&Measured], baseline: &Measured) -> Vec<CompareRecord> {
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
                cpu: None,
                cycles: one.record.median_cycles.zip(baseline.record.median_cycles).map(|(a, b)| [a, b]),
                time_ns: Some([one.record.median_ns, baseline.record.median_ns]),
                coverage_percent: None,
                rests_on: None,
            }
        })
        .collect()
}

fn measured_table(case: &Case, group: &[&Measured], baseline: &Measured, records: &[CompareRecord]) -> Table {
    let title = format!("{case}: time of each variant over that of {}", baseline.variant.name);
    let mut table = Table::new(
        &title,
        "measured interleaved; ratio of medians with its 95 % interval by resampling rounds; below 1 is faster; a verdict also \
         wants that swapping the two within rounds by chance sets the ranks of their differences so far apart in fewer than one of \
         twenty (Wilcoxon's signed ranks)",
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

/// The verdict on measured times, or why there is none.
pub fn verdict_text(record: &CompareRecord) -> Text {
    let tone = match record.verdict.as_deref() {
        Some(text) if text == Verdict::Faster.to_string() => Tone::Good,
        Some(text) if text == Verdict::Slower.to_string() => Tone::Bad,
        _ => Tone::Plain,
    };
    let mut text = record
        .verdict
        .clone()
        .or_else(|| record.no_verdict.as_ref().map(|why| format!("none: {why}")))
        .unwrap_or_default();
    let apart = record.interval.is_some_and(|[low, high]| low > 1.0 || high < 1.0);
    if tone == Tone::Plain && record.verdict.is_some() && apart {
        text.push_str(" (swapped rounds differ as much)");
    }
    Text { text, tone }
}
