// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `validate` as users run it: every routine of the corpus is built, recorded and predicted; rows are chosen by
//! pattern; a missing source is an error with a remedy.

mod common;

use common::{Lab, Ran};
use serde_json::Value;

/// The rows, without the summary that ends the output.
fn rows(ran: &Ran) -> Vec<Value> {
    let lines = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).expect("lines of JSON"));
    lines.filter(|record| record["kind"] == "validate").collect()
}

#[test]
fn every_routine_is_built_recorded_and_predicted() {
    let lab = Lab::shared();
    lab.link_gmp_source();
    let patterns =
        ["gmp", "go addVV", "go clear", "vdso", "bibo", "jiegec"].map(|pattern| ["--only", pattern]).concat();
    let ran = lab.assay(["validate", "--json"].iter().chain(&patterns)).ends(0, &[]);
    let records = rows(&ran);
    // Without loops and rows of studies; these are predicted by `study`, and their code has only one placement on cores
    // that fetch a single instruction.
    let of_corpus = |record: &&Value| record["quantity"] != "loop" && record["quantity"] != "time per call";
    let routines: Vec<_> = records.iter().filter(of_corpus).collect();
    assert!(routines.len() >= 30, "{} rows", routines.len());
    for record in routines {
        let [low, high] = [0, 1].map(|end| record["over_alignments"][end].as_f64());
        let predicted = record["predicted"].as_f64();
        assert!(predicted.is_some() && low <= predicted && predicted <= high, "{record}");
        for key in ["family", "provenance"] {
            assert!(record[key].as_str().is_some_and(|text| !text.is_empty()), "{record}");
        }
        let difference = record["quantity"] == "difference";
        assert_eq!(record["error_cycles"].is_number(), difference, "{record}");
        assert_eq!(record["error_percent"].is_number(), !difference, "{record}");
    }
}

#[test]
fn rows_are_chosen_by_pattern_and_tell_where_they_come_from() {
    let lab = Lab::shared();
    let ran = lab.line("validate --json --only CHECKSUM_64").ends(0, &[]);
    assert_eq!(rows(&ran).len(), 2, "{ran:#?}");
    lab.line("validate --only checksum_64 --provenance").ends(0, &["Provenance", "adde"]);
    lab.line("validate --only no-such-row").refused(&["'no-such-row'", "--only"]);
}

#[test]
fn a_routine_without_its_source_is_an_error_with_a_remedy() {
    let lab = Lab::empty();
    lab.line("validate --only mode1o").refused(&["gmp-routines.toml", "'mode1o'", "./setup --gmp-source"]);
    lab.assert_tidy();
}

/// Loops of a file are of no seed, number or half.
#[test]
fn probes_with_an_option_that_generates_loops_are_refused() {
    for option in ["--seed 2", "--loops 9", "--open-half"] {
        let line = format!("validate --native --probes x {option}");
        Lab::shared().line(&line).ends(2, &["cannot be used with"]);
    }
}
