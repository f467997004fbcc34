// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The thread's table, in its columns, with an interval and a verdict.

use super::record::PingpongRecord;
use super::Args;
use report::{Count, Derived, Measured, Report, Table};

/// The report of a run.
pub fn report(records: &[PingpongRecord], args: &Args, engine: &str, emulated: bool) -> Report {
    let mut report = Report::new("Context-switch ping-pong");
    let section = report.section("");
    let table = if emulated { checked(records, engine) } else { timed(records, args) };
    section.table(table);
    report
}

fn checked(records: &[PingpongRecord], engine: &str) -> Table {
    let mut table =
        Table::new("Right under QEMU", &format!("{engine}; that is no time, so there are no rates"));
    let touched = table.text_column("Touched");
    let rounds = table.count_column("rounds that were right", "");
    for record in records {
        let row = table.row();
        table.set(row, touched, record.touched.as_str());
        table.set(row, rounds, Count(record.checked_rounds.unwrap_or_default()));
    }
    table
}

fn timed(records: &[PingpongRecord], args: &Args) -> Table {
    let caption = format!(
        "Ping-pongs per second over a {} between two {}, {} s each, the first {} dropped",
        args.via,
        match args.between() {
            Ok("thread") => "threads",
            Ok("context") => "contexts of one thread",
            _ => "processes",
        },
        args.seconds,
        args.drop
    );
    let method = "measured on this machine, both sides on one processor; 95 % intervals of the median of ten stretches of \
                  seconds, so of this run: how far another run lies off, they do not say; docs/method.md";
    let compared = records.iter().any(|record| record.against.is_some());
    let mut table = Table::new(&caption, method);
    let touched = table.text_column("Touched");
    let average = table.measured_column("Average", "", 2);
    let stddev = table.derived_column("Stddev", "", 4);
    let percent = table.derived_column("% of Average", "", 4);
    let interval = table.text_column("95 %");
    let columns = compared.then(|| {
        (
            table.derived_column("Speedup", "", 2),
            table.derived_column("%Speedup", "", 4),
            table.derived_column("Speedup/Stddev", "", 3),
            table.text_column("time ratio, 95 %"),
            table.text_column("verdict"),
        )
    });
    for record in records {
        let row = table.row();
        table.set(row, touched, record.touched.as_str());
        if let Some(value) = record.average_per_s {
            table.set(row, average, Measured { median: value, interval: None });
        }
        if let (Some(value), Some(share)) = (record.stddev_per_s, record.stddev_percent) {
            table.set(row, stddev, Derived::from(value)).set(row, percent, Derived::from(share));
        }
        match (record.interval_per_s, &record.no_interval) {
            (Some([low, high]), _) => {
                table.set(row, interval, format!("{low:.0}..{high:.0}"));
            }
            (None, Some(reason)) => {
                table.set(row, interval, "none").mark(row, interval, reason);
            }
            (None, None) => {}
        }
        let (Some((speedup, share, ratio, time, verdict)), Some(against)) = (columns, &record.against) else {
            continue;
        };
        table.set(row, speedup, Derived::from(against.speedup_per_s));
        table.set(row, share, Derived::from(against.speedup_percent));
        if let Some(value) = against.speedup_over_stddev {
            table.set(row, ratio, Derived::from(value));
        }
        if let Some([low, high]) = against.time_ratio_interval {
            table.set(row, time, format!("{low:.4}..{high:.4}"));
        }
        table.set(row, verdict, against.verdict.as_str());
    }
    table
}
