// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! The program of whole routines is a workspace of its own, whose tests cargo does not run with the others: those of its copying,
//! which takes the place of the C library's. What the whole program computes is a test of the verb (crates/assay/tests/validating.rs).
#![cfg(target_arch = "x86_64")]

use std::process::Command;

#[test]
fn its_own_copying_copies_as_the_compiler_does() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["test", "--release", "--locked", "--quiet", "--lib", "-p", "memory"])
        .args(["--target-dir", concat!(env!("CARGO_TARGET_TMPDIR"), "/routines")])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/routines"))
        .output()
        .expect("cargo starts");
    let said =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success() && said.contains("2 passed"), "{said}");
}
