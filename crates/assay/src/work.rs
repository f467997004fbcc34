// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Processes variants and cases on all processors; those that cannot be run are counted and reported.

use crate::context::Outcome;
use crate::judge::Possible;
use crate::progress::in_order;
use lab::case::Case;
use lab::discover::Variant;
use lab::emulator::CannotRun;
use lab::problem::Blame;
use lab::{Problem, Result};
use std::collections::BTreeMap;

/// Applies `work` to every variant and case; `done` gets the results in order. `what` names the work in progress messages.
///
/// Recording and predicting a case both take time, so cases run in parallel.
pub fn each_case<R: Send>(
    what: &str,
    variants: &[Variant],
    wanted: &[Case],
    work: impl Fn(&Variant, &Case) -> Result<Possible<R>> + Sync,
    mut done: impl FnMut(&Variant, &Case, Result<Possible<R>>),
) {
    let mut items = Vec::new();
    for variant in variants {
        items.extend(variant.hotpath.select_cases(wanted).into_iter().map(|case| (variant, case)));
    }
    in_order(
        what,
        &items,
        |(variant, case)| work(variant, case),
        |index, result| done(items[index].0, &items[index].1, result),
    );
}

/// The variants that could not be run or that failed, while the others continued.
#[derive(Debug, Default)]
pub struct Skips {
    reasons: BTreeMap<String, Vec<String>>,
    judged: usize,
    failed: Vec<(String, Problem)>,
    stops: Stops,
}

impl Skips {
    /// Returns the value of a result, or notes why there is none.
    pub fn take<R>(&mut self, variant: &Variant, case: &Case, result: Result<Possible<R>>) -> Option<R> {
        let title = format!("{} on {}", variant.title(), variant.arch);
        match result {
            Ok(Ok(value)) => {
                self.judged += 1;
                Some(value)
            }
            Ok(Err(CannotRun(reason))) => {
                let titles = self.reasons.entry(reason).or_default();
                if !titles.contains(&title) {
                    titles.push(title);
                }
                None
            }
            Err(problem) if problem.blame == Blame::Surroundings => {
                self.stops.add(format!("{title}, {case}"), problem);
                None
            }
            Err(problem) => {
                // A problem that a variant has on all its cases is reported once.
                let known = self.failed.iter().any(|(other, same)| *other == title && *same == problem);
                if !known {
                    eprintln!("failed: {title}, {case}: {problem}");
                    self.failed.push((title, problem));
                }
                None
            }
        }
    }

    /// Counts what the verb has judged in another way, for example by measuring: then not all was skipped.
    pub fn judged_otherwise(&mut self, count: usize) {
        self.judged += count;
    }

    /// Reports on stderr what was skipped, and returns the verb's outcome.
    pub fn outcome(self) -> Result<Outcome> {
        for (reason, titles) in &self.reasons {
            eprintln!("skipped {}: {} ({reason})", titles.len(), titles.join(", "));
        }
        if !self.failed.is_empty() {
            eprintln!("{} failed", self.failed.len());
        }
        self.stops.outcome()?;
        let only_skips = self.judged + self.failed.len() == 0 && !self.reasons.is_empty();
        if let Some(reason) = self.reasons.into_keys().next().filter(|_| only_skips) {
            return Err(Problem::new(format!("nothing was judged, all was skipped: {reason}"))
                .remedy("choose another variant, cpu or architecture; ./assay list tells what each needs"));
        }
        Ok(if self.failed.is_empty() { Outcome::Fine } else { Outcome::Failed })
    }
}

/// Problems that kept variants from being judged through no fault of theirs. A missing program affects many of them, so
/// each problem is reported once, at the end, with the variants that it affects.
#[derive(Debug, Default)]
pub struct Stops {
    problems: Vec<(Problem, Vec<String>)>,
}

impl Stops {
    /// Notes that a variant could not be judged.
    pub fn add(&mut self, title: String, problem: Problem) {
        match self.problems.iter_mut().find(|(known, _)| *known == problem) {
            Some((_, titles)) => titles.push(title),
            None => self.problems.push((problem, vec![title])),
        }
    }

    /// Reports on stderr what could not be judged; the first problem is the verb's error.
    pub fn outcome(self) -> Result<()> {
        for (index, (problem, titles)) in self.problems.iter().enumerate() {
            if index > 0 {
                eprintln!("assay: {problem}");
            }
            eprintln!("not judged for this reason: {}", titles.join("; "));
        }
        self.problems.into_iter().next().map_or(Ok(()), |(problem, _)| Err(problem))
    }
}
