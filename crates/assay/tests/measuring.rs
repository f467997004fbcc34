// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! `measure` on this machine: cycles are those of the core's clock, and a note says where they differ from the prediction.

mod common;

use common::{body, checkout_with, finish, Lab};
use std::fs;

/// A chain of a thousand dependent multiplications, of three cycles each on every x86-64 core of the last fifteen years
/// (Intel since Nehalem, AMD since Zen); the runner derives cycles from ticks by a chain of the same kind. It computes
/// no sum. (With chain=0 calls do not depend on each other and overlap as far as the window allows.)
const CHAIN: &str = "#include <stdint.h>
uint32_t csum_partial(const void *buf, int len, uint32_t sum)
{
	uint64_t value = sum | 3;
	for (int i = 0; i < 100; i++)
		__asm__ volatile(\".rept 10\\n\\timul %0, %0\\n\\t.endr\" : \"+r\"(value));
	return (uint32_t)value;
}
";
const MEASURE: &str =
    "measure csum_partial chain.c -v uint64 -a x86_64 --unchecked --case size=40,chain=1 --processes 5";

/// Whether cycles are known here; elsewhere the test says that it is skipped.
fn has_cycles() -> bool {
    let has = cfg!(target_arch = "x86_64");
    if !has {
        eprintln!("skipped: only on x86-64 a chain of known latency tells cycles from ticks");
    }
    has
}

#[test]
fn a_chain_of_known_length_has_its_cycles() {
    if !has_cycles() {
        return;
    }
    let lab = Lab::shared();
    lab.write("chain.c", CHAIN);
    let cycles = || {
        let records = lab.line(&format!("{MEASURE} --json")).ends(0, &[]).records("measurement");
        let chain = records.iter().find(|one| one["variant"] == "chain").expect("it is measured");
        chain["median_cycles"].as_f64().expect("cycles are known")
    };
    // If the runner's chain included the time of reading the counter, this chain would seem 2 % shorter. What remains
    // is the time until the first instruction reaches a pipe, half a percent. A busy machine makes it longer.
    let seen: Vec<f64> = (0..3).map(|_| cycles()).collect();
    let median = stats::median(&seen).unwrap();
    assert!((2965.0..3060.0).contains(&median), "{seen:?} cycles for 3000 and a call");
}

/// A checkout with one description that names this machine: Zen 3 with multiplications of so many cycles.
fn described_with(lab: &Lab, multiplication: u64) -> std::path::PathBuf {
    let machine = native::machine::name().expect("this is an x86-64");
    let text = format!(
        "# A core for tests.\ninherits = \"zen3\"\nmachine = [\"{machine}\"]\n[sources]\ntest = \"made for a test\"\n[class.multiply]\n\
         instructions = [\"imul\", \"crc32\", \"pdep\", \"pext\"]\nparts = [\"A1\"]\nlatency.value = {{ value = {multiplication}, \
         unit = \"cycles\", source = \"test\", kind = \"manual\" }}\n"
    );
    let checkout = checkout_with(lab, "x86_64/this.toml", |_| text.clone());
    for file in fs::read_dir(checkout.join("cpus/x86_64")).unwrap().flatten().map(|entry| entry.path()) {
        let text = fs::read_to_string(&file).unwrap();
        let others = text.lines().filter(|line| {
            !line.starts_with("machine =") || line.contains(&machine) && file.ends_with("this.toml")
        });
        fs::write(&file, others.collect::<Vec<_>>().join("\n")).unwrap();
    }
    checkout
}

#[test]
fn a_figure_far_from_the_prediction_is_told_with_the_reason_and_a_near_one_is_not() {
    if !has_cycles() {
        return;
    }
    let lab = Lab::shared();
    lab.write("chain.c", CHAIN);
    let measured = |multiplication: u64| {
        let checkout = described_with(&lab, multiplication);
        let ran = finish(lab.command().env("ASSAY_ROOT", checkout).args(MEASURE.split_whitespace()));
        let told = ran.ends(0, &["Beside the prediction for this"]).stdout;
        let beside = told.split("Beside the prediction for this").nth(1).unwrap().to_owned();
        let row = beside.lines().find(|line| line.contains("chain ")).expect("its row").to_owned();
        (row, beside.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    // Only a difference with a note ends in the note's mark, a parenthesis.
    let (row, _) = measured(3);
    assert!(row.contains(" 30") && !row.trim_end().ends_with(')'), "{row}");
    let (row, told) = measured(6);
    assert!(row.contains("-5") || row.contains("-4"), "half of what is predicted: {row}");
    assert!(row.trim_end().ends_with(')'), "{row}");
    for part in [
        "outside of what the model leaves open",
        "the code mostly waits for",
        "./assay explain and docs/limits.md",
    ] {
        assert!(told.contains(part), "'{part}' is missing in {told}");
    }
}

/// Slow where its code stands in the second half of a cache line, by what it sees of its own address.
const SLOW_IN_THE_SECOND_HALF: &str = "for (int i = 0; i < ((uintptr_t)csum_partial & 32 ? 1000 : 10); i++)
		__asm__ volatile(\"\");
	return sum + len;";

#[test]
fn a_time_is_of_all_places_that_the_code_may_have_in_a_cache_line() {
    let lab = Lab::shared();
    lab.write("placed.c", body(SLOW_IN_THE_SECOND_HALF));
    // Code that is aligned to a line has one place.
    let fixed = body("return sum + len;")
        .replace("uint32_t csum_partial", "__attribute__((aligned(64))) uint32_t csum_partial");
    lab.write("fixed.c", fixed);
    let line = "measure csum_partial placed.c fixed.c -v uint64 --unchecked --case size=40 --processes 8";
    let records = lab.line(&format!("{line} --json")).ends(0, &[]).records("measurement");
    let of = |name: &str, key: &str| -> Vec<f64> {
        let record = records.iter().find(|one| one["variant"] == name).expect("it is measured");
        record[key].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
    };
    assert_eq!(of("placed", "process_place_bytes"), [0.0, 0.0, 32.0, 32.0, 16.0, 16.0, 48.0, 48.0]);
    assert_eq!(of("fixed", "process_place_bytes"), [0.0; 8]);
    let times = of("placed", "process_ns");
    let slow: Vec<bool> =
        times.iter().map(|time| *time > 10.0 * times.iter().copied().fold(f64::MAX, f64::min)).collect();
    // Rounds come in pairs of one place, and places half a line apart follow each other.
    for pairs in slow.chunks(4) {
        assert!(pairs[0] == pairs[1] && pairs[2] == pairs[3] && pairs[0] != pairs[2], "{times:?}");
    }
    let told = lab.line(line).ends(0, &["by place"]).stdout;
    let row = |name: &str| {
        told.lines().find(|line| line.trim_start().starts_with(name)).expect("its row").to_owned()
    };
    assert!(row("placed ").contains("..") && !row("fixed ").contains(".."), "{told}");
}
