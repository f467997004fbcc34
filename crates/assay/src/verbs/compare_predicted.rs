// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `compare -c CPU`: predicted ratios with their 90 % interval and the verdict that it allows; for the pairs that matter
//! most to a user also which single guessed number, or which place of the code, would reverse the order.

use crate::context::{Context, Outcome};
use crate::coverage;
use crate::cpus;
use crate::judge::{self, failed, Judge};
use crate::progress::in_order;
use crate::rivals::{cannot_on, is_plain_c, is_rival, refuse_if_alone, with_baseline, Lacking};
use crate::select::{Cases, Selection};
use crate::verbs::compare::FAILED;
use crate::verbs::count::case_text;
use crate::winners::{self, Row};
use crate::work::{each_case, Skips};
use lab::discover::Variant;
use lab::{Problem, Result};
use predict::doubt::{ratio_interval, ModelError};
use predict::draws::Draws;
use predict::explain::{sensitivity, Sensitivity};
use predict::verdict::{turning_point, verdict, AtEnd, Faster};
use predict::Cpu;
use report::record::{CompareRecord, GuessRecord, PredictionRecord, Record, RestsOnRecord};
use report::{Derived, Predicted, Report, Table};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Hot path, architecture, cpu and case: what predictions have to share to be compared.
type Group = (String, String, String, String);

/// Predicts and compares.
pub fn run(
    context: &Context,
    mut selection: Selection,
    cases: &Cases,
    cpu_names: &[String],
    against: Option<&str>,
) -> Result<Outcome> {
    let judge = Judge::new(context, selection.compiler()?).unchecked(cases.unchecked);
    let cpus = cpus::cpus_for(context, cpu_names, &selection.archs)?;
    if selection.archs.is_empty() {
        selection.archs = cpus::archs_of(&cpus);
    }
    let variants = with_baseline(context, &mut selection, against)?;
    refuse_if_alone(&selection, &variants)?;
    let mut lacking = Lacking::of(against);
    let chosen: Vec<&Cpu> = cpus.iter().collect();
    let variants = lacking.comparable(variants, |variant| cannot_on(&chosen, variant))?;
    let variants = selection.for_cpus(variants, &cpus, true)?;
    judge.refuse_unknown_cases(&variants, &cases.cases)?;
    let rival = is_rival(&selection, &variants);
    let rival = rival.as_ref().map(|rival| rival as &(dyn Fn(&Variant) -> bool + Sync));
    let mut skips = Skips::default();
    let mut groups: BTreeMap<Group, Vec<Row>> = BTreeMap::new();
    each_case(
        "predicting",
        &variants,
        &cases.cases,
        |variant, case| judge.predict(variant, case, &cpus),
        |variant, case, result| {
            for record in skips.take(variant, case, result).unwrap_or_default() {
                let common = &record.common;
                let key = (
                    common.hotpath.clone(),
                    common.arch.clone(),
                    record.cpu.clone(),
                    case_text(&common.case),
                );
                let row = Row { variant: variant.clone(), case: case.clone(), record };
                groups.entry(key).or_default().push(row);
            }
        },
    );
    let groups: Vec<_> = groups.into_iter().collect();
    let mut compared = Vec::new();
    in_order(
        "finding what the verdicts rest on",
        &groups,
        |(_, rows)| Comparison::of(&judge, cpu_of(&cpus, rows)?, rows, (against, rival)),
        |_, result| compared.push(result),
    );
    let mut report = Report::new("Compared by prediction");
    for (((hotpath, arch, cpu, case), rows), comparison) in groups.iter().zip(compared) {
        let Some(comparison) = comparison? else {
            let why = why_lacking(cpu_of(&cpus, rows)?, &variants, &rows[0].variant, against);
            lacking.skip(&rows[0].variant, &format!("{cpu}, {case}"), &why);
            continue;
        };
        lacking.compared();
        if context.json {
            comparison.records.iter().for_each(|record| println!("{}", record.to_line()));
            continue;
        }
        let section = report.section(&format!("{hotpath} on {cpu}, {case}"));
        section.table(table(&format!("{cpu}, {arch}, {case}"), rows, &comparison));
        comparison.sentences.iter().for_each(|sentence| {
            section.paragraph(sentence);
        });
        if let Some(fastest) = &comparison.fastest {
            section.table(winners::table(std::iter::once(fastest)));
        }
    }
    if !context.json && lacking.any_compared() {
        context.show(&report);
    }
    let outcome = skips.outcome()?;
    if outcome == Outcome::Fine {
        lacking.outcome()?;
    }
    Ok(outcome)
}

/// The cpu that the predictions of a group are for.
pub fn cpu_of<'a>(cpus: &'a [Cpu], rows: &[Row]) -> Result<&'a Cpu> {
    let Row { variant, record, .. } = &rows[0];
    let same = |cpu: &&Cpu| cpu.name == record.cpu && cpu.runs(variant.arch);
    cpus.iter().find(same).ok_or_else(|| Problem::new("a prediction is of no chosen cpu"))
}

/// Why a cpu has no prediction of the variant to compare with beside that of `other`.
pub fn why_lacking(cpu: &Cpu, variants: &[Variant], other: &Variant, against: Option<&str>) -> String {
    let same = |one: &&Variant| {
        Some(one.name.as_str()) == against && one.arch == other.arch && one.hotpath.name == other.hotpath.name
    };
    let cannot = variants.iter().find(same).and_then(|named| cannot_on(&[cpu], named));
    cannot.unwrap_or_else(|| FAILED.to_owned())
}

/// The variants of one group, compared.
struct Comparison {
    /// The variant that the others are divided by.
    baseline: String,
    records: Vec<CompareRecord>,
    /// Each verdict in words.
    sentences: Vec<String>,
    /// The fastest, with what bounds it.
    fastest: Option<PredictionRecord>,
}

impl Comparison {
    /// `None` if the group lacks the variant to compare with.
    fn of(
        judge: &Judge,
        cpu: &Cpu,
        rows: &[Row],
        (against, rival): (Option<&str>, Option<&(dyn Fn(&Variant) -> bool + Sync)>),
    ) -> Result<Option<Comparison>> {
        let Some(baseline) = baseline(rows, against, rival) else { return Ok(None) };
        let mut pairs = pairs(rows, baseline, against.is_some());
        // The user's own variants are judged wherever they rank.
        let is_own = |row: &&Row| rival.is_some_and(|rival| !rival(&row.variant) && !row.variant.reference);
        for own in rows.iter().filter(is_own) {
            if !pairs.iter().any(|(a, _)| a.variant.name == own.variant.name) {
                pairs.push((own, baseline));
            }
        }
        let mut found = Comparison {
            baseline: baseline.variant.name.clone(),
            records: Vec::new(),
            sentences: Vec::new(),
            fastest: None,
        };
        let mut subjects: BTreeMap<&str, Subject> = BTreeMap::new();
        for (a, b) in &pairs {
            for row in [a, b] {
                if !subjects.contains_key(row.variant.name.as_str()) {
                    subjects.insert(&row.variant.name, Subject::of(judge, cpu, row)?);
                }
            }
            let (first, second) = (&subjects[a.variant.name.as_str()], &subjects[b.variant.name.as_str()]);
            let record = judged(cpu, (a, first), (b, second))?;
            found.sentences.push(sentence(&record, &a.record, &b.record));
            found.records.push(record);
        }
        let is_judged =
            |row: &Row| found.records.iter().any(|r| r.a == row.variant.name && r.b == found.baseline);
        let others = rows.iter().filter(|row| row.variant.name != found.baseline && !is_judged(row));
        let unjudged: Vec<CompareRecord> =
            others.map(|row| compare_record(cpu, &row.record, &baseline.record)).collect();
        found.records.extend(unjudged);
        if let Some(fastest) = sorted(rows).first() {
            let mut record = fastest.record.clone();
            judge.deepen(&fastest.variant, &fastest.case, cpu, &mut record)?;
            found.fastest = Some(record);
        }
        Ok(Some(found))
    }
}

fn sorted(rows: &[Row]) -> Vec<&Row> {
    let mut sorted: Vec<&Row> = rows.iter().collect();
    sorted.sort_by(|a, b| a.record.cycles.total_cmp(&b.record.cycles));
    sorted
}

/// The baseline of a group, by which the others are divided; `None` if the group lacks the one that the user named.
pub fn baseline<'a>(
    rows: &'a [Row],
    against: Option<&str>,
    rival: Option<&(dyn Fn(&Variant) -> bool + Sync)>,
) -> Option<&'a Row> {
    let sorted = sorted(rows);
    let fastest = |eligible: &dyn Fn(&Row) -> bool| sorted.iter().find(|row| eligible(row)).copied();
    if let Some(name) = against {
        return fastest(&|row| row.variant.name == name);
    }
    rival
        .and_then(|rival| fastest(&|row| rival(&row.variant)))
        .or_else(|| fastest(&|row| row.variant.keys.peer.is_some()))
        .or_else(|| fastest(&|row| is_plain_c(&row.variant)))
        .or_else(|| fastest(&|_| true))
}

/// The pairs that get a full verdict: the fastest against a named baseline; without one, the fastest against the second and
/// against the baseline.
fn pairs<'a>(rows: &'a [Row], baseline: &'a Row, named: bool) -> Vec<(&'a Row, &'a Row)> {
    let sorted = sorted(rows);
    let is_baseline = |row: &Row| row.variant.name == baseline.variant.name;
    if named {
        return sorted.iter().find(|row| !is_baseline(row)).map(|row| (*row, baseline)).into_iter().collect();
    }
    let [first, second, ..] = sorted[..] else { return Vec::new() };
    let mut pairs = vec![(first, second)];
    if !is_baseline(first) && !is_baseline(second) {
        pairs.push((first, baseline));
    }
    pairs
}

/// A variant with what its verdicts need.
struct Subject {
    trace: PathBuf,
    guesses: Sensitivity,
}

impl Subject {
    fn of(judge: &Judge, cpu: &Cpu, row: &Row) -> Result<Subject> {
        let trace =
            judge.loop_trace(&row.variant, &row.case, cpu)?.map_err(|reason| Problem::new(reason.0))?;
        let guesses = sensitivity(&mut judge::opener(&trace), cpu, &judge::options()).map_err(failed)?;
        Ok(Subject { trace, guesses })
    }
}

/// A pair with the interval of its ratio and the verdict that it allows.
pub fn compare_record(cpu: &Cpu, a: &PredictionRecord, b: &PredictionRecord) -> CompareRecord {
    let mut common = a.common.clone();
    common.kind = "compare".to_owned();
    let draws = Draws(a.draws.clone()).over(&Draws(b.draws.clone()));
    let [of_a, of_b] =
        [a, b].map(|one| one.placed_cycles.iter().map(|(_, cycles)| *cycles).collect::<Vec<f64>>());
    let places = [&of_a[..], &of_b[..]];
    let interval =
        ratio_interval(ModelError::of(cpu), a.cycles / b.cycles, &draws, places, [a.cycles, b.cycles]);
    let unknown =
        coverage::no_verdict(cpu, [a, b].map(|one| (&one.common.variant[..], one.coverage_percent)));
    let verdict = match interval {
        _ if unknown.is_some() => None,
        [_, high] if high < 1.0 => Some("faster"),
        [low, _] if low > 1.0 => Some("slower"),
        _ => Some("no difference shown"),
    };
    CompareRecord {
        common,
        a: a.common.variant.clone(),
        b: b.common.variant.clone(),
        quantity: format!("predicted cycles per call on {}", a.cpu),
        ratio: a.cycles / b.cycles,
        interval: Some(interval),
        verdict: verdict.map(str::to_owned),
        no_verdict: unknown,
        cpu: Some(a.cpu.clone()),
        cycles: Some([a.cycles, b.cycles]),
        time_ns: None,
        coverage_percent: Some([a.coverage_percent, b.coverage_percent]),
        rests_on: None,
    }
}

/// A pair with its verdict and what the verdict rests on.
fn judged(cpu: &Cpu, (a, first): (&Row, &Subject), (b, second): (&Row, &Subject)) -> Result<CompareRecord> {
    let found = verdict(&first.guesses, &second.guesses);
    let mut turned_by = Vec::new();
    for at in &found.turned_by {
        let (mut one, mut other) = (judge::opener(&first.trace), judge::opener(&second.trace));
        let turns_at = turning_point(&mut one, &mut other, cpu, &judge::options(), at).map_err(failed)?;
        turned_by.push(guess_record(at, Some(turns_at)));
    }
    let places = |row: &Row| row.record.alignment_cycles.unwrap_or([row.record.cycles; 2]);
    let (of_a, of_b) = (places(a), places(b));
    let extremes = [Faster::of(of_a[1], of_b[0]), Faster::of(of_a[0], of_b[1])];
    Ok(CompareRecord {
        rests_on: Some(RestsOnRecord {
            survives_guesses: found.survives(),
            turned_by,
            nearest: found.nearest.as_ref().map(|at| guess_record(at, None)),
            survives_alignments: extremes.iter().all(|faster| *faster == found.faster()),
            a_alignment_cycles: of_a,
            b_alignment_cycles: of_b,
        }),
        ..compare_record(cpu, &a.record, &b.record)
    })
}

fn guess_record(at: &AtEnd, turns_at: Option<f64>) -> GuessRecord {
    GuessRecord {
        key: at.key.clone(),
        guess: at.guess,
        range: at.range.into(),
        turns_at,
        end: at.end,
        a_cycles: at.cycles.0,
        b_cycles: at.cycles.1,
    }
}

/// Says whether the interval of the ratio excludes 1, or why that says nothing.
fn shown_text(record: &CompareRecord, swapped: bool) -> String {
    let Some([low, high]) = record.interval else { return String::new() };
    let [low, high] = if swapped { [1.0 / high, 1.0 / low] } else { [low, high] };
    if let Some(why) = &record.no_verdict {
        return format!(
            " No verdict: {why}. From what it does know the ratio of cycles lies between {low:.2} and {high:.2} (90 %)."
        );
    }
    let verdict = if high < 1.0 { "Faster on every plausible core" } else { "Not shown" };
    let decides = if high < 1.0 {
        String::new()
    } else {
        format!(
            "; a measurement on a {} would decide",
            record.quantity.rsplit(' ').next().unwrap_or_default()
        )
    };
    format!(" {verdict}: the ratio of cycles lies between {low:.2} and {high:.2} (90 %){decides}.")
}

/// A verdict in words: who beats whom, and whether that holds for all values of what is only guessed.
fn sentence(record: &CompareRecord, a: &PredictionRecord, b: &PredictionRecord) -> String {
    let faster = Faster::of(a.cycles, b.cycles);
    let (winner, loser) = if faster == Faster::Second { (b, a) } else { (a, b) };
    let names = (&winner.common.variant, &loser.common.variant);
    let mut text = match faster {
        Faster::Neither => {
            format!("{} and {} take the same {:.1} cycles on {}.", names.0, names.1, a.cycles, a.cpu)
        }
        _ => format!(
            "{} beats {} on {} by {:.2}x ({:.1} against {:.1} cycles).",
            names.0,
            names.1,
            a.cpu,
            loser.cycles / winner.cycles,
            winner.cycles,
            loser.cycles
        ),
    };
    text += &shown_text(record, faster == Faster::Second);
    let Some(rests_on) = &record.rests_on else { return text };
    if rests_on.survives_guesses {
        text += " This survives every guessed number within its range";
        if let Some(nearest) = &rests_on.nearest {
            text += &format!("; {} comes nearest to turning it ({})", nearest.key, at_end(nearest, record));
        }
        text += ".";
    }
    for guess in &rests_on.turned_by {
        text += &turned_text(guess, record, faster);
    }
    let [a_places, b_places] = [rests_on.a_alignment_cycles, rests_on.b_alignment_cycles];
    if rests_on.survives_alignments {
        text += " It holds wherever either stands in a fetch block.";
    } else {
        text += &format!(
            " It depends on where the code stands in a fetch block: {} {:.1}..{:.1}, {} {:.1}..{:.1} cycles.",
            record.a, a_places[0], a_places[1], record.b, b_places[0], b_places[1]
        );
    }
    text
}

/// `It turns round where memory.drain is 9 or less (guessed 11, range 6 to 20): at 6 vmx takes 40.0, vsx 38.0 cycles.`
fn turned_text(guess: &GuessRecord, record: &CompareRecord, faster: Faster) -> String {
    let what = match (faster, Faster::of(guess.a_cycles, guess.b_cycles)) {
        (Faster::Neither, _) => "They differ",
        (_, Faster::Neither) => "The lead is lost",
        _ => "It turns round",
    };
    let side = if guess.end < guess.guess { "less" } else { "more" };
    format!(
        " {what} where {} is {} or {side} ({}).",
        guess.key,
        guess.turns_at.unwrap_or(guess.end),
        at_end(guess, record)
    )
}

fn at_end(guess: &GuessRecord, record: &CompareRecord) -> String {
    format!(
        "guessed {}, range {} to {}; at {} {} takes {:.1}, {} {:.1} cycles",
        guess.guess,
        guess.range[0],
        guess.range[1],
        guess.end,
        record.a,
        guess.a_cycles,
        record.b,
        guess.b_cycles
    )
}

fn table(title: &str, rows: &[Row], comparison: &Comparison) -> Table {
    let mut table = Table::new(
        &format!("{title}: cycles of each variant over those of {}", comparison.baseline),
        "predicted from traces and the cpu's description, not measured; below 1 is faster; 90 %: intervals for a real core; alignments: fewest and most \
         cycles over the places of the code in a fetch block, where they differ",
    );
    let name = table.text_column("variant");
    let cycles = table.predicted_column("per call", "cycles", 1);
    let interval = table.text_column("90 %");
    let aligned = table.text_column("alignments");
    let rate = table.predicted_column("rate", "bytes/cycle", 2);
    let ratio = table.derived_column("ratio of cycles", "", 3);
    let ratio_interval = table.text_column("90 %");
    for one in sorted(rows) {
        let row = table.row();
        let record = &one.record;
        let peer = if one.variant.keys.peer.is_some() { " (peer)" } else { "" };
        table.set(row, name, format!("{}{peer}", one.variant.name)).set(
            row,
            cycles,
            Predicted(record.cycles),
        );
        coverage::mark(&mut table, row, cycles, record.coverage_percent);
        table.set(row, interval, winners::interval_text(record.interval_cycles));
        table.set(row, aligned, winners::alignment_text(record));
        if let Some(bytes_per_cycle) = record.bytes_per_cycle {
            table.set(row, rate, Predicted(bytes_per_cycle));
        }
        let against_baseline = |r: &&CompareRecord| r.a == one.variant.name && r.b == comparison.baseline;
        if let Some(record) = comparison.records.iter().find(against_baseline) {
            table.set(row, ratio, Derived::from(record.ratio));
            if let Some([low, high]) = record.interval {
                table.set(row, ratio_interval, format!("{low:.2}..{high:.2}"));
            }
        }
    }
    table
}
