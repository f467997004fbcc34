// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The bench's report.

use super::judge::BenchRecord;
use report::{Derived, Measured, Report, Table};

/// A table for each part.
pub fn report(records: &[BenchRecord], processes: u64) -> Report {
    let mut report = Report::new("Cache log and restore, on this machine");
    for (part, title) in [
        ("slices", "A task in time slices; between two of them others read 4 MiB"),
        ("nothing-to-gain", "Where there is nothing to gain"),
        ("coroutines", "Coroutines in turn, looked ahead at"),
    ] {
        let of_part: Vec<&BenchRecord> = records.iter().filter(|record| record.part == part).collect();
        if !of_part.is_empty() {
            report.section("").table(one(&of_part, title, processes));
        }
    }
    report
}

fn one(records: &[&BenchRecord], title: &str, processes: u64) -> Table {
    let method = format!(
        "measured here, interleaved: medians of {processes} processes, in each of which every way was run in random order; \
         speed: ratio of medians with its 95 % interval; bound: never evicted (warm); for coroutines \
         the slower of computing in the first level (warm) and prefetching the same lines, nothing else (fetch), of which translate shows the search for \
         their pages, and overlap the same look-ahead where nothing is waited for; a goal is judged by the whole interval"
    );
    let mut table = Table::new(title, &method);
    let case = table.text_column("case");
    let way = table.text_column("way");
    let time = table.measured_column("step or activation", "ns", 2);
    let speed = table.derived_column("speed", "x", 3);
    let against = table.text_column("of");
    let share = table.derived_column("of the bound", "x", 3);
    let verdict = table.text_column("expected");
    let mut last = String::new();
    for record in records {
        let row = table.row();
        if record.case != last {
            table.set(row, case, record.case.as_str());
            last.clone_from(&record.case);
        }
        table.set(row, way, record.way.as_str()).set(
            row,
            time,
            Measured { median: record.median_ns, interval: record.interval_ns },
        );
        if let Some(value) = record.speed.filter(|_| record.way != record.against) {
            table.set(row, speed, derived(value)).set(row, against, record.against.as_str());
        }
        if let Some(value) = record.share_of_bound {
            table.set(row, share, derived(value));
        }
        table.set(row, verdict, record.verdict.as_str());
    }
    table
}

fn derived([value, low, high]: [f64; 3]) -> Derived {
    Derived { value, interval: Some([low, high]) }
}
