// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `compare --null N`: how often measuring finds a difference where there is none, on this machine under its present load.

use crate::context::{Context, Outcome};
use crate::judge::Judge;
use crate::progress::Progress;
use crate::select::{Cases, Selection};
use crate::verbs::count::{case_text, hotpaths_of, variant_text};
use crate::verbs::measure::native_arch;
use lab::discover::Variant;
use lab::emulator;
use lab::measure::{interleaved, Effort, Subject};
use lab::{Problem, Result};
use report::record::Common;
use report::{Count, Derived, Report, Table};
use serde::Serialize;
use stats::{Sampling, Verdict};

/// Of comparisons of equals at most one in twenty may give a verdict.
const FALSE_MAX_PERCENT: f64 = 5.0;

/// One variant on one case. Kind `compare_null`.
#[derive(Serialize)]
struct NullRecord {
    #[serde(flatten)]
    common: Common,
    comparisons: u64,
    false_verdicts: u64,
    /// Comparisons for which no interval could be formed, so without a verdict.
    without_interval: u64,
    /// Of the comparisons with a verdict; absent if none has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    false_percent: Option<f64>,
    /// The 95 % interval of that; absent with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    false_interval_percent: Option<[f64; 2]>,
}

/// Comparisons that have a verdict, and how many of these verdicts are false.
#[derive(Clone, Copy)]
struct Judged {
    count: u64,
    false_count: u64,
}

impl Judged {
    fn of(records: &[NullRecord]) -> Judged {
        let sum = |of: fn(&NullRecord) -> u64| records.iter().map(of).sum();
        Judged {
            count: sum(|record| record.comparisons - record.without_interval),
            false_count: sum(|record| record.false_verdicts),
        }
    }

    fn percent(self) -> Option<f64> {
        (self.count > 0).then(|| 100.0 * self.false_count as f64 / self.count as f64)
    }

    /// Where that percentage would lie after comparisons without end.
    fn interval_percent(self) -> Option<[f64; 2]> {
        let interval = stats::share_interval(self.false_count, self.count)?;
        Some([100.0 * interval.low, 100.0 * interval.high])
    }
}

/// Compares each variant with itself.
pub fn run(
    context: &Context,
    selection: &Selection,
    cases: &Cases,
    times: u64,
    effort: Effort,
) -> Result<Outcome> {
    let mut selection = selection.resolved(context)?;
    if selection.archs.is_empty() {
        selection.archs = vec![native_arch()?];
    }
    let judge = Judge::new(context, selection.compiler()?).unchecked(cases.unchecked);
    let variants = selection.competitors(context)?;
    judge.refuse_unknown_cases(&variants, &cases.cases)?;
    let able: Vec<&Variant> = variants.iter().filter(|one| emulator::native_for(one).is_ok()).collect();
    if able.is_empty() {
        return Err(Problem::new("nothing in this selection can run on this machine")
            .remedy("./assay list shows what each variant needs"));
    }
    let mut records = Vec::new();
    for variant in able {
        let runners = judge.placed_runners(variant)?;
        for case in variant.hotpath.select_cases(&cases.cases) {
            let subject = Subject { runners: runners.clone(), case: case.clone() };
            let mut record = NullRecord {
                common: Judge::common("compare_null", variant, &case, &runners[0].compiler),
                comparisons: times,
                false_verdicts: 0,
                without_interval: 0,
                false_percent: None,
                false_interval_percent: None,
            };
            let progress =
                Progress::of(&format!("{} {case} against itself", variant.title()), times as usize);
            for seed in 0..times {
                let both = [subject.clone(), subject.clone()];
                let mut samples = interleaved(&both, effort, seed, |_, _| {}).into_iter();
                let mut next = || samples.next().expect("there are two");
                let (a, b) = (next()?, next()?);
                let ns = |samples: &[lab::measure::ProcessSample]| -> Vec<f64> {
                    samples.iter().map(|sample| sample.ns).collect()
                };
                match stats::compare(&ns(&a), &ns(&b), Sampling::Rounds, 1) {
                    Err(_) => record.without_interval += 1,
                    Ok(found) => {
                        let is_false = matches!(found.verdict, Verdict::Faster | Verdict::Slower);
                        record.false_verdicts += u64::from(is_false);
                    }
                }
                progress.step();
            }
            records.push(with_percent(record));
        }
    }
    context.tell(records.iter(), || {
        let mut report = Report::new("Variants against themselves, on this machine");
        report.section("").table(table(&records));
        report
    });
    match failure(&records) {
        Some(told) => {
            context.tell_failure(&told);
            Ok(Outcome::Failed)
        }
        None => Ok(Outcome::Fine),
    }
}

/// A record of which all is counted.
fn with_percent(record: NullRecord) -> NullRecord {
    let judged = Judged::of(std::slice::from_ref(&record));
    let (false_percent, false_interval_percent) = (judged.percent(), judged.interval_percent());
    NullRecord { false_percent, false_interval_percent, ..record }
}

/// What is wrong with all comparisons together: the whole interval of the share is above what is allowed, so that chance does not
/// explain it. Those without an interval show nothing, and nothing shown is no success.
fn failure(records: &[NullRecord]) -> Option<String> {
    let judged = Judged::of(records);
    let Some(([low, high], percent)) = judged.interval_percent().zip(judged.percent()) else {
        let all: u64 = records.iter().map(|record| record.comparisons).sum();
        return Some(format!("none of {all} comparisons gave an interval; remedy: more --processes"));
    };
    (low > FALSE_MAX_PERCENT).then(|| {
        format!(
            "{} false verdicts in {} comparisons: {percent:.1} % (95 %: {low:.1} to {high:.1})",
            judged.false_count, judged.count
        )
    })
}

/// Says that what did not fail is not shown to be right either, where there were too few comparisons for that.
fn too_few_text(records: &[NullRecord]) -> Option<String> {
    let judged = Judged::of(records);
    let [_, high] = judged.interval_percent().filter(|[_, high]| *high > FALSE_MAX_PERCENT)?;
    Some(format!(
        "to show that at most {FALSE_MAX_PERCENT} % of verdicts are false, more comparisons are needed than {}: it may be {high:.1} %",
        judged.count
    ))
}

fn table(records: &[NullRecord]) -> Table {
    let (title, several) = hotpaths_of(records.iter().map(|record| &record.common));
    let mut table = Table::new(
        &format!("{title}: false verdicts"),
        "measured interleaved, each comparison as compare makes it, of which at most 5 in 100 should give a verdict; in brackets: the 95 % \
         interval of the share of false ones (Clopper and Pearson)",
    );
    let name = table.text_column("variant");
    let case = table.text_column("case");
    let all = table.count_column("comparisons", "");
    let wrong = table.count_column("false", "");
    let percent = table.derived_column("false", "%", 1);
    let without = table.count_column("no interval", "");
    for record in records {
        let row = table.row();
        table.set(row, name, variant_text(&record.common, several));
        table.set(row, case, case_text(&record.common.case));
        table.set(row, all, Count(record.comparisons)).set(row, wrong, Count(record.false_verdicts));
        if let Some(value) = record.false_percent {
            table.set(row, percent, Derived { value, interval: record.false_interval_percent });
        }
        table.set(row, without, Count(record.without_interval));
    }
    too_few_text(records).into_iter().for_each(|text| {
        table.note(&text);
    });
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(comparisons: u64, without_interval: u64, false_verdicts: u64) -> NullRecord {
        let common = Common {
            kind: "compare_null".to_owned(),
            hotpath: String::new(),
            variant: String::new(),
            arch: String::new(),
            case: Default::default(),
            compiler: String::new(),
            assay_version: String::new(),
        };
        with_percent(NullRecord {
            common,
            comparisons,
            false_verdicts,
            without_interval,
            false_percent: None,
            false_interval_percent: None,
        })
    }

    #[test]
    fn only_comparisons_with_an_interval_count() {
        assert_eq!(record(200, 100, 5).false_percent, Some(5.0));
        assert_eq!(record(200, 200, 0).false_percent, None);
        assert_eq!(failure(&[record(200, 100, 11), record(200, 0, 11)]), None);
        assert_eq!(failure(&[record(200, 100, 10)]), None, "chance explains ten of a hundred");
        let told = failure(&[record(200, 100, 11)]).expect("eleven of a hundred are too many");
        assert!(told.contains("11 false verdicts in 100 comparisons: 11.0 % (95 %: 5.6 to 18.8)"), "{told}");
        let told = failure(&[record(3, 3, 0)]).expect("nothing was shown");
        assert!(told.contains("none of 3"), "{told}");
    }

    #[test]
    fn rows_of_several_hot_paths_name_theirs() {
        let of = |hotpath: &str| {
            let mut one = record(72, 0, 0);
            one.common.hotpath = hotpath.to_owned();
            one.common.variant = "rev8".to_owned();
            one
        };
        let told = |records: &[NullRecord]| {
            let mut report = Report::new("");
            report.section("").table(table(records));
            report::markdown(&report)
        };
        let both = told(&[of("swap32"), of("swap64")]);
        assert!(both.contains("| swap32/rev8 ") && both.contains("| swap64/rev8 "), "{both}");
        let one = told(&[of("swap32")]);
        assert!(one.contains("swap32: false verdicts") && one.contains("| rev8 "), "{one}");
    }

    #[test]
    fn few_comparisons_are_no_proof() {
        let told = too_few_text(&[record(3, 0, 0)]).expect("three show little");
        assert!(
            told.contains("more comparisons are needed than 3:") && told.contains("it may be 70.8 %"),
            "{told}"
        );
        assert_eq!(record(3, 0, 0).false_interval_percent.map(|[low, _]| low), Some(0.0));
        assert_eq!((too_few_text(&[record(72, 0, 0)]), record(2, 2, 0).false_interval_percent), (None, None));
        assert!(
            too_few_text(&[record(71, 0, 0)]).is_some()
                && too_few_text(&[record(36, 0, 0), record(36, 0, 0)]).is_none()
        );
    }
}
