// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Predicts every published figure with llvm-mc-19 as assembler:
//! `cargo run --release -p predict --example validate -- crates/predict/validation cpus`.

use arch::Arch;
use object::{Object, ObjectSection};
use predict::validate::{mean_error, validate};
use std::path::Path;
use std::process::Command;

fn assemble(arch: Arch, path: &Path) -> Result<Vec<u8>, String> {
    let triple = match arch {
        Arch::Powerpc => "powerpc",
        Arch::Powerpc64 => "powerpc64",
        Arch::Powerpc64le => "powerpc64le",
        Arch::Loongarch64 => "loongarch64",
        other => return Err(format!("no loops are written for {other}")),
    };
    let output = Command::new("llvm-mc-19")
        .args(["-filetype=obj", "-triple", triple])
        .arg(path)
        .output()
        .map_err(|error| format!("cannot run llvm-mc-19: {error}; install Debian's llvm-19"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let object = object::File::parse(&*output.stdout).map_err(|error| error.to_string())?;
    let text = object.section_by_name(".text").ok_or("it has no code")?;
    text.data().map(<[u8]>::to_vec).map_err(|error| error.to_string())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [dir, cpus] = arguments.as_slice() else {
        return Err("usage: validate VALIDATION_DIR CPUS_DIR".into());
    };
    let outcomes = validate(dir.as_ref(), cpus.as_ref(), &assemble)?;
    println!(
        "{:<24} {:<30} {:<7} {:>9} {:>9} {:>7}  {:>15} {:>7} {:>8}  fit",
        "study", "row", "cpu", "published", "predicted", "error", "alignments", "trivial", "llvm-mca"
    );
    for o in &outcomes {
        let f = &o.figure;
        let mca = o.mca.as_ref().map_or("-".to_owned(), |(_, error)| format!("{error:+.0} %"));
        println!(
            "{:<24} {:<30} {:<7} {:>9.3} {:>9.3} {:>+6.1}%  {:>7.3}-{:<7.3} {:>+6.0}% {:>8}  {}",
            f.study,
            f.row,
            f.cpu,
            f.published,
            o.predicted,
            o.error_percent,
            o.range.0,
            o.range.1,
            o.trivial.1,
            mca,
            if f.used_for_fit { "yes" } else { "" }
        );
    }
    println!(
        "mean absolute error {:.1} %, without fitted rows {:.1} %",
        mean_error(&outcomes, true),
        mean_error(&outcomes, false)
    );
    Ok(())
}
