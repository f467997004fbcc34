// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `pingpong` from end to end: every way of handing the token over, natively and under QEMU; a run compared with an
//! earlier one; what is refused.

mod common;

use arch::Arch;
use common::{native, Lab};

const WAYS: [(&str, &str); 5] = [
    ("pipe", "process"),
    ("pipe", "thread"),
    ("futex", "process"),
    ("futex", "thread"),
    ("switch", "context"),
];

#[test]
fn every_way_has_a_rate_and_the_thread_s_columns() {
    let lab = Lab::shared();
    for (via, between) in WAYS {
        let line =
            format!("pingpong --seconds 2 --drop 1 --touch none --via {via} --between {between} --json");
        let ran = lab.line(&line).ends(0, &["None (1 of 1): 2 s, 2 s to go"]);
        let records = ran.records("pingpong");
        assert_eq!(records.len(), 1, "{ran:#?}");
        let record = &records[0];
        assert_eq!((&record["via"], &record["between"]), (&via.into(), &between.into()));
        assert_eq!(record["rates_per_s"].as_array().expect("rates").len(), 1, "the first second is dropped");
        assert!(record["average_per_s"].as_f64().expect("an average") > 100.0, "{record}");
        assert!(
            record["no_interval"].as_str().expect("too short for one").contains("needs 10 seconds or more"),
            "{record}"
        );
    }
    let line = "pingpong --seconds 2 --drop 0 --via switch --touch none";
    lab.line(line).ends(0, &["Touched", "Average", "Stddev", "% of", "None", "contexts of one thread"]);
}

#[test]
fn a_run_is_compared_with_an_earlier_one() {
    let lab = Lab::shared();
    let line = "pingpong --via switch --touch none --drop 1 --json";
    let mut record = lab.line(&format!("{line} --seconds 2")).ends(0, &[]).records("pingpong").remove(0);
    assert!(record["interval_per_s"].is_null(), "one second is too short: {record}");
    // An earlier run that was thirty times as slow, so that the machine's load does not change the verdict: beside three whole
    // tests one second is five times as fast as another.
    let rate = record["rates_per_s"][0].as_f64().expect("a rate") / 30.0;
    record["rates_per_s"] = (0..10).map(|second| rate * (1.0 + 0.01 * f64::from(second))).collect();
    let other = r#"{"kind":"check","ok":true}"#;
    lab.write("before.jsonl", format!("{other}\n{record}\n"));
    let second = lab.line(&format!("{line} --seconds 11 --baseline before.jsonl")).ends(0, &[]);
    let record = second.records("pingpong").remove(0);
    assert!(record["interval_per_s"].is_array(), "ten seconds are enough: {record}");
    let against = &record["against"];
    assert_eq!(against["verdict"], "faster", "{against}");
    assert!(against["speedup_percent"].as_f64().expect("a number") > 150.0, "{against}");
    assert!(against["time_ratio_interval"][1].as_f64().expect("a number") < 1.0, "{against}");
    let shown = "pingpong --via switch --touch none --seconds 2 --drop 1 --baseline before.jsonl";
    lab.line(shown).ends(
        0,
        &[
            "Speedup",
            "%Speedup",
            "Speedup/Stddev",
            "verdict",
            "none: it needs 10 seconds or more besides those dropped, not 1",
        ],
    );
}

#[test]
fn every_architecture_hands_tokens_over_right() {
    let lab = Lab::shared();
    for arch in Arch::ALL.into_iter().filter(|arch| arch.name() != native()) {
        for via in ["pipe", "futex", "switch"] {
            let ran = lab.line(&format!("pingpong -a {arch} --via {via} --json")).ends(0, &[]);
            for record in ran.records("pingpong") {
                assert_eq!(record["checked_rounds"], 1000, "{record}");
                let rates = ["rates_per_s", "average_per_s"].map(|field| record.get(field));
                assert_eq!(rates, [None; 2], "time under QEMU is no time: {record}");
            }
        }
    }
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let lab = Lab::shared();
    lab.write("words.jsonl", "no record\n");
    lab.write("empty.jsonl", "");
    lab.write("other.jsonl", "{\"kind\":\"check\"}\n");
    lab.write("torn.jsonl", "{\"kind\":\"pingpong\",\"arch\":\"x86_64\"\n");
    let rateless = r#"{"kind":"pingpong","arch":"x86_64","engine":"native","via":"pipe","between":"process","touched":"None","rates_per_s":[0],"assay_version":"0"}"#;
    lab.write("rateless.jsonl", rateless);
    let foreign = Arch::ALL.into_iter().find(|arch| arch.name() != native()).expect("there are seven");
    for (line, parts) in [
        ("pingpong --seconds 5 --drop 5".to_owned(), &["--drop 5", "--seconds 5"][..]),
        ("pingpong --touch SPE".to_owned(), &["'SPE'", "known: none"]),
        ("pingpong --touch none+none+".to_owned(), &["known: none"]),
        ("pingpong --via switch --between thread".to_owned(), &["--via switch", "'thread'", "contexts"]),
        ("pingpong --via pipe --between context".to_owned(), &["--via pipe", "'context'"]),
        ("pingpong --baseline missing.jsonl".to_owned(), &["missing.jsonl"]),
        ("pingpong --baseline words.jsonl".to_owned(), &["words.jsonl:1", "is no record of a ping-pong"]),
        ("pingpong --baseline torn.jsonl".to_owned(), &["torn.jsonl:1", "is no record of a ping-pong"]),
        ("pingpong --baseline rateless.jsonl".to_owned(), &["rateless.jsonl:1", "no rates"]),
        ("pingpong --baseline empty.jsonl".to_owned(), &["empty.jsonl", "holds no record"]),
        ("pingpong --baseline other.jsonl".to_owned(), &["other.jsonl", "holds no record"]),
        (format!("pingpong -a {foreign} --baseline other.jsonl"), &["other.jsonl"]),
    ] {
        lab.line(&line).refused(parts);
    }
    for (line, parts) in [
        ("pingpong --seconds 0", &["--seconds", "from 1 to "][..]),
        ("pingpong --via mail", &["'mail'", "pipe, futex, switch"]),
        ("pingpong -a z80", &["'z80'", "powerpc64le"]),
    ] {
        lab.line(line).ends(2, parts);
    }
}
