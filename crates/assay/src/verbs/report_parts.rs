// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Parts of a patch's report beside its figures: how they were made, so that a reviewer can reproduce them, and before and
//! after with the change in percent.

use crate::coverage;
use crate::measuring::Measured;
use crate::rivals::Lacking;
use crate::verbs::compare::{baseline_of, compare_group, verdict_text};
use crate::verbs::compare_predicted::{baseline, compare_record, cpu_of, why_lacking};
use crate::verbs::count::{case_text, hotpaths_of, variant_text};
use crate::version;
use crate::winners::Row;
use lab::build::Builder;
use lab::case::Case;
use lab::discover::Variant;
use lab::process::quoted;
use lab::Result;
use predict::Cpu;
use report::record::CompareRecord;
use report::{Derived, Predicted, Section, Table};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Which variants may be the baseline; `None`, if the user brought none, leaves it to the usual rule.
pub type Rival<'a> = Option<&'a (dyn Fn(&Variant) -> bool + Sync)>;

/// Command, date, version, compilers and their flags.
pub fn how(
    section: &mut Section,
    root: &Path,
    builder: &Builder,
    variants: &[Variant],
    compilers: &BTreeSet<String>,
) {
    let told = std::env::args_os().skip(1).map(|word| quoted(&word));
    let words: Vec<String> = std::iter::once("./assay".to_owned()).chain(told).collect();
    section.paragraph(&format!("Made on {} by Assay {} with:", today(), version::text()));
    section.verbatim(&folded(&words));
    if !compilers.is_empty() {
        let names: Vec<&str> = compilers.iter().map(String::as_str).collect();
        section.paragraph(&format!("Compiler: {}; its flags:", names.join(", ")));
    }
    let several = variants.iter().any(|variant| variant.hotpath.name != variants[0].hotpath.name);
    // Most variants of an architecture share their flags.
    let mut by_flags: BTreeMap<(&str, String), Vec<String>> = BTreeMap::new();
    let name = |variant: &Variant| if several { variant.title() } else { variant.name.clone() };
    for variant in variants {
        if let Ok(flags) = builder.flags(variant) {
            // The checkout lies elsewhere on the reviewer's machine.
            let flags = flags.join(" ").replace(&format!("{}/", root.display()), "");
            by_flags.entry((variant.arch.name(), flags)).or_default().push(name(variant));
        }
    }
    for ((arch, flags), names) in by_flags {
        section.paragraph(&format!("{arch} ({}): {flags}", names.join(", ")));
    }
}

/// Folds a command between its words into lines that fit a mail, with a backslash before each line break. A break inside of
/// quotes would be part of the word.
fn folded(words: &[String]) -> String {
    let mut lines = vec![String::new()];
    for word in words {
        let last = lines.last_mut().expect("never empty");
        if !last.is_empty() && last.len() + word.len() > 60 {
            last.push_str(" \\");
            lines.push(format!("    {word}"));
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines.join("\n")
}

/// The day, in UTC.
fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (year, month, day) = civil(seconds / 86_400);
    format!("{year}-{month:02}-{day:02}")
}

/// Year, month and day of a number of days after 1970-01-01.
fn civil(mut days: u64) -> (u64, u64, u64) {
    let is_leap = |year: u64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    (year, month as u64 + 1, days + 1)
}

/// Predicted cycles of the baseline and of each other variant, with the change; no table if there is only one variant.
pub fn predicted_change(
    section: &mut Section,
    rows: Vec<Row>,
    (against, rival): (Option<&str>, Rival),
    (cpus, variants): (&[Cpu], &[Variant]),
    lacking: &mut Lacking,
) -> Result<Vec<CompareRecord>> {
    let (_, several) = hotpaths_of(rows.iter().map(|row| &row.record.common));
    let mut groups: BTreeMap<_, Vec<Row>> = BTreeMap::new();
    for row in rows {
        let common = &row.record.common;
        let case = case_text(&common.case);
        let key = (common.hotpath.clone(), common.arch.clone(), row.record.cpu.clone(), case);
        groups.entry(key).or_default().push(row);
    }
    let mut table = Table::new(
        "Before and after",
        "predicted from traces and the cpus' descriptions, not measured; change: of the cycles; 90 %: that of a real core lies there",
    );
    let name = table.text_column("after");
    let old = table.text_column("before");
    let cpu_name = table.text_column("cpu");
    let case_name = table.text_column("case");
    let before = table.predicted_column("before", "cycles", 1);
    let after = table.predicted_column("after", "cycles", 1);
    let change = table.derived_column("change", "%", 1);
    let interval = table.text_column("90 %");
    let mut records = Vec::new();
    for ((_, _, _, case), rows) in &groups {
        let cpu = cpu_of(cpus, rows)?;
        let Some(first) = baseline(rows, against, rival) else {
            let why = why_lacking(cpu, variants, &rows[0].variant, against);
            lacking.skip(&rows[0].variant, &format!("{}, {case}", cpu.name), &why);
            continue;
        };
        lacking.compared();
        for other in rows.iter().filter(|row| row.variant.name != first.variant.name) {
            let record = compare_record(cpu, &other.record, &first.record);
            let row = table.row();
            table.set(row, name, variant_text(&other.record.common, several));
            table.set(row, old, first.variant.name.as_str());
            table.set(row, cpu_name, cpu.name.as_str()).set(row, case_name, case.as_str());
            table.set(row, before, Predicted(first.record.cycles));
            table.set(row, after, Predicted(other.record.cycles));
            coverage::mark(&mut table, row, before, first.record.coverage_percent);
            coverage::mark(&mut table, row, after, other.record.coverage_percent);
            table.set(row, change, Derived::from(percent(record.ratio)));
            table.set(row, interval, interval_text(&record));
            records.push(record);
        }
    }
    if !records.is_empty() {
        section.table(table);
    }
    Ok(records)
}

/// Measured times of the baseline and of each other variant, with the change.
pub fn measured_change(
    section: &mut Section,
    measured: &[Measured],
    (against, rival): (Option<&str>, Rival),
    lacking: &mut Lacking,
) -> Result<Vec<CompareRecord>> {
    let (_, several) = hotpaths_of(measured.iter().map(|one| &one.record.common));
    let mut by_case: BTreeMap<(String, Case), Vec<&Measured>> = BTreeMap::new();
    for one in measured {
        by_case.entry((one.variant.hotpath.name.clone(), one.case.clone())).or_default().push(one);
    }
    let mut table = Table::new(
        "Before and after, on this machine",
        "measured interleaved; change: of the ratio of medians; 95 %: by resampling rounds",
    );
    let name = table.text_column("after");
    let old = table.text_column("before");
    let case_name = table.text_column("case");
    let before = table.measured_column("before", "ns", 2);
    let after = table.measured_column("after", "ns", 2);
    let change = table.derived_column("change", "%", 1);
    let interval = table.text_column("95 %");
    let verdict = table.text_column("verdict");
    let mut records = Vec::new();
    for ((_, case), group) in &by_case {
        let rival = rival.map(|rival| rival as &dyn Fn(&Variant) -> bool);
        let Some(first) = baseline_of(group, against, rival) else {
            lacking.skip(group[0].variant, &format!("measured, {case}"), "it cannot run here, or failed");
            continue;
        };
        lacking.compared();
        for record in compare_group(group, first) {
            let row = table.row();
            table.set(row, name, variant_text(&record.common, several)).set(row, old, record.b.as_str());
            table.set(row, case_name, case.to_string());
            if let Some([a, b]) = record.time_ns {
                table.set(row, before, report::Measured { median: b, interval: None });
                table.set(row, after, report::Measured { median: a, interval: None });
            }
            table.set(row, change, Derived::from(percent(record.ratio)));
            table.set(row, interval, interval_text(&record));
            table.set(row, verdict, verdict_text(&record));
            records.push(record);
        }
    }
    if !records.is_empty() {
        section.table(table);
    }
    Ok(records)
}

fn percent(ratio: f64) -> f64 {
    100.0 * (ratio - 1.0)
}

fn interval_text(record: &CompareRecord) -> String {
    record
        .interval
        .map_or(String::new(), |[low, high]| format!("{:+.1}..{:+.1}", percent(low), percent(high)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_told_as_a_calendar_does() {
        for (days, told) in
            [(0, (1970, 1, 1)), (59, (1970, 3, 1)), (11_016, (2000, 2, 29)), (20_779, (2026, 11, 22))]
        {
            assert_eq!(civil(days), told, "{days}");
        }
    }

    #[test]
    fn a_long_command_is_folded_as_a_shell_reads_it() {
        let line = "./assay report csum_partial -a loongarch64 -v apart -v uint128 --case size=1472 -c la464 -f mail";
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let told = folded(&words);
        assert!(told.lines().count() == 2 && told.lines().all(|line| line.len() <= 70), "{told}");
        assert!(told.lines().next().unwrap().ends_with(" \\"), "{told}");
    }

    #[test]
    fn a_quoted_word_is_folded_as_a_whole() {
        let words = [
            "./assay",
            "report",
            "'a folder of some length/with blanks in its name and a file.c'",
            "-f",
            "mail",
        ];
        let told = folded(&words.map(str::to_owned));
        assert!(told.lines().any(|line| line.contains(words[2])), "{told}");
        assert_eq!(told.replace(" \\\n   ", ""), words.join(" "));
    }
}
