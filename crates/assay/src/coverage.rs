// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! How much of a program a cpu's file knows. Where that is not all of it, each verb that shows predicted cycles says so beside
//! them, and none of them has a verdict.

use crate::judge;
use predict::cpu::Cpu;
use predict::Prediction;
use report::{Column, Predicted, Row, Table};

/// From here on it is all: less would be shown as 99.9 % or lower.
const ALL_PERCENT: f64 = 99.95;

/// Whether some of the instructions have no class in the cpu's file.
fn is_partial(percent: f64) -> bool {
    percent < ALL_PERCENT
}

/// Marks a predicted cell, of a variant's call, whose code the cpu's file does not know all of.
pub fn mark(table: &mut Table, row: Row, column: Column<Predicted>, percent: f64) {
    if is_partial(percent) {
        let told = format!("{percent:.1} % of its instructions have a class in the cpu's file");
        table.mark(row, column, &told);
    }
}

/// The same, where it may be nothing that is predicted.
pub fn mark_if_known(table: &mut Table, row: Row, column: Column<Predicted>, percent: Option<f64>) {
    if let Some(percent) = percent {
        mark(table, row, column, percent);
    }
}

/// How much of a whole program the cpu's file describes, and the most frequent instructions that it does not; nothing if it is
/// all of it.
pub fn text(prediction: &Prediction) -> Option<String> {
    let mut unknown: Vec<_> = prediction.fallbacks.iter().collect();
    unknown.sort_by_key(|(_, times)| std::cmp::Reverse(**times));
    let named: Vec<String> = unknown.iter().take(6).map(|(name, times)| format!("{name} {times}x")).collect();
    is_partial(prediction.coverage_percent).then(|| {
        format!(
            "{:.1} % of the instructions have a class in the cpu's file; in a default class: {}",
            prediction.coverage_percent,
            named.join(", ")
        )
    })
}

/// Why neither of two codes, each with its name, is called the faster one; nothing if the cpu's file knows all of both, or if all
/// is LLVM's, whose intervals are made for that.
pub fn no_verdict(cpu: &Cpu, sides: [(&str, f64); 2]) -> Option<String> {
    (!judge::is_only_llvms(cpu)).then(|| unknown_of(sides)).flatten()
}

fn unknown_of(sides: [(&str, f64); 2]) -> Option<String> {
    let partial = sides.into_iter().filter(|(_, percent)| is_partial(*percent));
    let unknown: Vec<String> =
        partial.map(|(name, percent)| format!("{:.1} % of the code of {name}", 100.0 - percent)).collect();
    (!unknown.is_empty()).then(|| format!("the cpu's file does not know {}", unknown.join(" and ")))
}

#[cfg(test)]
mod tests {
    use super::unknown_of;

    #[test]
    fn a_verdict_wants_all_of_both_codes_known() {
        assert_eq!(unknown_of([("a", 100.0), ("b", 99.96)]), None);
        let told = |a, b| unknown_of([("a", a), ("b", b)]).expect("not all is known");
        assert_eq!(told(41.2, 100.0), "the cpu's file does not know 58.8 % of the code of a");
        assert!(told(0.0, 99.9).ends_with("know 100.0 % of the code of a and 0.1 % of the code of b"));
    }
}
