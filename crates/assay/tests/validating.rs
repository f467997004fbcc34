// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `validate` as users run it: every routine of the corpus is built, recorded and predicted; rows are chosen by
//! pattern; a missing source is an error with a remedy. Whole routines of crates are built, timed, recorded and predicted.

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

/// Three of the routines, one of which does little but compute, one decodes, one is as its data are.
const ROUTINES: [&str; 3] = ["sha256", "inflate", "sort_unstable"];
/// Far above the model's error where the core is described; a wrong clock, another number of calls, or other code under QEMU shows in
/// all of them.
const ROUTINES_MEDIAN_PERCENT_MAX: f64 = 25.0;

/// What is timed natively and what QEMU runs compute the same, on any machine; that they take the same cycles can be judged where
/// the core is described.
#[cfg(target_arch = "x86_64")]
#[test]
fn whole_routines_compute_under_qemu_what_is_timed_and_take_about_its_cycles() {
    let lab = Lab::shared();
    let only = ROUTINES.map(|name| ["--only", name]).concat();
    let validated = |more: &[&str]| {
        let words = [&["validate", "--native", "--routines", "--json"][..], &only, more].concat();
        lab.assay(words)
    };
    let mut ran = validated(&[]);
    let described = !ran.stderr.contains("no cpu file describes this machine");
    if !described {
        ran = validated(&["--as", "zen3"]);
    }
    // What a busy machine is no reason for.
    for wrong in ["something else under QEMU", "not recorded in the calls", "QEMU does not tell"] {
        assert!(!ran.stderr.contains(wrong), "{ran:#?}");
    }
    if ran.stderr.contains("no routine could be judged") {
        println!("skipped: {}", ran.stderr.lines().last().unwrap_or_default());
        return;
    }
    let ran = ran.ends(0, &["Routines not judged: "]);
    the_sources_list_what_the_program_has(&lab);
    let lines = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).expect("lines of JSON"));
    let (rows, summaries): (Vec<Value>, Vec<Value>) = lines.partition(|record| record["kind"] == "native");
    for row in &rows {
        assert!(ROUTINES.iter().any(|name| row["row"] == *name), "{row}");
        assert_eq!((&row["category"], &row["held_out"]), (&"routine".into(), &true.into()), "{row}");
        assert!(row["measured_cycles"].as_f64().is_some_and(|cycles| cycles > 1000.0), "{row}");
    }
    let all = summaries.last().expect("the last one is of all");
    assert_eq!((&all["rows"], &all["loops_count"]), (&"all routines".into(), &rows.len().into()), "{all}");
    if !described || rows.len() < ROUTINES.len() {
        let told = ran.stderr.lines().last().unwrap_or_default();
        println!("skipped: the cycles of {} routines here, described: {described}; {told}", rows.len());
        return;
    }
    let median = all["median_absolute_error_percent"].as_f64();
    assert!(median.is_some_and(|median| median <= ROUTINES_MEDIAN_PERCENT_MAX), "{rows:#?}");
}

/// `--only` is judged by what the sources list, before the program is built.
#[cfg(target_arch = "x86_64")]
fn the_sources_list_what_the_program_has(lab: &Lab) {
    let workspace = lab::cache::Workspace { root: common::root(), cache: lab.cache.clone() };
    let mut program = std::process::Command::new(lab::routines::place(&workspace));
    let has = common::finish(program.arg("list")).ends(0, &[]).stdout;
    let listed = lab::routines::listed(&workspace).expect("the sources are there");
    let mut listed: Vec<String> =
        listed.into_iter().map(|routine| format!("{} {}", routine.name, routine.kind)).collect();
    let mut has: Vec<&str> = has.lines().collect();
    has.sort_unstable();
    listed.sort_unstable();
    assert_eq!(has, listed);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn routines_that_cannot_be_had_are_told_with_a_remedy() {
    let lab = Lab::shared();
    let routines = "validate --native --routines --as zen3";
    lab.line(&format!("{routines} --only no-such-routine")).refused(&["no routine", "--only"]);
    for option in ["--seed 2", "--loops 9", "--open-half", "--probes x"] {
        lab.line(&format!("{routines} {option}")).ends(2, &["cannot be used with"]);
    }
    lab.line("validate --routines").ends(2, &["--native"]);
    lab.line("validate --native --only sha256").refused(&["--only", "--routines"]);
    // Crates that are neither here nor to be fetched.
    let (lab, home) = (Lab::empty(), Lab::empty());
    let offline = |more: &str| {
        let mut command = lab.command();
        command.args(routines.split(' ')).args(more.split_whitespace());
        common::finish(command.env("CARGO_HOME", &home.folder).env("CARGO_NET_OFFLINE", "true"))
    };
    offline("").refused(&["the routines do not build", "network"]);
    // A word that chooses none is refused without them.
    offline("--only nosuch").refused(&["no routine", "--only", "cipher, codec, "]);
    lab.assert_tidy();
}
