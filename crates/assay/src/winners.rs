// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The fastest predicted variant of each hot path, cpu and case, and what bounds it: what `predict`, `report` and `demo`
//! say beyond the cycles.

use crate::coverage;
use crate::judge::Judge;
use crate::progress::in_order;
use crate::verbs::count::{case_text, hotpaths_of, variant_text};
use lab::case::Case;
use lab::discover::Variant;
use lab::Result;
use predict::Cpu;
use report::record::PredictionRecord;
use report::{Derived, Predicted, Table};

/// A prediction with its variant and case.
pub struct Row {
    /// The variant.
    pub variant: Variant,
    /// The case.
    pub case: Case,
    /// The prediction.
    pub record: PredictionRecord,
}

/// The indices in `rows` of the fastest variant for each hot path, cpu and case, over all architectures that the cpu runs.
pub fn fastest(rows: &[Row]) -> Vec<usize> {
    let mut best: Vec<usize> = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let key = |row: &Row| {
            (row.record.common.hotpath.clone(), row.record.cpu.clone(), row.record.common.case.clone())
        };
        match best.iter_mut().find(|known| key(&rows[**known]) == key(row)) {
            Some(known) if row.record.cycles < rows[*known].record.cycles => *known = index,
            Some(_) => {}
            None => best.push(index),
        }
    }
    best
}

/// Finds what bounds the fastest variants, and returns their indices.
pub fn deepen(judge: &Judge, cpus: &[Cpu], rows: &mut [Row]) -> Result<Vec<usize>> {
    let best = fastest(rows);
    let mut deepened = Vec::new();
    in_order(
        "finding what bounds the fastest",
        &best,
        |&index| {
            let row = &rows[index];
            let mut record = row.record.clone();
            let same = |cpu: &&Cpu| cpu.name == record.cpu && cpu.runs(row.variant.arch);
            match cpus.iter().find(same) {
                Some(cpu) => judge.deepen(&row.variant, &row.case, cpu, &mut record).map(|()| record),
                None => Ok(record),
            }
        },
        |_, result| deepened.push(result),
    );
    for (&index, record) in best.iter().zip(deepened) {
        rows[index].record = record?;
    }
    Ok(best)
}

/// `12.0..14.0` where the placement of the code matters, nothing where it does not.
pub fn alignment_text(record: &PredictionRecord) -> String {
    match record.alignment_cycles {
        Some([low, high]) if high > low * 1.001 => format!("{low:.1}..{high:.1}"),
        _ => String::new(),
    }
}

/// `98.1..140`: the 90 % interval of a prediction, to three digits, since it is not known better.
pub fn interval_text([low, high]: [f64; 2]) -> String {
    let text = |value: f64| match value {
        value if value.abs() >= 100.0 => format!("{value:.0}"),
        value if value.abs() >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    };
    format!("{}..{}", text(low), text(high))
}

/// A table of what bounds the fastest variants.
pub fn table<'a>(records: impl Iterator<Item = &'a PredictionRecord> + Clone) -> Table {
    let (title, several) = hotpaths_of(records.clone().map(|record| &record.common));
    let mut table = Table::new(
        &format!("{title}: what bounds the fastest on each cpu"),
        "predicted once more with each resource in turn free or unlimited: the one that saves most, what it saves, what \
         is left; and with each guessed number at both ends of its range: how far that moves the cycles",
    );
    let cpu = table.text_column("cpu");
    let case = table.text_column("case");
    let name = table.text_column("fastest");
    let bound = table.text_column("bound by");
    let saved = table.derived_column("saves", "%", 0);
    let left = table.predicted_column("left", "cycles", 1);
    let guesses = table.derived_column("guesses move it", "%", 0);
    for record in records {
        let row = table.row();
        table.set(row, cpu, record.cpu.as_str()).set(row, case, case_text(&record.common.case));
        table.set(row, name, variant_text(&record.common, several));
        table.set(row, bound, record.bound_by.as_deref().unwrap_or("not found out"));
        if let Some(without) = record.cycles_without {
            table.set(row, left, Predicted(without));
            coverage::mark(&mut table, row, left, record.coverage_percent);
            table.set(row, saved, Derived::from(100.0 * (1.0 - without / record.cycles)));
        }
        if let Some(percent) = record.guessed_spread_percent {
            table.set(row, guesses, Derived::from(percent));
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::interval_text;

    #[test]
    fn ends_have_three_digits_on_either_side_of_zero() {
        assert_eq!(interval_text([98.123, 140.4]), "98.1..140");
        assert_eq!(interval_text([-123.456, -98.123]), "-123..-98.1");
        assert_eq!(interval_text([-1.234, 9.876]), "-1.23..9.88");
    }
}
