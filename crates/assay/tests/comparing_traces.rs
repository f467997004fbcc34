// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Recorded programs side by side: a verdict only if a difference is shown; options that do not apply are refused.

mod common;

use common::{finish, Lab};
use std::process::Command;

/// Builds a native program that calls `work` 64 times, and records these calls.
fn record(lab: &Lab, name: &str, work: &str) {
    let program = format!(
        "__attribute__((noinline)) unsigned long work(unsigned long x) {{ {work} return x; }}\n\
         int main(void) {{ unsigned long x = 7; for (int i = 0; i < 64; i++) x = work(x); return x == 3; }}\n"
    );
    lab.write(&format!("{name}.c"), program);
    let mut gcc = Command::new("gcc");
    finish(gcc.current_dir(&lab.folder).args(["-O1", "-o", name, &format!("{name}.c")])).ends(0, &[]);
    lab.line(&format!("trace --roi work -- ./{name}")).ends(0, &["in 64 entries"]);
}

#[test]
fn traces_are_compared_by_the_call_with_a_verdict_and_what_does_not_apply_is_refused() {
    let lab = Lab::shared();
    record(&lab, "short", "x *= 3; x ^= x >> 3;");
    record(&lab, "long", "for (int i = 0; i < 40; i++) { x *= 3; x ^= x >> 3; }");
    let cpu = match common::native() {
        "x86_64" => "zen3",
        "powerpc64le" => "power9",
        other => panic!("no cpu of {other} is named here; add one"),
    };
    let ran = lab.line(&format!("compare short.trace long.trace -c {cpu} --json")).ends(0, &[]);
    let [record] = &ran.records("compare")[..] else { panic!("one pair: {ran:?}") };
    assert_eq!((record["verdict"].as_str(), record["cpu"].as_str()), (Some("faster"), Some(cpu)), "{record}");
    assert!(record["cycles"][1].as_f64().unwrap() > 5.0 * record["cycles"][0].as_f64().unwrap(), "{record}");
    let ran = lab.line(&format!("compare short.trace short.trace long.trace -c {cpu} --against short.trace"));
    ran.ends(0, &["slower", "compared with"]);
    // Without -c, the traces are compared on every cpu that runs them.
    lab.line("compare long.trace short.trace").ends(0, &[cpu, "slower"]);
    let refused = |line: &str, part: &str| lab.line(line).refused(&[part]);
    refused("compare short.trace", "one trace");
    refused("compare short.trace long.trace --processes 20", "--processes has no effect");
    refused("compare short.trace long.trace --against other.trace", "'other.trace' is none");
    refused("compare short.trace csum_partial", "'csum_partial' is no trace");
    refused("compare short.trace long.trace --case size=40 --compiler gcc", "leave out --case, --compiler");
    refused(&format!("compare csum_partial -c {cpu} --processes 20"), "--processes has no effect");
    refused(&format!("predict short.trace -c {cpu} --bounds"), "--bounds is for variants");
    refused("compare short.trace long.trace -c la464", "la464");
    refused(&format!("predict short.trace -c {cpu} -a loongarch64"), "leave out -a");
}

#[test]
fn what_the_cpu_file_does_not_know_of_a_program_is_told_by_all_that_predict_it() {
    let lab = Lab::shared();
    let cpu = common::native_cpu();
    lab.write("few.toml", format!("title = \"x\"\ninherits = \"{cpu}\"\nremove = [\"class.alu\"]\n"));
    record(&lab, "short", "x *= 3; x ^= x >> 3;");
    record(&lab, "long", "for (int i = 0; i < 40; i++) { x *= 3; x ^= x >> 3; }");
    let told = "in a default class: ";
    lab.line("compare short.trace long.trace -c few.toml").ends(0, &[told, "does not know", "none(2)"]);
    let ran = lab.line("compare short.trace long.trace -c few.toml --json").ends(0, &[]);
    let pair = &ran.records("compare")[0];
    assert!(pair["no_verdict"].is_string() && pair["coverage_percent"][0].is_number(), "{pair}");
    for line in ["hot long.trace", "hot long.trace --function work", "explain long.trace"] {
        lab.line(&format!("{line} -c few.toml")).ends(0, &[told]);
        for line in lab.line(&format!("{line} -c few.toml --json")).ends(0, &[]).stdout.lines() {
            let record: serde_json::Value = serde_json::from_str(line).expect("JSON");
            assert!(record["coverage_percent"].as_f64().unwrap() < 99.95, "{record}");
        }
        let ran = lab.line(&format!("{line} -c {cpu}")).ends(0, &[]);
        assert!(!ran.stdout.contains(told), "{ran:?}");
    }
}

/// From one region's entry to another's is no call: the same work in another order is as fast.
#[test]
fn of_several_regions_no_call_is_timed_but_the_run() {
    let lab = Lab::shared();
    let cpu = match common::native() {
        "x86_64" => "zen3",
        "powerpc64le" => "power9",
        other => panic!("no cpu of {other} is named here; add one"),
    };
    let functions = "__attribute__((noinline)) unsigned long slow(unsigned long x) { for (int i = 0; i < 9000; i++) x = x * 3 ^ x >> 3; return x; }\n\
                     __attribute__((noinline)) unsigned long quick(unsigned long x) { return x + 1; }\n";
    for (name, calls) in [("slow_first", "quick(slow(x))"), ("quick_first", "slow(quick(x))")] {
        let main =
            format!("int main(int argc, char **argv) {{ unsigned long x = argc; return ({calls}) == 3; }}\n");
        lab.write(&format!("{name}.c"), format!("{functions}{main}"));
        let mut gcc = Command::new("gcc");
        finish(gcc.current_dir(&lab.folder).args(["-O1", "-o", name, &format!("{name}.c")])).ends(0, &[]);
        lab.line(&format!("trace --roi slow --roi quick -- ./{name}")).ends(0, &["in 2 entries"]);
    }
    let ran = lab.line(&format!("compare slow_first.trace quick_first.trace -c {cpu} --json")).ends(0, &[]);
    let [record] = &ran.records("compare")[..] else { panic!("one pair: {ran:?}") };
    assert_ne!(record["verdict"], "faster", "{record}");
    let ratio = record["ratio"].as_f64().unwrap();
    assert!((ratio - 1.0).abs() < 0.02, "{record}");
}
