// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! libs/vector_state beyond its checks: its predictions against the bound and against the posted batches, the study of
//! the mailing-list thread, and the encodings of AVX-512, which not every machine can run.

mod common;

use common::{root, Lab};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

const CPUS: [&str; 3] = ["power8", "power9", "power10"];

/// Predicted cycles by cpu and variant.
fn predicted(lab: &Lab, hotpath: &str) -> BTreeMap<(String, String), f64> {
    let line =
        format!("predict {hotpath} -a powerpc64le -c power8 -c power9 -c power10 --case areas=1 --json");
    let ran = lab.line(&line).ends(0, &[]);
    let text = |value: &serde_json::Value| value.as_str().expect("a word").to_owned();
    ran.records("prediction")
        .iter()
        .map(|one| ((text(&one["cpu"]), text(&one["variant"])), one["cycles"].as_f64().expect("cycles")))
        .collect()
}

fn best<'a>(
    all: &'a BTreeMap<(String, String), f64>,
    cpu: &str,
    wanted: impl Fn(&str) -> bool,
) -> (&'a str, f64) {
    let of_cpu = all.iter().filter(|((on, variant), _)| on == cpu && wanted(variant));
    let (key, cycles) = of_cpu.min_by(|a, b| a.1.total_cmp(b.1)).expect("there are some");
    (&key.1, *cycles)
}

/// The serial form is the kernel's, and the batches were posted or requested; all other variants are ours.
fn published(variant: &str) -> bool {
    variant == "serial" || variant.starts_with("batch4")
}

fn ours(variant: &str) -> bool {
    !published(variant)
}

#[test]
fn ours_is_never_behind_the_posted_batch_and_new_forms_win_where_they_exist() {
    let lab = Lab::shared();
    for hotpath in ["vmx_save", "vmx_restore", "all_save", "all_restore"] {
        let all = predicted(&lab, hotpath);
        for cpu in CPUS {
            let (batch, theirs) = best(&all, cpu, published);
            let (variant, cycles) = best(&all, cpu, ours);
            assert!(cycles <= theirs, "{hotpath} on {cpu}: {variant} {cycles}, {batch} {theirs}");
        }
        let with_displacement = best(&all, "power9", |variant| matches!(variant, "stxv" | "lxv")).1;
        let indexed = best(&all, "power9", |variant| published(variant) || variant == "rows").1;
        assert!(with_displacement <= indexed, "{hotpath} on power9: {with_displacement}, indexed {indexed}");
        let pairs = best(&all, "power10", |variant| matches!(variant, "stxvp" | "lxvp")).1;
        let singles = best(&all, "power10", |variant| !matches!(variant, "stxvp" | "lxvp")).1;
        assert!(pairs < singles, "{hotpath} on power10: pairs {pairs}, singles {singles}");
    }
}

/// The cost of serialising instructions is a guess and not ours to choose, so the bound leaves them out.
#[test]
fn ours_is_at_the_bound_that_explain_states() {
    let lab = Lab::shared();
    let cases = [
        ("vmx_save/rows", "power8"),
        ("vmx_save/stxv", "power9"),
        ("vmx_save/stxvp", "power10"),
        ("vmx_restore/rows", "power8"),
        ("vmx_restore/lxv", "power9"),
        ("vmx_restore/lxvp", "power10"),
        ("vsx_save/copies", "power8"),
        ("vsx_save/stxv", "power9"),
        ("vsx_save/stxvp", "power10"),
        ("vsx_restore/rows", "power8"),
        ("vsx_restore/lxv", "power9"),
        ("vsx_restore/lxvp", "power10"),
        ("all_save/rows", "power8"),
        ("all_save/stxv", "power9"),
        ("all_save/stxvp", "power10"),
        ("all_restore/rows", "power8"),
        ("all_restore/lxv", "power9"),
        ("all_restore/lxvp", "power10"),
    ];
    for (variant, cpu) in cases {
        let line = format!("explain {variant} -c {cpu} -a powerpc64le --case areas=1 --json");
        let record = lab.line(&line).ends(0, &[]).records("explain").remove(0);
        let value = |name: &str| record[name].as_f64().unwrap_or_else(|| panic!("{name}: {record}"));
        let (bound, without) = (value("least_cycles"), value("cycles_unserialised"));
        assert!(bound > 5.0 && value("cycles") >= without, "{record}");
        let least = record["least"].as_array().expect("a list");
        for resource in ["dispatch", "fetch", "stores into the first-level cache", " pipes"] {
            let named =
                least.iter().any(|one| one["resource"].as_str().is_some_and(|name| name.contains(resource)));
            assert!(named, "{resource} is missing in {record}");
        }
        assert!(without <= 1.05 * bound, "{variant} on {cpu}: {without}, bound {bound}");
    }
    let shown = lab.line("explain vmx_save/rows -c power8 -a powerpc64le --case areas=1 --bounds");
    shown.ends(0, &["No order of these instructions", "serialising instructions; without", "Least cycles"]);
}

#[test]
fn the_thread_s_rows_stand_beside_the_predictions() {
    let lab = Lab::shared();
    let records = lab.line("study 2016-altivec-batch --json").ends(0, &[]).records("study_difference");
    let rows: Vec<&str> = records.iter().map(|one| one["row"].as_str().expect("a name")).collect();
    assert_eq!(rows, ["None", "FPU", "FPU + VEC", "FPU + VSX", "VEC", "VEC + VSX", "VSX", "All"]);
    for record in &records {
        let number = |name: &str| record[name].as_f64().unwrap_or_else(|| panic!("{name}: {record}"));
        let [low, high] = [0, 1].map(|end| record["published_range_ns"][end].as_f64().expect("a number"));
        assert!(low <= number("published_saved_ns") && number("published_saved_ns") <= high, "{record}");
        let saved = number("predicted_before_cycles") - number("predicted_after_cycles");
        assert!((saved - number("predicted_saved_cycles")).abs() < 1e-9, "{record}");
        let changed = record["code_changed"] == true;
        assert_eq!(changed, !matches!(record["row"].as_str(), Some("None" | "FPU")), "{record}");
        let [low, high] = [0, 1].map(|end| record["interval_saved_ns"][end].as_f64().expect("a number"));
        let verdict = record["verdict"].as_str().expect("a verdict");
        assert_eq!(
            changed && low <= 0.0 && high >= 0.0,
            verdict.starts_with("the interval holds 0"),
            "{record}"
        );
    }
}

/// On the kernel's own form, whose order leaves load pipes idle.
#[test]
fn where_the_bound_is_missed_explain_says_what_keeps_the_order_from_it() {
    let lab = Lab::shared();
    let line = "explain all_restore/serial -c power8 -a powerpc64le --case areas=1";
    let record = lab.line(&format!("{line} --json")).ends(0, &[]).records("explain").remove(0);
    let value = |name: &str| record[name].as_f64().unwrap_or_else(|| panic!("{name}: {record}"));
    let (bound, without) = (value("least_cycles"), value("cycles_unserialised"));
    assert!(without > 1.05 * bound, "{record}");
    let freed = record["obstacle"]["cycles"].as_f64().unwrap_or_else(|| panic!("no obstacle: {record}"));
    assert!(freed < without, "{record}");
    lab.line(&format!("{line} --bounds")).ends(0, &["What keeps this order"]);
}

/// Register number and displacement of each instruction with this mnemonic and a register of this prefix in a disassembly.
fn places(listing: &str, mnemonic: &str, prefix: &str) -> BTreeMap<u32, i64> {
    let mut found = BTreeMap::new();
    for line in
        listing.lines().map(str::trim).filter(|line| line.split_whitespace().any(|word| word == mnemonic))
    {
        let memory = line.split([' ', '\t', ',']).find(|word| word.contains('('));
        let Some(memory) = memory else { continue };
        let digits = memory.split('(').next().expect("split has a first part");
        let place = match digits.strip_prefix("0x") {
            Some(hexadecimal) => i64::from_str_radix(hexadecimal, 16).expect("a displacement"),
            None => digits.parse().unwrap_or(0),
        };
        let number = line.split([' ', '\t', ',']).find_map(|word| word.strip_prefix(prefix)?.parse().ok());
        if let Some(number) = number {
            assert_eq!(found.insert(number, place), None, "{mnemonic} of {prefix}{number} twice:\n{listing}");
        }
    }
    found
}

fn listing(lab: &Lab, source: &Path) -> String {
    let object = lab.folder.join("avx512.o");
    let include = format!("-I{}", root().join("libs/vector_state").display());
    let flags = ["--target=x86_64-linux-gnu", "-mavx512f", "-mavx512bw", "-mavx512dq", "-c", &include];
    let built = Command::new("clang-19").args(flags).arg(source).arg("-o").arg(&object).status();
    assert!(built.expect("clang-19 is installed").success(), "{}", source.display());
    let shown = Command::new("llvm-objdump-19").args(["-d", "--no-show-raw-insn"]).arg(&object).output();
    String::from_utf8(shown.expect("llvm-objdump-19 is installed").stdout).expect("text")
}

/// Simulated by an edited /proc/cpuinfo in a mount namespace, if this user may create one.
#[test]
fn a_machine_without_avx512_skips_its_variants_with_the_reason() {
    let lab = Lab::shared();
    let info = std::fs::read_to_string("/proc/cpuinfo").expect("this is Linux");
    let without =
        |line: &str| line.split(' ').filter(|word| !word.starts_with("avx512")).collect::<Vec<_>>().join(" ");
    let edited = lab.write("cpuinfo", info.lines().map(|line| without(line) + "\n").collect::<String>());
    let script = "mount --bind \"$1\" /proc/cpuinfo && shift && exec \"$@\"";
    let namespace = |command: &mut Command| -> bool {
        command.args(["-m", "sh", "-c", script, "sh"]).arg(&edited);
        Command::new("unshare")
            .args(["-m", "sh", "-c", script, "sh"])
            .arg(&edited)
            .arg("true")
            .status()
            .is_ok_and(|status| status.success())
    };
    let mut command = Command::new("unshare");
    if common::native() != "x86_64" || !namespace(&mut command) {
        println!("skipped: no other /proc/cpuinfo can be mounted here");
        return;
    }
    command.arg(env!("CARGO_BIN_EXE_assay")).args(["check", "avx512_restore", "-a", "x86_64"]);
    command.env("ASSAY_ROOT", root()).env("ASSAY_CACHE", &lab.cache);
    let reason = "this machine's processor has no avx512f";
    common::finish(&mut command)
        .ends(2, &["avx512_restore/vinsertf64x4", reason, "0 right, 0 wrong, 3 skipped"]);
}

/// Without AVX-512 this code cannot be run, but its encoding can be checked anywhere.
#[test]
fn avx512_moves_every_register_from_and_to_its_place() {
    let lab = Lab::shared();
    let expected = |from: u32, to: u32, start: i64, step: i64| -> BTreeMap<u32, i64> {
        (from..to).map(|number| (number, start + step * i64::from(number - from))).collect()
    };
    for (file, low, high, middle) in [
        ("avx512_save/x86_64/vmovups.S", "vmovups", "vextractf64x4", "vextractf128"),
        ("avx512_restore/x86_64/vinsertf64x4.S", "vmovups", "vinsertf64x4", "vinsertf128"),
        ("all_save/x86_64/fxsave_vextract.S", "", "vextractf64x4", "vextractf128"),
        ("all_restore/x86_64/fxrstor_vinsert.S", "", "vinsertf64x4", "vinsertf128"),
    ] {
        let text = listing(&lab, &root().join("libs/vector_state").join(file));
        assert_eq!(places(&text, "kmovq", "%k"), expected(0, 8, 0, 8), "{text}");
        assert_eq!(places(&text, high, "%zmm"), expected(0, 16, 64, 32), "{text}");
        assert_eq!(places(&text, "vmovups", "%zmm"), expected(16, 32, 576, 64), "{text}");
        assert_eq!(places(&text, middle, "%ymm"), expected(0, 16, 576, 16), "{text}");
        if !low.is_empty() {
            assert_eq!(places(&text, low, "%xmm"), expected(0, 16, 160, 16), "{text}");
        }
    }
}
