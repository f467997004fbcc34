// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! Compiles libs/vector_state/switch for the target: its C file and the assembly of the target's ABI.

use std::path::Path;

fn main() {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../libs/vector_state/switch");
    let target = std::env::var("CARGO_CFG_TARGET_ARCH").expect("cargo sets it");
    let assembly = match target.as_str() {
        "powerpc64" | "powerpc64le" => "power64",
        "powerpc" | "loongarch64" | "x86_64" | "aarch64" | "riscv64" => target.as_str(),
        other => panic!("libs/vector_state/switch/arch has no assembly for {other}"),
    };
    // Rust's big-endian powerpc64-unknown-linux-gnu is ELFv1, the assembly ELFv2, as musl's and the little-endian targets are.
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let elf_v1 = target == "powerpc64"
        && variable("CARGO_CFG_TARGET_ENDIAN") == "big"
        && variable("CARGO_CFG_TARGET_ENV") == "gnu";
    assert!(!elf_v1, "the context switch is ELFv2, this target is ELFv1: take powerpc64-unknown-linux-musl");
    for folder in ["", "arch"] {
        println!("cargo::rerun-if-changed={}", library.join(folder).display());
    }
    cc::Build::new()
        .file(library.join("context_switch.c"))
        .file(library.join(format!("arch/{assembly}.S")))
        .flag("-std=c11")
        .flag("-ffreestanding")
        .opt_level(2)
        .warnings(true)
        .extra_warnings(true)
        .compile("context_switch");
}
