// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The first part of what `validate` shows: how well figures are predicted by numbers that were fitted without their family, or
//! are documented, and how many of them lie in the predicted interval. Figures of a family from which a number was taken by hand are
//! shown, but count for nothing.

use crate::context::Context;
use crate::cpus;
use crate::fitting::{self, Unseen};
use lab::Result;
use report::record::Record;
use report::{Derived, Integer, Predicted, Published, Section, Table};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// One figure out of sample. Kind `out_of_sample`.
#[derive(Serialize)]
struct RowRecord<'a> {
    kind: &'static str,
    cpu: &'a str,
    row: &'a str,
    family: &'a str,
    published: f64,
    predicted: f64,
    error_percent: f64,
    interval: [f64; 2],
    is_inside: bool,
    is_in_sight: bool,
}

/// All figures of a cpu, or of all cpus. Kind `out_of_sample_summary`.
#[derive(Serialize)]
struct SummaryRecord {
    kind: &'static str,
    cpu: String,
    rows_count: usize,
    families_count: usize,
    mean_absolute_error_percent: f64,
    inside_percent: f64,
    half_width_percent: f64,
}

impl SummaryRecord {
    fn of(cpu: &str, rows: &[&Unseen]) -> SummaryRecord {
        let count = rows.len().max(1) as f64;
        let widths: Vec<f64> = rows.iter().map(|row| row.half_width_percent()).collect();
        let families: BTreeSet<_> = rows.iter().map(|row| (&row.cpu, &row.family)).collect();
        SummaryRecord {
            kind: "out_of_sample_summary",
            cpu: cpu.to_owned(),
            rows_count: rows.len(),
            families_count: families.len(),
            mean_absolute_error_percent: rows.iter().map(|row| row.error_percent().abs()).sum::<f64>()
                / count,
            inside_percent: 100.0 * rows.iter().filter(|row| row.is_inside()).count() as f64 / count,
            half_width_percent: stats::median(&widths).unwrap_or(0.0),
        }
    }
}

/// All figures out of sample.
pub struct OutOfSample(Vec<Unseen>);

impl OutOfSample {
    /// Predicts them.
    pub fn new(context: &Context) -> Result<OutOfSample> {
        let mut rows = Vec::new();
        for name in fitting::cpus_with_figures(context)? {
            context.progress(&format!("{name}: figures out of sample"));
            let cpu = cpus::cpus(context, std::slice::from_ref(&name))?.remove(0);
            rows.extend(fitting::unseen(context, &cpu)?);
        }
        Ok(OutOfSample(rows))
    }

    fn summaries(&self) -> Vec<SummaryRecord> {
        let mut by_cpu: BTreeMap<&str, Vec<&Unseen>> = BTreeMap::new();
        let all: Vec<&Unseen> = self.0.iter().filter(|row| !row.is_in_sight).collect();
        all.iter().for_each(|row| by_cpu.entry(&row.cpu).or_default().push(row));
        let each = by_cpu.iter().map(|(cpu, rows)| SummaryRecord::of(cpu, rows));
        each.chain([SummaryRecord::of("all", &all)]).collect()
    }

    /// Prints records.
    pub fn print(&self) {
        for row in &self.0 {
            let record = RowRecord {
                kind: "out_of_sample",
                cpu: &row.cpu,
                row: &row.title,
                family: &row.family,
                published: row.published,
                predicted: row.predicted,
                error_percent: row.error_percent(),
                interval: row.interval,
                is_inside: row.is_inside(),
                is_in_sight: row.is_in_sight,
            };
            println!("{}", record.to_line());
        }
        self.summaries().iter().for_each(|summary| println!("{}", summary.to_line()));
    }

    /// Fills a section.
    pub fn show(&self, section: &mut Section) {
        section.table(self.rows_table()).table(self.summary_table());
    }

    fn rows_table(&self) -> Table {
        let mut table = Table::new(
            "Out of sample: each figure predicted by numbers fitted without its family",
            "predicted by the model, errors in percent of the published figure; where no fit to the other families is better, by the \
             documented numbers; 90 %: the interval given, its model error found on the other families; docs/method.md",
        );
        let cpu = table.text_column("cpu");
        let title = table.text_column("row");
        let published = table.published_column("", "", 2);
        let predicted = table.predicted_column("", "", 2);
        let error = table.derived_column("error", "%", 1);
        let interval = table.text_column("90 %");
        let inside = table.text_column("inside");
        for one in &self.0 {
            let row = table.row();
            table.set(row, cpu, one.cpu.as_str()).set(row, title, one.title.as_str());
            table.set(row, published, Published(one.published)).set(row, predicted, Predicted(one.predicted));
            table.set(row, error, Derived::from(one.error_percent()));
            if one.is_in_sight {
                table.mark(
                    row,
                    predicted,
                    "a number was taken by hand from another figure of this family: in no mean below",
                );
            }
            table.set(row, interval, format!("{:.2}..{:.2}", one.interval[0], one.interval[1]));
            table.set(row, inside, if one.is_inside() { "yes" } else { "no" });
        }
        table
    }

    fn summary_table(&self) -> Table {
        let mut table =
            Table::new("Out of sample, by cpu", "means over rows; the median of half the intervals' width");
        let cpu = table.text_column("cpu");
        let rows = table.integer_column("rows", "");
        let families = table.integer_column("families", "");
        let error = table.derived_column("mean absolute error", "%", 1);
        let inside = table.derived_column("inside", "%", 0);
        let width = table.derived_column("half width", "%", 0);
        for one in self.summaries() {
            let row = table.row();
            table.set(row, cpu, one.cpu.as_str()).set(row, rows, Integer(one.rows_count as u64));
            table.set(row, families, Integer(one.families_count as u64));
            table.set(row, error, Derived::from(one.mean_absolute_error_percent));
            table.set(row, inside, Derived::from(one.inside_percent));
            table.set(row, width, Derived::from(one.half_width_percent));
        }
        table
    }
}
