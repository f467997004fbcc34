// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! "A beats B on this cpu": what `compare` says of such a claim, and whether that is true.

mod common;

use common::{checkout_with, finish, Lab};
use serde_json::Value;

/// The file of a POWER7 whose latency of a carry is guessed to be so many cycles, from 1 to 30.
fn guessing(carry: u64) -> String {
    format!(
        "# A core for tests.\ninherits = \"power7\"\n[sources]\ntest = \"made for a test\"\n[class.carry]\nparts = [\"FX\"]\n\
         domain = \"fx_long\"\nlatency.value = {{ value = 2, unit = \"cycles\", source = \"test\", kind = \"manual\" }}\nlatency.carry = \
         {{ value = {carry}, unit = \"cycles\", source = \"test\", kind = \"guess\", range = [1, 30] }}\n"
    )
}

const PAIR: &str = "compare csum_partial/adde csum_partial/apart -a powerpc64 --case size=1472 -c guessing";

fn compare(lab: &Lab, carry: u64, line: &str) -> common::Ran {
    let checkout = checkout_with(lab, "power/guessing.toml", |_| guessing(carry));
    let mut command = lab.command();
    command.env("ASSAY_ROOT", checkout).args(line.split_whitespace());
    finish(&mut command).ends(0, &[])
}

/// Whether adde takes fewer cycles with all guesses as they stand.
fn leads(record: &Value) -> bool {
    record["a"] == "adde" && record["ratio"].as_f64().unwrap() < 0.999
}

fn record(lab: &Lab, carry: u64) -> Value {
    let records = compare(lab, carry, &format!("{PAIR} --json")).records("compare");
    assert_eq!(records.len(), 1, "{records:?}");
    records[0].clone()
}

#[test]
fn a_verdict_that_a_guess_turns_names_it_and_the_value_and_so_it_is() {
    let lab = Lab::shared();
    let found = record(&lab, 2);
    assert!(leads(&found) && found["b"] == "apart", "{found}");
    // With a carry of 1 to 30 cycles no difference is shown: the interval holds 1.
    assert_eq!(found["verdict"], "no difference shown", "{found}");
    let [low, high] = [0, 1].map(|end| found["interval"][end].as_f64().unwrap());
    assert!(low < 1.0 && 1.0 < high, "{found}");
    assert_eq!(found["rests_on"]["survives_guesses"], false, "{found}");
    let turned = found["rests_on"]["turned_by"].as_array().unwrap();
    assert_eq!((turned.len(), &turned[0]["key"]), (1, &"class.carry.latency.carry".into()), "{found}");
    let turns_at = turned[0]["turns_at"].as_f64().unwrap() as u64;
    assert!((3..30).contains(&turns_at), "{found}");
    // Predictions with these values in the cpu file agree.
    assert!(leads(&record(&lab, turns_at - 1)));
    assert!(!leads(&record(&lab, turns_at)));
    let told = compare(&lab, 2, PAIR).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "adde beats apart on guessing by",
        "Not shown: the ratio of cycles lies between",
        &format!("where class.carry.latency.carry is {turns_at} or more (guessed 2, range 1 to 30; at 30 adde takes"),
    ] {
        assert!(told.contains(part), "'{part}' is missing in {told}");
    }
}

#[test]
fn a_verdict_that_no_guess_turns_says_so_for_the_fastest_and_the_baseline() {
    let lab = Lab::shared();
    let line = "compare csum_partial -a powerpc64 -v vmx -v uint64 -v adde -c power7 --case size=1472";
    let told = lab
        .line(line)
        .ends(0, &["vmx beats adde on power7", "vmx beats uint64 on power7", "bound by", "Faster on every"])
        .stdout;
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(told.matches("This survives every guessed number within its range").count(), 2, "{told}");
    let records = lab.line(&format!("{line} --json")).ends(0, &[]).records("compare");
    let judged = records.iter().filter(|record| record["verdict"] == "faster").count();
    assert_eq!((records.len(), judged), (3, 3), "{records:?}");
    let tried = records.iter().filter(|record| record["rests_on"].is_object()).count();
    assert_eq!(tried, 2, "single guesses are moved for the fastest only: {records:?}");
}

#[test]
fn a_prediction_tells_what_bounds_the_fastest_and_where_the_placement_matters() {
    let lab = Lab::shared();
    let line = "predict csum_partial -a powerpc64 -v vmx -v apart -c power7 --case size=1472 --json";
    let records = lab.line(line).ends(0, &[]).records("prediction");
    let of = |name: &str| records.iter().find(|record| record["variant"] == name).unwrap();
    let (fastest, other) = (of("vmx"), of("apart"));
    assert!(fastest["bound_by"].is_string() && fastest["guessed_spread_percent"].is_number(), "{fastest}");
    assert!(fastest["cycles_without"].as_f64() < fastest["cycles"].as_f64(), "{fastest}");
    assert!(other.get("bound_by").is_none() && other["chief_stall"].is_string(), "{other}");
    let [low, high] = [0, 1].map(|end| other["alignment_cycles"][end].as_f64().unwrap());
    let own = other["cycles"].as_f64().unwrap();
    assert!(low <= own && own <= high && low < high, "a loop over a block's end costs a fetch: {other}");
    // The numbers are printed first: finding what bounds them may take long.
    let told = lab.line(line.trim_end_matches(" --json")).ends(0, &[]).stdout;
    let place = |part: &str| told.find(part).unwrap_or_else(|| panic!("no '{part}' in {told}"));
    assert!(place("Predicted cycles per call") < place("What bounds the fastest"), "{told}");
}

#[test]
fn what_lacks_the_variant_to_compare_with_is_left_out_and_named() {
    let lab = Lab::shared();
    let line = "csum_partial -v power10,uint64 -a powerpc64le --case size=40 --against power10";
    // One cpu has it, the other does not.
    let left =
        "not compared with power10: csum_partial on powerpc64le, power9, size=40 (power9 has no power10)";
    for verb in ["compare", "report"] {
        let ran = lab.line(&format!("{verb} {line} -c power9,power10 --json")).ends(0, &[left]);
        let records = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let compared: Vec<Value> = records.filter(|record| record["kind"] == "compare").collect();
        assert_eq!((compared.len(), &compared[0]["cpu"]), (1, &"power10".into()), "{compared:?}");
    }
    // None has it: nothing is begun.
    for verb in ["compare", "report"] {
        let ran = lab.line(&format!("{verb} {line} -c power9,power8"));
        let ran =
            ran.refused(&["--against power10", "csum_partial on powerpc64le (none of power9, power8 has"]);
        assert_eq!(ran.stdout, "", "{ran:?}");
    }
    // Several hot paths, some without that variant.
    let measured = format!(
        "compare checksum -v each_carry,fold_once -a {} --against fold_once --processes 3",
        common::native()
    );
    let ran = lab.line(&format!("{measured} --json"));
    let ran =
        ran.ends(0, &["not compared with fold_once: ip_fast_csum on", "(there is no variant 'fold_once')"]);
    assert!(!ran.stderr.contains("measuring ip_fast_csum"), "{ran:?}");
    assert!(ran.records("compare").iter().all(|record| record["b"] == "fold_once"), "{ran:?}");
    let predicted =
        "compare checksum -v each_carry,fold_once -a powerpc -c mpc885 --against fold_once --json";
    let records = lab.line(predicted).ends(0, &["ip_fast_csum on powerpc (there"]).records("compare");
    assert!(records.iter().all(|record| record["b"] == "fold_once"), "{records:?}");
}

#[test]
fn a_named_cpu_that_runs_nothing_of_the_selection_is_told() {
    let lab = Lab::shared();
    let rest = "csum_partial -v uint64,uint128 -a powerpc64le --case size=40";
    let told = "skipped 1: nothing in this selection runs on zen3: csum_partial/uint";
    for verb in ["predict", "compare", "report"] {
        let ran =
            lab.line(&format!("{verb} {rest} -c power9,zen3 --json")).ends(0, &[told, "powerpc64le code"]);
        assert!(!ran.stdout.contains("zen3") && ran.stdout.contains("power9"), "{ran:?}");
    }
    for verb in ["predict", "compare"] {
        lab.line(&format!("{verb} {rest} -c zen3,zen4")).refused(&["runs on zen3, zen4: csum_partial/uint"]);
    }
    // Each runs something.
    let ran = lab.line(&format!("predict {rest} -a x86_64 -c power9,zen3 --json")).ends(0, &["zen3"]);
    assert!(!ran.stderr.contains("skipped"), "{ran:?}");
}

#[test]
fn a_variant_to_compare_with_that_fails_is_the_failure_told() {
    let lab = Lab::shared();
    lab.write("wrong.c", common::body("return sum + len + *(const unsigned char *)buf;"));
    let line = "compare csum_partial wrong.c -a powerpc64le -c power9 --case size=40 --against wrong";
    let ran =
        lab.line(line).ends(1, &["failed: csum_partial/wrong", "not compared with wrong: csum_partial on"]);
    assert_eq!(ran.stdout, "", "{ran:?}");
}

#[test]
fn a_prediction_is_compared_with_the_best_peer_where_there_is_one() {
    let lab = Lab::shared();
    let line =
        "compare csum_partial -a x86_64 -v adc,uint64,peer_linux_adc,peer_freebsd -c zen4 --case size=1472";
    let records = lab.line(&format!("{line} --json")).ends(0, &[]).records("compare");
    let of = |a: &str| {
        records.iter().find(|record| record["a"] == a).unwrap_or_else(|| panic!("{a}: {records:?}"))
    };
    // The best of the peers, not the second of them and not the plain C one.
    for other in ["adc", "peer_freebsd", "uint64"] {
        assert_eq!(of(other)["b"], "peer_linux_adc", "{records:?}");
    }
    assert!(of("peer_freebsd")["ratio"].as_f64().unwrap() > 1.0, "{records:?}");
    lab.line(line).ends(0, &["over those of peer_linux_adc", "peer_linux_adc (peer)"]);
    // A file of one's own is compared with the best of ours, whosever technique that is.
    lab.write("mine.c", common::GOOD);
    let line = "compare csum_partial mine.c -a x86_64 -v adc,peer_freebsd -c zen4 --case size=1472 --json";
    let records = lab.line(line).ends(0, &[]).records("compare");
    assert!(records.iter().any(|record| record["a"] == "mine" && record["b"] == "adc"), "{records:?}");
}

#[test]
fn code_that_the_cpu_file_does_not_know_is_marked_by_every_verb_and_has_no_verdict() {
    let lab = Lab::shared();
    lab.write("few.toml", "title = \"x\"\ninherits = \"power9\"\nremove = [\"class.alu\"]\n");
    let rest = "csum_partial -v uint64,vsx -a powerpc64le --case size=1472";
    let mark = "% of its instructions have a class in the cpu's file";
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = lab.line(&format!("compare {rest} -c few.toml")).ends(0, &["beats", mark]).stdout;
    assert!(one_line(&told).contains("No verdict: the cpu's file does not know"), "{told}");
    assert!(!told.contains("plausible core"), "{told}");
    let [record] =
        &lab.line(&format!("compare {rest} -c few.toml --json")).ends(0, &[]).records("compare")[..]
    else {
        panic!("one pair: {told}")
    };
    let percents = [0, 1].map(|side| record["coverage_percent"][side].as_f64().unwrap());
    assert!(percents.iter().all(|percent| (0.0..99.95).contains(percent)), "{record}");
    assert!(record.get("verdict").is_none() && record["no_verdict"].is_string(), "{record}");
    for format in ["terminal", "mail", "markdown", "html"] {
        let told = lab.line(&format!("report {rest} -c few.toml -f {format}")).ends(0, &[]).stdout;
        let told = one_line(&told.replace("&#39;", "'"));
        let table = told.split("Before and after").collect::<Vec<_>>();
        // In the table of all cycles, and in that of changes.
        assert!(table.len() == 2 && table.iter().all(|part| part.contains(mark)), "{told}");
    }
    let line = "explain csum_partial/uint64 -a powerpc64le --case size=40";
    lab.line(&format!("{line} -c few.toml")).ends(0, &["in a default class: "]);
    let explained = lab.line(&format!("{line} -c few.toml --json")).ends(0, &[]).records("explain");
    assert!(explained[0]["coverage_percent"].as_f64().unwrap() < 99.95, "{explained:?}");
    // The file that it inherits knows all.
    for line in [format!("compare {rest} -c power9"), format!("{line} -c power9")] {
        let told = lab.line(&line).ends(0, &[]).stdout;
        assert!(!told.contains(" have a class in") && !told.contains("No verdict"), "{told}");
    }
}
