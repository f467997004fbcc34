// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `cache-log` from end to end: each case of each part of the bench gives figures, whatever they are on this machine, and how the
//! tool for pages ended is told in words.

mod common;

use common::Lab;

/// Runs every case briefly: a case in which one of the ways gets nothing done must not end the bench.
#[test]
fn every_case_of_the_bench_has_figures() {
    let lab = Lab::shared();
    let ran = lab.line("cache-log bench --quick --processes 10 --json");
    // Status 1: a goal was missed, which can happen in short runs on a busy machine.
    assert!([Some(0), Some(1)].contains(&ran.status), "{ran:#?}");
    let records = ran.records("cache_log");
    for (part, cases) in [("slices", 8), ("nothing-to-gain", 3), ("coroutines", 2)] {
        let of_part: Vec<_> = records.iter().filter(|record| record["part"] == part).collect();
        let mut titles: Vec<&str> =
            of_part.iter().map(|record| record["case"].as_str().expect("a case")).collect();
        titles.dedup();
        assert_eq!(titles.len(), cases, "{part}: {titles:?}");
        assert!(
            of_part.iter().all(|record| record["median_ns"].as_f64().is_some_and(|ns| ns > 0.0)),
            "{part}"
        );
    }
}

#[test]
fn how_the_tool_for_pages_ended_is_told_in_words() {
    let ran = Lab::shared().line("cache-log pages record nothing.there list");
    ran.refused(&["nothing.there: No such file", "assay: cache-log-pages: exited with status 2", "remedy"]);
}
