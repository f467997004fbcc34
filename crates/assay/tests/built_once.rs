// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! What is built is not built again. `./assay` asks cargo for the command every time: a build script that names a file that
//! is not there makes cargo build everything behind it anew, for each verb, and replaces a program that is running. A runner's
//! runtime is most of what is compiled for it, and the same for all hot paths.

mod common;

use std::path::Path;
use std::process::Command;

/// What cargo says of building the command as `./assay` does.
fn build(target: &Path) -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["build", "--release", "--locked", "--offline", "--color=never", "-v", "-p", "assay"])
        .arg("--target-dir")
        .arg(target)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    said
}

#[test]
fn the_second_build_builds_nothing() {
    let target = Path::new(env!("CARGO_BIN_EXE_assay")).ancestors().nth(2).unwrap();
    build(target);
    let said = build(target);
    let built: Vec<&str> =
        said.lines().filter(|line| ["Dirty", "Compiling"].iter().any(|word| line.contains(word))).collect();
    assert!(said.contains("Fresh") && built.is_empty(), "{}", built.join("\n"));
}

#[test]
fn the_runtime_is_compiled_once_for_all_hot_paths_of_an_architecture() {
    let lab = common::Lab::empty();
    let objects_after = |hotpath: &str, variant: &str| {
        let ran = lab.assay(["check", hotpath, "-a", "riscv64", "-v", variant, "--quick"]);
        assert_eq!(ran.status, Some(0), "{}", ran.stderr);
        std::fs::read_dir(lab.cache.join("objects")).unwrap().count()
    };
    let first = objects_after("csum_fold", "rotate");
    let both = objects_after("csum_replace2", "fold_once");
    // The variant, the reference and the test.
    assert_eq!(both - first, 3, "{first} objects for one hot path, {both} for two");
}

/// Another QEMU may have other instructions, and a verdict or a count of one is none of the other.
#[test]
fn what_was_made_under_another_qemu_is_made_anew() {
    let lab = common::Lab::empty();
    let real = lab::toolchain::find_program("qemu-riscv64").expect("it is set up");
    let tell = "[ \"$1\" != --version ] || { echo 'qemu-riscv64 version 9.9.9'; exit; }";
    lab.write_program("other/qemu-riscv64", &format!("{tell}\nexec {} \"$@\"", real.display()));
    let path = std::env::var("PATH").expect("it is text");
    let kept_after = |path: &str| {
        let mut command = lab.command();
        command.env("PATH", path).args("count csum_fold/rotate -a riscv64 --case chain=0".split(' '));
        common::finish(&mut command).ends(0, &[]);
        ["checked", "traces"].map(|folder| std::fs::read_dir(lab.cache.join(folder)).unwrap().count())
    };
    assert_eq!(kept_after(&path), [1, 1]);
    assert_eq!(kept_after(&path), [1, 1]);
    assert_eq!(kept_after(&format!("{}:{path}", lab.folder.join("other").display())), [2, 2]);
}

/// The stack of a recorded program lies below its path and its environment, and a prediction counts the lines that it touches.
#[test]
fn a_recording_is_the_same_under_any_environment_and_wherever_the_cache_is() {
    let recorded = |environment: &str| {
        let lab = common::Lab::empty();
        let mut command = lab.command();
        command.env("ASSAY_TEST_OF_ENVIRONMENTS", environment);
        let line = "predict csum_fold/rotate -a riscv64 -c llvm:sifive-u74 --case chain=0";
        common::finish(command.args(line.split(' '))).ends(0, &[]);
        let mut traces = std::fs::read_dir(lab.cache.join("traces")).unwrap().map(|entry| entry.unwrap());
        let mut reader = trace::Reader::open(traces.next().expect("it was recorded").path()).unwrap();
        let mut accesses = Vec::new();
        while let Some(event) = reader.next().unwrap() {
            if let trace::Event::Block { accesses: those, .. } = event {
                accesses.extend(those.iter().map(|access| access.address));
            }
        }
        accesses
    };
    let short = recorded("short");
    assert!(!short.is_empty());
    assert_eq!(short, recorded(&"long".repeat(1000)));
}
