// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `cpu` and `explain` as users run them: lists, differences, timelines, pages, and wrong arguments.

mod common;

use common::{root, Lab};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

const EXPLAIN: &str = "explain csum_partial/uint64 -a powerpc64 -c power8 --case size=40";

#[test]
fn cpus_are_listed_described_and_compared() {
    let lab = Lab::shared();
    lab.line("cpu").ends(0, &["power8", "la464", "mpc885", "llvm:NAME"]);
    let records = lab.line("cpu --json").ends(0, &[]).records("cpu");
    let power8 = records.iter().find(|record| record["cpu"] == "power8").unwrap();
    assert!(power8["clock_mhz"].is_number() && power8["runs"].as_array().unwrap().len() == 3, "{power8}");
    lab.line("cpu power8 --diff power9").ends(0, &["window.entries", "power9"]);
    lab.line("cpu power8 --diff la464").ends(0, &["arch", "loongarch64"]);
    lab.line("cpu power8 --diff power8").ends(0, &["power8 and power8 do not differ"]);
    lab.line("cpu power8 --diff power8 --json").ends(0, &[]);
    lab.line("cpu power7").ends(0, &["moves with class.alu.latency.value; as class.alu"]);
}

#[test]
fn a_cpu_is_printed_whole_and_predicts_the_same() {
    let lab = Lab::shared();
    let whole = lab.line("cpu power10 --effective").ends(0, &["[class.load_vector]", "[unit.LS]"]);
    assert!(!whole.stdout.contains("inherits ="), "{}", whole.stdout);
    let file = lab.write("p10.toml", whole.stdout.as_str());
    let fitted =
        lab.line("cpu power9 --effective").ends(0, &["leave this folder out.\n[validation]\n"]).stdout;
    lab.write("p9.toml", fitted);
    lab.line("cpu ./p9.toml").ends(0, &["p9: "]);
    let cycles = |cpu: &str| {
        let words = ["predict", "csum_fold", "-a", "powerpc64le", "--json", "-c", cpu];
        let records = lab.assay(words).ends(0, &[]).records("prediction");
        records.iter().map(|one| one["cycles"].as_f64().expect("a number")).collect::<Vec<_>>()
    };
    assert_eq!(cycles("power10"), cycles(&file.display().to_string()));
    lab.line("cpu power10 --effective --json").refused(&["--effective", "--json"]);
    lab.line("cpu power10 --effective --diff power9").ends(2, &["cannot be used with"]);
}

#[test]
fn cpus_that_are_none_are_refused_with_those_that_are() {
    let lab = Lab::shared();
    for line in ["cpu power6", "cpu power8 --diff power6", "predict csum_fold -c power6"] {
        lab.line(line).refused(&["unknown cpu 'power6'", "power7"]);
    }
    lab.line("cpu --diff power8").ends(2, &["<CPU>"]);
    lab.line("cpu llvm:nothing").refused(&["'nothing'"]);
}

#[test]
fn a_timeline_is_shown_and_written_as_a_page_that_needs_nothing_else() {
    let lab = Lab::shared();
    let line = format!("{EXPLAIN} --html page.html --count 12 --bounds");
    lab.line(&line).ends(0, &["What bounds it", "places of the code", "Timeline", "wrote page.html"]);
    // The numbers and the results of a single prediction come first.
    let told = lab.line(&line).ends(0, &["Pipes in an iteration"]).stdout;
    let at = |part: &str| told.find(part).unwrap_or_else(|| panic!("no '{part}' in {told}"));
    assert!(at("cycles per call in steady state") < at("The hot loop"), "{told}");
    assert!(at("The hot loop") < at("Timeline") && at("Timeline") < at("What bounds it"), "{told}");
    let page = fs::read_to_string(lab.folder.join("page.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"), "{page}");
    assert!(!page.contains("http") && !page.contains("<script src"), "{page}");
    assert!(page.contains("Timeline of 12 instructions, predicted"), "{page}");
    for part in ["What bounds it", "The hot loop", "an iteration", ", predicted</title>"] {
        assert!(page.contains(part), "'{part}' is missing in {page}");
    }
}

#[test]
fn what_takes_long_is_left_to_who_asks_for_it() {
    let lab = Lab::shared();
    // --bounds would make some sixty predictions of half a second each.
    let line = "explain csum_partial/reference -a powerpc64le -c power9 --case size=65536 --count 8";
    let told = lab.line(line).ends(0, &["cycles per call in steady state", "--bounds adds what bounds it"]);
    assert!(!told.stdout.contains("What bounds it"), "{told:#?}");
}

#[test]
fn what_explain_cannot_do_is_refused() {
    let lab = Lab::shared();
    lab.line(&format!("{EXPLAIN} --html no/folder/page.html")).refused(&["no/folder/page.html"]);
    lab.line(&format!("{EXPLAIN} --case size=250")).refused(&["explain takes one case"]);
    lab.line(&format!("{EXPLAIN} --from 99999999"))
        .refused(&["--from 99999999", "instructions of the trace"]);
    lab.line("explain missing.trace -c power8").refused(&["missing.trace", "no such trace"]);
    lab.line("explain csum_partial -c power8").refused(&["HOTPATH/VARIANT"]);
    lab.line("explain csum_partial/vsx -a powerpc64 -c power7").refused(&["power7", "vsx"]);
    lab.line("explain csum_partial/uint64 -c power8 -a loongarch64").refused(&["power8"]);
}

#[test]
fn cycles_in_steady_state_and_those_of_the_whole_run_are_told_apart() {
    let lab = Lab::shared();
    let told = lab.line(&format!("{EXPLAIN} --count 4")).ends(0, &[]).stdout;
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    let (steady, rest) =
        told.split_once(" cycles per call in steady state. Over ").expect("the steady state");
    let (calls, rest) = rest.split_once(" calls, cold ones included: ").expect("the calls of the run");
    let (cycles, rest) = rest.split_once(" cycles, ").expect("the cycles of the run");
    assert!(rest.contains(" instructions a cycle. Of these cycles it waits for: "), "{told}");
    let number = |text: &str| text.rsplit(' ').next().unwrap().parse::<f64>().unwrap();
    // The first calls find caches and predictors cold.
    assert!(number(cycles) > number(steady) * number(calls), "{told}");
    lab.line("trace -o whole.trace --limit 20000 -- true").ends(0, &[]);
    let line = format!("explain whole.trace -c {} --count 4", common::native_cpu());
    let told = lab.line(&line).ends(0, &["instructions a cycle", "Of these cycles"]).stdout;
    assert!(!told.contains("per call in steady state"), "a whole program has no calls: {told}");
}

#[test]
fn a_timeline_begins_at_the_instruction_that_was_named() {
    let lab = Lab::shared();
    let places = |from: usize, count: usize| -> Vec<String> {
        let line = format!("{EXPLAIN} --from {from} --count {count}");
        let told = lab.line(&line).ends(0, &["cycles from"]).stdout;
        let lines = told.split("cycles from").nth(1).unwrap().lines().skip(1).take(count);
        lines.map(|line| line.trim_start_matches([' ', '{']).split(' ').next().unwrap().to_owned()).collect()
    };
    let all = places(100, 12);
    assert!(all.iter().any(|place| place.starts_with("csum_partial+0x")), "{all:?}");
    for later in 1..8 {
        assert_eq!(places(100 + later, 3), all[later..later + 3], "{all:?}");
    }
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    let lab = Lab::shared();
    for line in ["cpu power8", "cpu power8 --diff power9", EXPLAIN] {
        // By the time that it prints, the reader has closed the pipe.
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 0.3; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_assay")]);
        command.args(line.split_whitespace()).current_dir(&lab.folder).env("ASSAY_ROOT", root());
        command.env("ASSAY_CACHE", &lab.cache).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.signal(), Some(13), "{line}: {:?} {told}", output.status);
        assert!(!told.contains("panicked"), "{told}");
    }
}

#[test]
fn explain_takes_files_of_ones_own_and_one_variant_at_a_time() {
    let lab = Lab::shared();
    lab.write("mine.c", common::GOOD);
    let line = "explain csum_partial mine.c -a powerpc64le -c power8 --case size=250 --count 8";
    lab.line(line).ends(0, &["csum_partial/mine", "The hot loop", "cycles an iteration"]);
    let line = "explain csum_partial -v uint64,adde -a powerpc64le -c power8";
    lab.line(line).refused(&["explain takes one variant"]);
    lab.write("tree/checksum/csum_partial/generic/other.c", common::GOOD);
    let line = "explain csum_partial/other -d tree -c power8 -a powerpc64le --case size=40 --count 4 --json";
    let records = lab.line(line).ends(0, &[]).records("explain");
    assert!(records[0]["cycles"].as_f64().unwrap() > 10.0, "{records:?}");
}

#[test]
fn a_trace_takes_no_options_of_variants_and_several_are_judged() {
    let lab = Lab::shared();
    let native = common::native();
    for name in ["a", "b"] {
        lab.line(&format!("trace -o {name}.trace --limit 20000 -- true")).ends(0, &[]);
    }
    if native == "x86_64" {
        lab.line("predict a.trace b.trace -c golden_cove")
            .ends(0, &["a.trace (x86_64)", "b.trace (x86_64)", "stopped at --limit"]);
    }
    lab.line("predict a.trace --case size=4").refused(&["has no cases"]);
    lab.line("predict a.trace csum_partial").refused(&["'csum_partial' is no trace"]);
    lab.line("explain a.trace -c power8 -v adde").refused(&["has no cases"]);
}
